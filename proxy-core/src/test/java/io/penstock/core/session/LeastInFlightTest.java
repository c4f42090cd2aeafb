package io.penstock.core.session;

import static io.penstock.core.session.Requests.get;
import static org.awaitility.Awaitility.await;

import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Many clients that come at once, while one of two replicas is being connected to. */
class LeastInFlightTest {

  private static final ReadSettings READS =
      new ReadSettings(
          ReadFrom.REPLICA_PREFERRED,
          Balance.LEAST_IN_FLIGHT,
          Zones.NONE,
          ReadSettings.NO_LAG_LIMIT,
          Duration.ofSeconds(1),
          false);

  @Test
  void readsThatWaitForAConnectionCountAsInFlight() {
    try (Rig rig = new RigOptions().replicas(2, READS).start()) {
      send(rig, 0);
      Peer connected = rig.acceptReads(1).expect(get("0"));
      for (int i = 1; i < 9; i++) {
        send(rig, i);
        if (i % 2 == 0) {
          connected.expect(get("" + i));
        } else if (i == 1) {
          rig.acceptUnanswered(2);
        }
      }
    }
  }

  /** Sends a client's first read, and waits until the proxy has chosen a replica for it. */
  private static void send(Rig rig, int number) {
    rig.client().send(get("" + number));
    await()
        .until(() -> rig.onLoop(() -> rig.dispatcher().nodes().readCounts()).replicas() > number);
  }
}
