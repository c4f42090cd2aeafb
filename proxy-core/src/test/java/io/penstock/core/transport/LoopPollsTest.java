package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopPollsTest {

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final LoopGroup group = new LoopGroup(Transport.NIO, 3);
  private final Loop own = group.loops().get(0);
  private final Loop other = group.loops().get(1);
  private final Loop third = group.loops().get(2);
  private final LoopPolls polls = new LoopPolls(own);

  @AfterEach
  void close() {
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Test
  void aLoopDoesNotWaitForItself() {
    polls.whenPolled(Set.of(), () -> told.add("none"));
    polls.whenPolled(Set.of(own), () -> told.add("own"));

    assertThat(told).containsExactly("none", "own");
  }

  @Test
  void whatAnotherLoopHasToDoIsDoneBefore() {
    var begun = new CountDownLatch(1);
    other
        .executor()
        .execute(() -> {
          await().until(() -> begun.getCount() == 0);
          other.executor().execute(() -> told.add("done"));
        });
    own.executor()
        .execute(() -> {
          polls.whenPolled(Set.of(other, third), () -> told.add("first"));
          polls.whenPolled(Set.of(own, other), () -> told.add("second"));
          polls.whenPolled(Set.of(own), () -> told.add("at once"));
          begun.countDown();
        });

    await().until(() -> told.size() == 4);
    assertThat(told.subList(0, 2)).containsExactly("at once", "done");
    assertThat(told.subList(2, 4)).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  void actionsMayWaitAgain() {
    own.executor()
        .execute(() ->
            polls.whenPolled(
                Set.of(other),
                () -> polls.whenPolled(Set.of(other, third), () -> told.add("again"))));

    await().until(() -> told.contains("again"));
  }

  @Test
  void aLoopThatIsShutDownIsNotWaitedFor() {
    Loop ended = new LoopGroup(Transport.NIO, 1).loops().getFirst();
    ended.executor().shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();

    own.executor()
        .execute(() -> polls.whenPolled(Set.of(ended, third), () -> told.add("not waited")));

    await().until(() -> told.contains("not waited"));
  }
}
