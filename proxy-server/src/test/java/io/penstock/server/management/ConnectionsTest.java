package io.penstock.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionsTest {

  private static final String ONE = "10.0.0.1";
  private static final String OTHER = "10.0.0.2";

  private final AtomicLong clock = new AtomicLong();
  private final Rejections refusals = new Rejections();
  private final Connections connections = new Connections(refusals, clock::get);
  private final List<SocketChannel> channels = new ArrayList<>();
  private int port;

  @BeforeEach
  void limit() {
    connections.limit(3, Duration.ofSeconds(5));
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }

  /** One is accepted, from the next port of an address. */
  private SocketChannel from(String host) throws IOException {
    try (ServerSocketChannel server =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      channels.add(SocketChannel.open(server.getLocalAddress()));
      SocketChannel accepted = server.accept();
      channels.add(accepted);
      later(Duration.ofMillis(1));
      port++;
      connections.admit(host, port, accepted);
      return accepted;
    }
  }

  private void later(Duration time) {
    clock.addAndGet(time.toNanos());
    connections.endOverdue();
  }

  private static boolean isEnded(SocketChannel channel) {
    return channel.socket().isInputShutdown();
  }

  @Test
  void theOldestOfTheAddressWithTheMostMakesRoom() throws IOException {
    SocketChannel prober = from(OTHER);
    SocketChannel oldest = from(ONE);
    SocketChannel second = from(ONE);
    SocketChannel newest = from(ONE);
    assertThat(List.of(prober, oldest, second, newest))
        .extracting(ConnectionsTest::isEnded)
        .containsExactly(false, true, false, false);
    for (int i = 0; i < 100; i++) {
      from(ONE);
    }
    assertThat(isEnded(prober)).isFalse();
    assertThat(refusals.count(Rejection.CONNECTIONS)).isEqualTo(101);
  }

  @Test
  void whoIsBeingAnsweredStays() throws IOException {
    SocketChannel answered = from(ONE);
    connections.answers(ONE, port, () -> 0);
    SocketChannel waiting = from(ONE);
    from(ONE);
    from(ONE);
    assertThat(isEnded(answered)).isFalse();
    assertThat(isEnded(waiting)).isTrue();
  }

  @Test
  void whatIsClosedTakesNoPlace() throws IOException {
    SocketChannel first = from(ONE);
    from(ONE).close();
    from(ONE).close();
    from(ONE);
    from(ONE);
    assertThat(isEnded(first)).isFalse();
  }

  @Test
  void aRequestHasItsTimeHoweverItComes() throws IOException {
    SocketChannel slow = from(ONE);
    later(Duration.ofSeconds(5));
    assertThat(isEnded(slow)).isFalse();
    later(Duration.ofMillis(1));
    assertThat(isEnded(slow)).isTrue();
    assertThat(slow.socket().isOutputShutdown()).isFalse();
    assertThat(refusals.count(Rejection.TIMEOUT)).isEqualTo(1);
  }

  @Test
  void aReplyHasMoreTimeAsLongAsItIsRead() throws IOException {
    SocketChannel reader = from(ONE);
    AtomicLong written = new AtomicLong();
    connections.answers(ONE, port, written::get);
    later(Duration.ofSeconds(30));
    written.set(2 * 64 * 1024);
    later(Duration.ofSeconds(2));
    assertThat(isEnded(reader)).isFalse();
    later(Duration.ofMillis(1));
    assertThat(reader.socket().isOutputShutdown()).isTrue();
  }

  @Test
  void whoWasAnsweredHasTheTimeOfARequestAgain() throws IOException {
    SocketChannel kept = from(ONE);
    connections.answers(ONE, port, () -> 0);
    later(Duration.ofSeconds(20));
    connections.answered(ONE, port);
    later(Duration.ofSeconds(5));
    assertThat(isEnded(kept)).isFalse();
    later(Duration.ofMillis(1));
    assertThat(isEnded(kept)).isTrue();
  }
}
