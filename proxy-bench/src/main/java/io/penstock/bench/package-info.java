/**
 * JMH benchmarks of the hot path's parts: one class a part, each run with the allocation profiler.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
