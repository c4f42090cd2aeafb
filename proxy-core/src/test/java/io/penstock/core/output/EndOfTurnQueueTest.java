package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndOfTurnQueueTest {

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<Integer> taken = new ArrayList<>();
  private final EndOfTurnQueue<Integer> queue =
      new EndOfTurnQueue<>(channel.eventLoop(), this::take);

  @AfterEach
  void close() {
    channel.close();
  }

  private void take(int number) {
    taken.add(number);
    if (number == 7) {
      queue.add(8);
    }
    if (number == 13) {
      throw new IllegalStateException("13");
    }
    if (number == 20) {
      queue.clear();
      queue.add(21);
    }
  }

  @Test
  void processesAllAtTheEndOfTheTurn() {
    for (int i = 100; i < 300; i++) {
      queue.add(i);
    }
    assertThat(taken).isEmpty();
    channel.runPendingTasks();
    assertThat(taken).hasSize(200).isSorted();
    channel.runPendingTasks();
    assertThat(taken).hasSize(200);
  }

  @Test
  void processesAddedElementsInTheSameTurn() {
    queue.add(7);
    queue.run();
    assertThat(taken).containsExactly(7, 8);
  }

  @Test
  void processesThoseAfterAFailedOneInTheNextTurn() {
    queue.add(1);
    queue.add(13);
    queue.add(2);
    queue.add(3);
    assertThatThrownBy(queue::run).hasMessage("13");
    assertThat(taken).containsExactly(1, 13);
    channel.runPendingTasks();
    assertThat(taken).containsExactly(1, 13, 2, 3);
  }

  @Test
  void doesNotProcessClearedElements() {
    queue.add(1);
    queue.clear();
    channel.runPendingTasks();
    assertThat(taken).isEmpty();
    queue.add(20);
    queue.add(2);
    channel.runPendingTasks();
    assertThat(taken).containsExactly(20, 21);
  }
}
