package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ReceivedMessagesTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final FaultTimeline timeline = new FaultTimeline();
  private final ReceivedMessages received =
      new ReceivedMessages(timeline, new EventCounts(), number -> number == 99, false);

  @Test
  void takesNumbersInOrder() {
    receive(System.nanoTime(), 1, 2, 3);
  }

  @Test
  void rejectsARepeatAndAGapWithoutAFault() {
    long now = System.nanoTime();
    receive(now, 1, 2, 3);

    rejects(3, now, "received 3 again after 3");
    rejects(1, now, "received 1 again after 3");
    rejects(5, now, "received 5 after 3");
  }

  @Test
  void allowsRepeatsAndGapsDuringAFault() {
    receive(System.nanoTime(), 1, 2, 3);
    try (var _ = timeline.begin("a fault", Set.of())) {
      long now = System.nanoTime();
      receive(now, 2, 3, 3, 7);
    }
  }

  @Test
  void allowsARepeatOnceWhenPenstockGoesBack() {
    long over = fault();
    receive(over + 100 * MILLI, 4, 5);

    receive(over + 200 * MILLI, 4);

    rejects(4, over + 300 * MILLI, "received 4 again after 5");
    receive(over + 300 * MILLI, 5, 6);
  }

  @Test
  void rejectsARepeatLongAfterAFault() {
    long over = fault();
    receive(over + 2_900 * MILLI, 4, 5);

    rejects(5, over + 3 * SECOND, "received 5 again after 5");
  }

  @Test
  void rejectsARepeatOfAnOldMessageAfterAFault() {
    receive(System.nanoTime() - 10 * SECOND, 1, 2);
    long over = fault();
    receive(over + 100 * MILLI, 3);

    rejects(2, over + 200 * MILLI, "received 2 again after 3");
  }

  @Test
  void rejectsALateMessageAfterAFault() {
    receive(System.nanoTime(), 1);
    try (var _ = timeline.begin("a fault", Set.of())) {
      receive(System.nanoTime(), 3);
    }

    rejects(2, System.nanoTime() + MILLI, "received 2 after 3");
  }

  @Test
  void allowsALateMessageWhoseOutcomeIsUnknown() {
    try (var _ = timeline.begin("a fault", Set.of())) {
      receive(System.nanoTime(), 98, 100);
    }

    receive(System.nanoTime() + MILLI, 99);
  }

  private long fault() {
    timeline.begin("a fault", Set.of()).close();
    return System.nanoTime();
  }

  private void receive(long now, long... numbers) {
    for (long number : numbers) {
      assertThatCode(() -> received.add(number, now)).doesNotThrowAnyException();
    }
  }

  private void rejects(long number, long now, String message) {
    assertThatThrownBy(() -> received.add(number, now)).hasMessageContaining(message);
  }
}
