package io.penstock.server.reads;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.it.SharedGroup;
import io.penstock.server.reads.ReadChecker.Violation;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.network.ReplicaLag;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What clients read from replicas of which one lags. */
@ExtendWith(SharedGroup.class)
class ReadHistoryIT {

  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final long SEED = 20_261_123;

  @Test
  void readsKeepTheirPromisesWhileAReplicaLags(SentinelGroup group) {
    assertThat(violations(group, WINDOW)).isEmpty();
  }

  @Test
  void theCheckerFindsReadsWithoutReadYourWrites(SentinelGroup group) {
    assertThat(violations(group, Duration.ZERO))
        .containsKey(Violation.MISSED_OWN_WRITE)
        .doesNotContainKeys(Violation.OVERTAKEN, Violation.INVENTED);
  }

  private static Map<Violation, List<String>> violations(
      SentinelGroup group, Duration readYourWrites) {
    var settings =
        new ReadSettings(
            ReadFrom.REPLICA,
            Balance.ROUND_ROBIN,
            Zones.NONE,
            ReadSettings.NO_LAG_LIMIT,
            readYourWrites,
            false);
    try (ReplicaLag lag = ReplicaLag.of(group, group.replicas().getFirst());
        ProxyFixture proxy = ProxyFixture.of(group).reads(settings).startReady()) {
      awaitReplicas(proxy, group);
      try (ReadWorkload workload = new ReadWorkload(proxy, SEED);
          ReplicaWatch watch = new ReplicaWatch(proxy)) {
        for (int i = 0; i < 3; i++) {
          workload.awaitBatches(500);
          lag.begin();
          workload.awaitBatches(1_500);
          lag.end();
        }
        return new ReadChecker(WINDOW, _ -> "").replicaChanges(watch).check(workload.stop());
      }
    }
  }

  /** Waits until clients read from both replicas. */
  private static void awaitReplicas(ProxyFixture proxy, SentinelGroup group) {
    group.replicas().forEach(replica -> replica.text("CONFIG", "RESETSTAT"));
    Awaitility.await("both replicas are read")
        .until(() -> {
          for (int i = 0; i < 4; i++) {
            try (RespClient client = proxy.connect()) {
              client.call("GET", "key");
            }
          }
          return group.replicas().stream()
              .allMatch(replica -> replica.text("INFO", "commandstats").contains("cmdstat_get:"));
        });
  }
}
