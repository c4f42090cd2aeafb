/**
 * JMH benchmarks of the hot path: one class a room, and {@link io.penstock.bench.PathBenchmark} for
 * the way through them. Benchmarks of what only one room may see stand in that room's package.
 *
 * <p>{@link io.penstock.bench.Main} is the entry of the load tests, which {@code command} and the
 * packages beside it hold.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
