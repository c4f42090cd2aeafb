package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.wire.HeldClose;
import io.penstock.core.wire.Peer;
import io.penstock.core.wire.Wire;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From a client's being closed for what it keeps until that is there again. */
class LoopMemoryTest {

  private static final String GET = Wire.request("GET", "b");
  private static final long MEGABYTE = 1 << 20;
  private static final String LARGE = Wire.bulk("x".repeat((int) MEGABYTE));
  private static final int VALUES = 64;
  private static final long LIMIT = 16 * MEGABYTE;
  private static final long IN_SOCKETS = 16 * MEGABYTE; // far more than a system buffers

  private final Rig rig = new Rig.Choice().clientLimits(Limits.memory(LIMIT)).start();
  private final HeldClose held = new HeldClose();
  private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

  /** One client that asks for {@link #VALUES} large values, reads none, and takes time to close. */
  @BeforeEach
  void closeAGreedyClient() {
    Peer node = rig.connected(0);
    rig.client().send(GET.repeat(VALUES));
    node.expect(GET.repeat(VALUES));
    rig.newestSession().channel().pipeline().addFirst(held);
    sent =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < VALUES; i++) {
                node.send(LARGE);
              }
            });
    await()
        .until(
            () ->
                rig.<Boolean>onLoop(
                    () -> rig.sessions().counters().closedFor(CloseReason.MEMORY) == 1));
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
    await().until(() -> read() >= VALUES * MEGABYTE);
    assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void nodesAreNotReadUntilWhatItKeptIsThereAgain() {
    long before = read();
    await()
        .during(Duration.ofMillis(200))
        .until(() -> read() - before < MEGABYTE && before < LIMIT + IN_SOCKETS);

    rig.onLoop(held::letGo);

    everythingIsRead();
  }

  @Test
  void howeverLongThatTakesTheyAreReadNowAndThen() {
    rig.tick(Duration.ZERO);

    everythingIsRead();
    assertThat(rig.<Boolean>onLoop(() -> rig.sessions().sessions().isEmpty())).isFalse();
  }
}
