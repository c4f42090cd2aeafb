package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a cluster. */
@ExtendWith(SharedCluster.class)
class FacadeIT extends FacadeClients {

  @BeforeAll
  void startProxies(EmbeddedCluster cluster) {
    use(() -> ProxyFixture.of(cluster));
  }

  @Test
  void keysOfASlotAreReadFromItsNode() {
    String slot = Integer.toString(Slot.of(Wire.bytes("{facade:slot}")));
    try (RespClient wire = one().connect()) {
      wire.call("FLUSHALL"); // other tests may have left keys in this slot
      for (int i = 0; i < 3; i++) {
        wire.call("SET", "{facade:slot}" + i, "x");
      }
      assertThat(wire.call("CLUSTER", "COUNTKEYSINSLOT", slot)).isEqualTo(":3\r\n");
      assertThat(wire.call("CLUSTER", "GETKEYSINSLOT", slot, "10"))
          .startsWith("*3\r\n")
          .contains("{facade:slot}0", "{facade:slot}1", "{facade:slot}2");
    }
  }
}
