package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a cluster, with commands over several slots; scripts over several slots fail. */
@Tag("thorough")
@ExtendWith(SharedCluster.class)
class FrameworksIT extends Frameworks {

  private final EmbeddedCluster cluster;

  FrameworksIT(EmbeddedCluster cluster) {
    super(Set.of("rq empty", "rq unique", "bullmq no-hash-tag"));
    this.cluster = cluster;
  }

  @BeforeAll
  void start() {
    notifyOf("Egx"); // as Spring Session's indexed sessions need
    use(
        ProxyFixture.of(cluster)
            .emulatesCrossSlot()
            .commandTimeout(Duration.ofSeconds(10))
            .startReady());
  }

  @BeforeEach
  void clean() {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @AfterAll
  void restore() {
    notifyOf("");
  }

  private void notifyOf(String events) {
    cluster
        .members()
        .forEach(member -> member.text("CONFIG", "SET", "notify-keyspace-events", events));
  }
}
