/**
 * Real server processes, alone and as a cluster: for the {@code demo} profile, the tests and the
 * benchmarks.
 *
 * <p>{@link io.penstock.testkit.cluster.ServerBinary} finds an executable (the bundled one, unless
 * another is named), {@link io.penstock.testkit.cluster.ServerProcess} runs one server of it,
 * {@link io.penstock.testkit.cluster.EmbeddedCluster} joins several to a cluster and changes its
 * shape while it runs, {@link io.penstock.testkit.cluster.SentinelGroup} is a master with replicas
 * and sentinels. Every server has a {@code sh} beside it that watches this JVM through a pipe: when
 * the JVM ends, also by SIGKILL, the servers are killed and their folders removed. All calls block;
 * objects may be used by one thread at a time.
 */
@NullMarked
package io.penstock.testkit.cluster;

import org.jspecify.annotations.NullMarked;
