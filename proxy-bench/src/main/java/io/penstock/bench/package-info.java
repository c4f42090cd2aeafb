/**
 * JMH benchmarks of the hot path: one class for each room, and {@link
 * io.penstock.bench.PathBenchmark} for the path through them. Benchmarks of package-private classes
 * are in the package of these classes.
 *
 * <p>{@link io.penstock.bench.Main} is the entry of the load tests, which {@code command} and the
 * packages beside it hold.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
