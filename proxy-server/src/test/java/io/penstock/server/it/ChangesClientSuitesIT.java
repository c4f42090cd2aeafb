package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** All client libraries, in front of a cluster, while the settings change all the time. */
@ExtendWith(SharedCluster.class)
class ChangesClientSuitesIT extends ClientSuites {

  private final EmbeddedCluster cluster;
  private @Nullable BackgroundChanges changes;

  ChangesClientSuitesIT(EmbeddedCluster cluster) {
    super(_ -> true);
    this.cluster = cluster;
  }

  @BeforeAll
  void start() {
    ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
    use(proxy);
    changes = BackgroundChanges.of(proxy.proxy());
  }

  @BeforeEach
  void clean() {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @AfterAll
  void stopChanges() {
    if (changes != null) {
      changes.close();
      assertThat(changes.applied()).isGreaterThan(20);
      assertThat(changes.rejected()).isPositive();
    }
  }
}
