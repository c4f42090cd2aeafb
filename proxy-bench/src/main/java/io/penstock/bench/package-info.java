/**
 * JMH benchmarks of the hot path: one class for each room, and {@link
 * io.penstock.bench.PathBenchmark} for the path through them. Benchmarks of package-private classes
 * are in the package of these classes.
 *
 * <p>{@link io.penstock.bench.Main} is the entry of the load tests: {@code command} has one class
 * for each of its commands, {@code harness} what they start, {@code load} what they send, {@code
 * measure} what they read, and {@code report} what they write. docs/development/benchmarks.md says
 * how to run both, and proxy-bench/results/README.md what has been measured.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
