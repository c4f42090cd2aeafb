package io.penstock.testkit.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RelayTest {

  private static final int SHORT_MILLIS = 50;
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @SuppressWarnings("NullAway.Init")
  private ServerSocket server;

  @SuppressWarnings("NullAway.Init")
  private Relay relay;

  @SuppressWarnings("NullAway.Init")
  private Socket near;

  @SuppressWarnings("NullAway.Init")
  private Socket far;

  @BeforeEach
  void connect() throws IOException {
    server = new ServerSocket();
    server.bind(new InetSocketAddress(HERE, 0));
    relay = Relay.to("127.0.0.1", server.getLocalPort());
    near = dial();
    far = server.accept();
    say(near, "hello");
    assertThat(hear(far, 5)).isEqualTo("hello");
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
    relay.close();
    server.close();
  }

  private Socket dial() throws IOException {
    return new Socket(HERE, relay.port());
  }

  private static void say(Socket from, String text) throws IOException {
    from.getOutputStream().write(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
  }

  private static String hear(Socket at, int bytes) throws IOException {
    return new String(
        at.getInputStream().readNBytes(bytes), java.nio.charset.StandardCharsets.US_ASCII);
  }

  private static void hearsNothing(Socket at) throws IOException {
    at.setSoTimeout(SHORT_MILLIS);
    assertThatThrownBy(() -> at.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    at.setSoTimeout(0);
  }

  private static void hearsReset(Socket at) {
    assertThatThrownBy(() -> at.getInputStream().read()).isInstanceOf(SocketException.class);
  }

  @Test
  void passesBothWaysAndAnEndToo() throws IOException {
    say(far, "there you are");
    assertThat(hear(near, 13)).isEqualTo("there you are");
    near.shutdownOutput();
    assertThat(far.getInputStream().read()).isNegative();
    say(far, "bye");
    far.close();
    assertThat(hear(near, 9)).isEqualTo("bye");
    Awaitility.await().until(() -> relay.connections() == 0);
  }

  @Test
  void delaysWhatPasses() throws IOException {
    relay.delay(Duration.ofMillis(100));
    long began = System.nanoTime();
    say(near, "x");
    hear(far, 1);
    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(100_000_000);
  }

  @Test
  void holdsEverythingAndLosesNothing() throws IOException {
    relay.holdBack();
    say(near, "one");
    try (Socket late = dial()) {
      say(late, "late");
      hearsNothing(far);
      server.setSoTimeout(SHORT_MILLIS);
      assertThatThrownBy(() -> server.accept()).isInstanceOf(SocketTimeoutException.class);
      server.setSoTimeout(0);
      relay.release();
      assertThat(hear(far, 3)).isEqualTo("one");
      try (Socket accepted = server.accept()) {
        assertThat(hear(accepted, 4)).isEqualTo("late");
      }
    }
  }

  @Test
  void holdsOneDirection() throws IOException {
    relay.holdBack(Direction.THERE);
    say(near, "one");
    say(far, "two");
    assertThat(hear(near, 3)).isEqualTo("two");
    hearsNothing(far);
    assertThat(relay.isHoldingBack("one")).isTrue();
    relay.release();
    assertThat(hear(far, 3)).isEqualTo("one");
  }

  @Test
  void cutsWithAnEndAndWithAReset() throws IOException {
    relay.cut(End.FIN);
    assertThat(near.getInputStream().read()).isNegative();
    assertThat(far.getInputStream().read()).isNegative();
    try (Socket again = dial();
        Socket accepted = server.accept()) {
      say(again, "x");
      hear(accepted, 1);
      relay.cut(End.RST);
      hearsReset(again);
      hearsReset(accepted);
    }
    assertThat(relay.connections()).isZero();
  }

  @Test
  void cutsAtAnyByteOnce() throws IOException {
    relay.cutAfter(Direction.BACK, 4, End.FIN);
    say(near, "many bytes the other way");
    hear(far, 24);
    say(far, "123");
    assertThat(hear(near, 3)).isEqualTo("123");
    say(far, "456");
    assertThat(hear(near, 10)).isEqualTo("4");
    assertThat(far.getInputStream().read()).isNegative();
    assertThat(relay.cancelCut()).isFalse();
    try (Socket again = dial();
        Socket accepted = server.accept()) {
      say(accepted, "whole again");
      assertThat(hear(again, 11)).isEqualTo("whole again");
    }
  }

  @Test
  void halfCloses() throws IOException {
    relay.halfClose(Direction.BACK);
    assertThat(near.getInputStream().read()).isNegative();
    say(near, "still");
    assertThat(hear(far, 5)).isEqualTo("still");
    say(far, "into the void");
    hearsNothing(far);
  }

  @Test
  void halfOpens() throws IOException {
    relay.halfOpen();
    say(near, "into the void");
    say(far, "into the void");
    hearsNothing(near);
    near.close();
    hearsNothing(far);
    relay.restore();
    hearsReset(far);
  }

  @Test
  void refusesAndAdmitsAgain() throws IOException {
    relay.refuseConnections();
    assertThatThrownBy(this::dial).isInstanceOf(ConnectException.class);
    relay.acceptConnections();
    try (Socket again = dial();
        Socket accepted = server.accept()) {
      say(again, "x");
      assertThat(hear(accepted, 1)).isEqualTo("x");
    }
  }

  @Test
  void letsTheExemptPass() throws IOException {
    try (Relay open = Relay.to("127.0.0.1", server.getLocalPort(), _ -> true)) {
      open.holdBack();
      try (Socket through = new Socket(HERE, open.port());
          Socket accepted = server.accept()) {
        open.cut(End.RST);
        say(through, "x");
        assertThat(hear(accepted, 1)).isEqualTo("x");
        assertThat(open.connections()).isZero();
      }
    }
  }
}
