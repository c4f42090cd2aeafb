package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ActiveClientsTest {

  private static final long SPAN = TimeUnit.MILLISECONDS.toNanos(ActiveClients.SPAN_MILLIS);
  private static final long BEGIN = Long.MAX_VALUE - SPAN; // System.nanoTime() may wrap around

  private final ActiveClients clients = new ActiveClients(BEGIN);

  @Test
  void areManyWhenManyClientsSendAtTheSameTime() {
    send(ActiveClients.MANY - 1, BEGIN + 1);
    assertThat(clients.areMany()).isFalse();
    send(1, BEGIN + 1);
    assertThat(clients.areMany()).isTrue();
  }

  @Test
  void countsAClientOnce() {
    clients.onRequest(BEGIN - 1, BEGIN + 1);
    for (int i = 1; i < 2 * ActiveClients.MANY; i++) {
      clients.onRequest(BEGIN + i, BEGIN + i + 1);
    }
    assertThat(clients.areMany()).isFalse();
  }

  @Test
  void remembersOnlyThePreviousSpan() {
    send(ActiveClients.MANY, BEGIN + 1);
    send(1, BEGIN + SPAN);
    assertThat(clients.areMany()).isTrue();
    send(1, BEGIN + 2 * SPAN);
    assertThat(clients.areMany()).isFalse();
  }

  @Test
  void resetsAfterALongPause() {
    send(ActiveClients.MANY, BEGIN + 1);
    send(1, BEGIN + 2 * SPAN);
    assertThat(clients.areMany()).isFalse();
  }

  private void send(int count, long now) {
    for (int i = 0; i < count; i++) {
      clients.onRequest(now - SPAN, now);
    }
  }
}
