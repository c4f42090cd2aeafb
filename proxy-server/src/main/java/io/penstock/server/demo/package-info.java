/**
 * Real server processes as an embedded cluster: for the {@code demo} profile, the integration tests
 * and the benchmarks. No Spring here.
 *
 * <p>{@link io.penstock.server.demo.ServerBinary} finds an executable (the bundled one, unless
 * another is named), {@link io.penstock.server.demo.ServerProcess} runs one server of it, {@link
 * io.penstock.server.demo.EmbeddedCluster} joins several to a cluster and changes its shape while
 * it runs. Every server has a {@code sh} beside it that watches this JVM through a pipe: when the
 * JVM goes, also by SIGKILL, the servers and their folders go too. All calls block; objects may be
 * used by one thread at a time.
 */
@NullMarked
package io.penstock.server.demo;

import org.jspecify.annotations.NullMarked;
