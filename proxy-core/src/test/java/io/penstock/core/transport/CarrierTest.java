package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CarrierTest {

  private final LoopGroup group = new LoopGroup(Transport.AUTO, 1);
  private final Loop loop = group.loops().getFirst();

  @AfterEach
  void shutdown() throws Exception {
    group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  /** The build has the same {@code --add-opens} as the executable jar. */
  @Test
  void theLoopCarriesTheThread() throws Exception {
    assertThat(Carrier.isSupported()).isTrue();
    var seen = new CompletableFuture<String>();

    Thread thread =
        loop.startVirtual("client-1", () -> seen.complete(Thread.currentThread().toString()));

    assertThat(thread.isVirtual()).isTrue();
    assertThat(thread.getName()).isEqualTo("client-1");
    assertThat(seen.get(10, TimeUnit.SECONDS)).contains("@penstock-loop");
  }

  @Test
  void theLoopRunsWhileTheThreadWaits() throws Exception {
    var latch = new CountDownLatch(1);
    var ended = new CompletableFuture<Boolean>();
    loop.startVirtual(
        "client-1",
        () -> {
          try {
            ended.complete(latch.await(10, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            ended.completeExceptionally(e);
          }
        });

    loop.executor().submit(() -> {}).get(10, TimeUnit.SECONDS);
    assertThat(ended).isNotDone();
    loop.executor().execute(latch::countDown);

    assertThat(ended.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTaskOfTheThreadRunsOnTheLoop() throws Exception {
    var onLoop = new CompletableFuture<Boolean>();
    loop.startVirtual(
        "client-1",
        () -> loop.executeFromVirtual(() -> onLoop.complete(loop.executor().inEventLoop())));

    assertThat(onLoop.get(10, TimeUnit.SECONDS)).isTrue();
  }
}
