/**
 * The environment of a measurement, all on 127.0.0.1: servers, clusters and proxies, which {@link
 * io.penstock.bench.harness.Rig} starts and ends, and the {@link io.penstock.bench.harness.Target}s
 * that loads go to. Used by one thread.
 */
@NullMarked
package io.penstock.bench.harness;

import org.jspecify.annotations.NullMarked;
