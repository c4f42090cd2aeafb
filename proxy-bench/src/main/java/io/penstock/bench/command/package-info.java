/**
 * The load tests' commands: each decides on targets and loads, has them measured, most by {@link
 * io.penstock.bench.measure.Rounds}, and the report written. {@code chart} and {@code jmh} only
 * show what was measured before.
 */
@NullMarked
package io.penstock.bench.command;

import org.jspecify.annotations.NullMarked;
