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
  private final Rejections rejections = new Rejections();
  private final Connections connections = new Connections(rejections, clock::get);
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

  /** Admits a connection from the next port of an address. */
  private SocketChannel connect(String host) throws IOException {
    try (ServerSocketChannel server =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      channels.add(SocketChannel.open(server.getLocalAddress()));
      SocketChannel accepted = server.accept();
      channels.add(accepted);
      pass(Duration.ofMillis(1));
      port++;
      connections.admit(host, port, accepted);
      return accepted;
    }
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
    connections.endOverdue();
  }

  private static boolean isEnded(SocketChannel channel) {
    return channel.socket().isInputShutdown();
  }

  @Test
  void theOldestOfTheAddressWithMostConnectionsIsEnded() throws IOException {
    SocketChannel probe = connect(OTHER);
    SocketChannel oldest = connect(ONE);
    SocketChannel second = connect(ONE);
    SocketChannel newest = connect(ONE);
    assertThat(List.of(probe, oldest, second, newest))
        .extracting(ConnectionsTest::isEnded)
        .containsExactly(false, true, false, false);
    for (int i = 0; i < 100; i++) {
      connect(ONE);
    }
    assertThat(isEnded(probe)).isFalse();
    assertThat(rejections.count(Rejection.CONNECTIONS)).isEqualTo(101);
  }

  @Test
  void aConnectionBeingAnsweredIsKept() throws IOException {
    SocketChannel answered = connect(ONE);
    connections.replyBegan(ONE, port, () -> 0);
    SocketChannel waiting = connect(ONE);
    connect(ONE);
    connect(ONE);
    assertThat(isEnded(answered)).isFalse();
    assertThat(isEnded(waiting)).isTrue();
  }

  @Test
  void closedConnectionsDoNotCount() throws IOException {
    SocketChannel first = connect(ONE);
    connect(ONE).close();
    connect(ONE).close();
    connect(ONE);
    connect(ONE);
    assertThat(isEnded(first)).isFalse();
  }

  @Test
  void aRequestMustArriveWithinItsTimeout() throws IOException {
    SocketChannel slow = connect(ONE);
    pass(Duration.ofSeconds(5));
    assertThat(isEnded(slow)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(isEnded(slow)).isTrue();
    assertThat(slow.socket().isOutputShutdown()).isFalse();
    assertThat(rejections.count(Rejection.TIMEOUT)).isEqualTo(1);
  }

  @Test
  void aReplyGetsMoreTimeWhileItIsBeingRead() throws IOException {
    SocketChannel reader = connect(ONE);
    AtomicLong written = new AtomicLong();
    connections.replyBegan(ONE, port, written::get);
    pass(Duration.ofSeconds(30));
    written.set(2 * 64 * 1024);
    pass(Duration.ofSeconds(2));
    assertThat(isEnded(reader)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(reader.socket().isOutputShutdown()).isTrue();
  }

  @Test
  void afterAReplyTheRequestTimeoutStartsAgain() throws IOException {
    SocketChannel kept = connect(ONE);
    connections.replyBegan(ONE, port, () -> 0);
    pass(Duration.ofSeconds(20));
    connections.replyEnded(ONE, port);
    pass(Duration.ofSeconds(5));
    assertThat(isEnded(kept)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(isEnded(kept)).isTrue();
  }
}
