/**
 * JMH benchmarks of the hot path: one class a room, and {@link io.penstock.bench.PathBenchmark} for
 * the way through them. Benchmarks of what only one room may see stand in that room's package.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
