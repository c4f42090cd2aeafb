package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitQueueTest {

  private static final long LATER = 1_000;

  private final List<String> log = new ArrayList<>();
  private int left;
  private final WaitQueue line = new WaitQueue(exchange -> left++);

  private void add(String name) {
    line.add(
        new TestExchange(name, log, LATER)
            .then(() -> {
              throw new OutOfMemoryError("a test's");
            }),
        false);
  }

  @Test
  void whatGoesWrongInOneCallbackKeepsNobodyFromItsDeadline() {
    add("a");
    add("b");

    assertThat(line.expire(LATER)).isTrue();

    assertThat(log).containsSubsequence("a NOT_SENT", "b NOT_SENT");
  }

  @Test
  void whatGoesWrongInOneCallbackKeepsNobodyFromHearing() {
    add("a");
    add("b");

    line.close();

    assertThat(log).containsSubsequence("a NOT_SENT", "b NOT_SENT");
    assertThat(line.size()).isZero();
    assertThat(left).isEqualTo(2);
  }
}
