package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ActiveClientsTest {

  private static final long SPAN = TimeUnit.MILLISECONDS.toNanos(ActiveClients.SPAN_MILLIS);
  private static final long BEGIN = Long.MAX_VALUE - SPAN; // System.nanoTime() may wrap around

  private final ActiveClients crowd = new ActiveClients(BEGIN);

  @Test
  void isLargeWhenManyClientsSendAtTheSameTime() {
    come(ActiveClients.LARGE - 1, BEGIN + 1);
    assertThat(crowd.areMany()).isFalse();
    come(1, BEGIN + 1);
    assertThat(crowd.areMany()).isTrue();
  }

  @Test
  void countsAClientOnce() {
    crowd.onRequest(BEGIN - 1, BEGIN + 1);
    for (int i = 1; i < 2 * ActiveClients.LARGE; i++) {
      crowd.onRequest(BEGIN + i, BEGIN + i + 1);
    }
    assertThat(crowd.areMany()).isFalse();
  }

  @Test
  void remembersTheLastSpanAndNoOlderOne() {
    come(ActiveClients.LARGE, BEGIN + 1);
    come(1, BEGIN + SPAN);
    assertThat(crowd.areMany()).isTrue();
    come(1, BEGIN + 2 * SPAN);
    assertThat(crowd.areMany()).isFalse();
  }

  @Test
  void forgetsWhenNobodyHasSentForLong() {
    come(ActiveClients.LARGE, BEGIN + 1);
    come(1, BEGIN + 2 * SPAN);
    assertThat(crowd.areMany()).isFalse();
  }

  private void come(int clients, long now) {
    for (int i = 0; i < clients; i++) {
      crowd.onRequest(now - SPAN, now);
    }
  }
}
