package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitQueueTest {

  private static final long LATER = 1_000;

  private final List<String> log = new ArrayList<>();
  private int removed;
  private final WaitQueue queue = new WaitQueue(exchange -> removed++, true);

  private void add(String name) {
    queue.add(
        new TestExchange(name, log, LATER)
            .then(() -> {
              throw new OutOfMemoryError("a test's");
            }),
        false);
  }

  @Test
  void allExpireEvenIfACallbackThrows() {
    add("a");
    add("b");

    assertThat(queue.expire(LATER)).isTrue();

    assertThat(log).containsSubsequence("a NOT_SENT", "b NOT_SENT");
  }

  @Test
  void closingFailsAllEvenIfACallbackThrows() {
    add("a");
    add("b");

    queue.close();

    assertThat(log).containsSubsequence("a NOT_SENT", "b NOT_SENT");
    assertThat(queue.size()).isZero();
    assertThat(removed).isEqualTo(2);
  }

  @Test
  void aNodeThatNothingReplacesIsWaitedForUntilTheDeadline() {
    var unreplaceable = new WaitQueue(_ -> {}, false);
    unreplaceable.add(new TestExchange("a", log, LATER).heldUntil(2 * LATER), false);
    queue.add(new TestExchange("b", log, LATER).heldUntil(2 * LATER), false);

    assertThat(unreplaceable.expire(LATER)).isTrue();
    queue.expire(LATER);

    assertThat(log).containsExactly("a NOT_SENT");
    queue.close();
  }
}
