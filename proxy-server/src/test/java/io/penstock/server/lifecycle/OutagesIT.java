package io.penstock.server.lifecycle;

import io.penstock.server.it.SharedCluster;
import io.penstock.server.it.SharedGroup;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Outages of each kind, one after the other, and what an operator reads about them: all lines at
 * INFO and above are compared with the files {@code outages-*.txt}. At the height of each outage
 * and after it, readiness says the same.
 */
@Tag("thorough")
@EnabledIfSystemProperty(named = "penstock.test.outages", matches = "true")
@ExtendWith({SharedCluster.class, SharedGroup.class})
class OutagesIT {

  private static final String[] QUICK = {
    "--penstock.dispatch=async", // also in a run with another one
    "--penstock.event-loops=1",
    "--penstock.backend.command-timeout=2s",
    "--penstock.backend.connect-timeout=5s",
    "--penstock.backend.failover-hold=60s",
    "--penstock.topology.refresh-period=2s",
    "--penstock.readiness=every-slot"
  };

  private static ScriptedLog logOf(String what) {
    return new ScriptedLog(
        Path.of("src/test/resources/io/penstock/server/lifecycle/outages-" + what + ".txt"));
  }

  @Test
  void ofACluster(EmbeddedCluster cluster) throws IOException {
    try (RunningPenstock penstock = RunningPenstock.inFrontOf(cluster.resource(), QUICK);
        ScriptedLog log = logOf("cluster")) {
      new ClusterOutages(cluster, penstock, log).run();
      log.verify();
    } finally {
      cluster.members().stream().filter(m -> !m.isRunning()).forEach(Member::restart);
      cluster.members().forEach(m -> ClusterOutages.nodeTimeout(m, "1000"));
      cluster.members().forEach(m -> m.takesOver(false));
    }
  }

  @Test
  void ofSentinelsAndTheirMaster(SentinelGroup group) throws IOException {
    try (RunningPenstock penstock = RunningPenstock.inFrontOf(group.resource(), QUICK);
        ScriptedLog log = logOf("sentinel")) {
      new SentinelOutages(group, penstock, log).run();
      log.verify();
    } finally {
      group.sentinels().stream().filter(s -> !s.isRunning()).forEach(group::restart);
      group.nodes().stream().filter(n -> !n.isRunning()).forEach(group::restart);
      group.nodes().forEach(n -> n.text("CONFIG", "SET", "replica-priority", "100"));
    }
  }

  @Test
  void ofServersAndShards(@TempDir Path folder) throws IOException {
    try (ServersUnderTest servers = ServersUnderTest.start(folder);
        RunningPenstock penstock = RunningPenstock.startWith(servers.file(), QUICK);
        ScriptedLog log = logOf("servers")) {
      new ServerOutages(servers, penstock, log).run();
      log.verify();
    }
  }
}
