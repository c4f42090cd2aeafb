package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.wire.HeldClose;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading while a client that was evicted still uses memory. */
class LoopMemoryTest {

  private static final String GET = Wire.request("GET", "b");
  private static final long MEGABYTE = 1 << 20;
  private static final String LARGE = Wire.bulk("x".repeat((int) MEGABYTE));
  private static final int VALUES = 64;
  private static final long LIMIT = 16 * MEGABYTE;
  private static final long IN_SOCKETS = 16 * MEGABYTE; // far more than socket buffers hold

  private final Rig rig = new RigOptions().clientLimits(Limits.memory(LIMIT)).start();
  private final HeldClose held = new HeldClose();
  private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

  /**
   * Two clients request {@link #VALUES} large values each and read none. The first takes time to
   * close.
   */
  @BeforeEach
  void closeAGreedyClient() {
    Peer node = rig.connected(0);
    for (int i = 0; i < 2; i++) {
      rig.clientOfSmallReplies().send(GET.repeat(VALUES));
      node.expect(GET.repeat(VALUES));
      if (i == 0) {
        rig.newestSession().channel().pipeline().addFirst(held);
      }
    }
    sent =
        CompletableFuture.runAsync(() -> {
          for (int i = 0; i < 2 * VALUES; i++) {
            node.send(LARGE);
          }
        });
    await()
        .until(() ->
            rig.<Boolean>onLoop(() -> rig.sessions().counters().closes(CloseReason.MEMORY) == 1));
  }

  @AfterEach
  void close() {
    rig.onLoop(held::letGo);
    rig.close();
  }

  private long read() {
    return rig.bytesReceivedFrom(0);
  }

  private void everythingIsRead() {
    await().until(() -> read() >= 2 * VALUES * MEGABYTE);
    assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void nodesAreReadUntilALimitIsExceededByAQuarter() {
    await().until(() -> read() > VALUES * MEGABYTE);
    await().until(() -> !rig.<Boolean>onLoop(() -> rig.sessions().loop().readGate().isOpen()));
    assertThat(read()).isLessThan(VALUES * MEGABYTE + LIMIT / 4 + IN_SOCKETS);
    assertThat(rig.<Long>onLoop(() -> rig.sessions().counters().closes(CloseReason.MEMORY)))
        .isEqualTo(1);

    rig.onLoop(held::letGo);

    everythingIsRead();
  }

  @Test
  void readingResumesPeriodicallyDuringALongEviction() {
    await()
        .until(() -> {
          rig.tick(Duration.ZERO);
          return read() >= 2 * VALUES * MEGABYTE;
        });

    everythingIsRead();
    assertThat(rig.<Boolean>onLoop(() -> rig.sessions().sessions().isEmpty())).isFalse();
  }
}
