package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopGroupTest {

  @Test
  void autoIsATransportThatWorksHere() {
    Transport best = Transport.AUTO.resolve();

    assertThat(best).isNotEqualTo(Transport.AUTO);
    assertThat(best.unavailability()).isNull();
  }

  @Test
  void whatIsAskedForIsNotReplaced() {
    assertThat(Transport.KQUEUE.resolve()).isEqualTo(Transport.KQUEUE);
    assertThat(Transport.IO_URING.resolve()).isEqualTo(Transport.IO_URING);
  }

  @Test
  void transportsAreNamedAsInTheConfiguration() {
    assertThat(Transport.values())
        .extracting(Transport::configName)
        .containsExactly("auto", "io_uring", "epoll", "kqueue", "nio");
  }

  @Test
  void aTransportThatDoesNotWorkHereIsRefusedByName() {
    Transport missing =
        Transport.KQUEUE.unavailability() != null ? Transport.KQUEUE : Transport.EPOLL;

    assertThatThrownBy(() -> new LoopGroup(missing, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "transport " + missing.configName() + " does not work on this machine: ");
  }

  @Test
  void loopsAreNumberedAndEachHasAThreadOfItsOwn() throws Exception {
    var group = new LoopGroup(Transport.NIO, 2);
    try {
      assertThat(group.loops()).extracting(Loop::index).containsExactly(0, 1);
      Thread first = group.loops().get(0).executor().submit(Thread::currentThread).get();
      Thread second = group.loops().get(1).executor().submit(Thread::currentThread).get();

      assertThat(first).isNotSameAs(second);
      assertThat(first.getName()).startsWith("penstock-loop");
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void theClockStandsStillBetweenTicks() throws Exception {
    var group = new LoopGroup(Transport.NIO, 1);
    try {
      Loop loop = group.loops().getFirst();
      long before = loop.now();
      long ticked = loop.executor().submit(loop::tick).get();

      assertThat(ticked).isGreaterThanOrEqualTo(before);
      assertThat(loop.executor().submit(loop::now).get()).isEqualTo(ticked);
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }
}
