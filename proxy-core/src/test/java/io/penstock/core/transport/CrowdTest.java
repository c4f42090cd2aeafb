package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CrowdTest {

  private static final long SPAN = TimeUnit.MILLISECONDS.toNanos(Crowd.SPAN_MILLIS);
  private static final long BEGIN = Long.MAX_VALUE - SPAN; // System.nanoTime() may wrap around

  private final Crowd crowd = new Crowd(BEGIN);

  @Test
  void isLargeWhenManyClientsSendAtTheSameTime() {
    come(Crowd.LARGE - 1, BEGIN + 1);
    assertThat(crowd.isLarge()).isFalse();
    come(1, BEGIN + 1);
    assertThat(crowd.isLarge()).isTrue();
  }

  @Test
  void countsAClientOnce() {
    crowd.heard(BEGIN - 1, BEGIN + 1);
    for (int i = 1; i < 2 * Crowd.LARGE; i++) {
      crowd.heard(BEGIN + i, BEGIN + i + 1);
    }
    assertThat(crowd.isLarge()).isFalse();
  }

  @Test
  void remembersTheLastSpanAndNoOlderOne() {
    come(Crowd.LARGE, BEGIN + 1);
    come(1, BEGIN + SPAN);
    assertThat(crowd.isLarge()).isTrue();
    come(1, BEGIN + 2 * SPAN);
    assertThat(crowd.isLarge()).isFalse();
  }

  @Test
  void forgetsWhenNobodyHasSentForLong() {
    come(Crowd.LARGE, BEGIN + 1);
    come(1, BEGIN + 2 * SPAN);
    assertThat(crowd.isLarge()).isFalse();
  }

  private void come(int clients, long now) {
    for (int i = 0; i < clients; i++) {
      crowd.heard(now - SPAN, now);
    }
  }
}
