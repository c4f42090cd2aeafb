/**
 * What a measurement is: a {@link io.penstock.bench.measure.Load} goes to a {@link
 * io.penstock.bench.harness.Target} and leaves a {@link io.penstock.bench.measure.Sample}; {@link
 * io.penstock.bench.measure.Rounds} takes the targets in turn and makes {@link
 * io.penstock.bench.measure.Row}s of the samples. {@link io.penstock.bench.measure.Meter} reads
 * what a run costs, {@link io.penstock.bench.measure.Inside} what a Penstock holds. Everything runs
 * on the calling thread.
 */
@NullMarked
package io.penstock.bench.measure;

import org.jspecify.annotations.NullMarked;
