package io.penstock.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyProtocolTest {

  private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
  private static final String V1 = "PROXY TCP4 203.0.113.9 10.0.0.1 4321 6380\r\n";
  private static final String ADDRESS = "addr=203.0.113.9:4321 ";

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final SessionLoop sessions = ListenerTest.sessionLoop(group);
  private final Admission admission = new Admission(100, ProxyEvents.NONE);

  @AfterEach
  void close() {
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private int listen(String from, Duration timeout) {
    var protocol = new ProxyProtocol(List.of(AddressRange.parse(from)), timeout);
    AcceptSettings settings = new AcceptSettings(0, Duration.ZERO).with(protocol);
    return new Listener(group, _ -> sessions, admission, settings)
        .bind(new ListenAddress.Tcp("127.0.0.1", 0))
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join()
        .getFirst()
        .getPort();
  }

  private int listen() {
    return listen("127.0.0.0/8", Duration.ofMinutes(1));
  }

  /** Returns a header of version 2, with the address of {@link #V1}. */
  private static byte[] v2(int command, int family, byte... extensions) {
    ByteBuffer header = ByteBuffer.allocate(28 + extensions.length).put(SIGNATURE);
    header.put((byte) (0x20 | command)).put((byte) family);
    header.putShort((short) (12 + extensions.length));
    header.put(new byte[] {(byte) 203, 0, 113, 9, 10, 0, 0, 1});
    return header.putShort((short) 4321).putShort((short) 6380).put(extensions).array();
  }

  private long closed() {
    return sessions.counters().closes(CloseReason.PROXY_PROTOCOL);
  }

  private static String info(Peer peer) {
    return peer.send("CLIENT INFO\r\n").readBulk();
  }

  @Test
  void theAddressOfAHeaderIsTheClients() {
    int port = listen();
    try (Peer first = Peer.connect(port).send(V1);
        Peer second = Peer.connect(port).send(v2(1, 0x11))) {
      assertThat(info(first)).contains(ADDRESS);
      assertThat(info(second)).contains(ADDRESS);
      first.send("CLIENT LIST\r\n");
      assertThat(first.readBulk().split(ADDRESS, -1)).hasSize(3);
    }
  }

  @Test
  void anIpv6AddressIsTaken() {
    try (Peer peer = Peer.connect(listen()).send("PROXY TCP6 2001:db8::1 fd00::1 4321 6380\r\n")) {
      assertThat(info(peer)).containsPattern("addr=\\[?2001:db8:[0:]*:1\\]?:4321 ");
    }
  }

  @Test
  void requestsMayFollowInTheSamePacket() {
    int port = listen();
    try (Peer peer = Peer.connect(port)) {
      peer.send(V1 + "PING\r\nECHO a\r\n").expect("+PONG\r\n$1\r\na\r\n");
    }
    byte[] header = v2(1, 0x11, new byte[] {4, 0, 2, 0, 0}); // an extension that does nothing
    byte[] both = Arrays.copyOf(header, header.length + 6);
    System.arraycopy(Wire.bytes("PING\r\n"), 0, both, header.length, 6);
    try (Peer peer = Peer.connect(port)) {
      peer.send(both).expect("+PONG\r\n");
    }
  }

  @Test
  void aHeaderMayComeInPieces() {
    int port = listen();
    for (byte[] header : List.of(Wire.bytes(V1), v2(1, 0x11))) {
      for (int cut = 1; cut < header.length; cut++) {
        try (Peer peer = Peer.connect(port)) {
          peer.send(Arrays.copyOf(header, cut))
              .send(Arrays.copyOfRange(header, cut, header.length));
          assertThat(info(peer)).as("cut at %d", cut).contains(ADDRESS);
        }
      }
    }
  }

  @Test
  void aBalancerThatSpeaksForItselfHasItsOwnAddress() {
    int port = listen();
    try (Peer local = Peer.connect(port).send(v2(0, 0x11));
        Peer unspecified = Peer.connect(port).send(v2(1, 0x00));
        Peer unknown = Peer.connect(port).send("PROXY UNKNOWN\r\n")) {
      for (Peer peer : List.of(local, unspecified, unknown)) {
        assertThat(info(peer)).contains("addr=127.0.0.1:");
      }
    }
  }

  /** The decoder passes them on when it leaves the pipeline. */
  @Test
  void requestsAfterARejectedHeaderAreReleased() {
    int port = listen();
    byte[] datagrams = v2(1, 0x12);
    byte[] both = Arrays.copyOf(datagrams, datagrams.length + 6);
    System.arraycopy(Wire.bytes("PING\r\n"), 0, both, datagrams.length, 6);
    for (int i = 0; i < 20; i++) {
      try (Peer peer = Peer.connect(port)) {
        peer.send(both).expectClosed();
      }
    }
    await().untilAsserted(() -> assertThat(closed()).isEqualTo(20));
  }

  @Test
  void anAddressThatIsNotListedIsRefused() {
    int port = listen("192.0.2.0/24", Duration.ofMinutes(1));
    try (Peer peer = Peer.connect(port)) {
      peer.expectClosed();
    }
    await().untilAsserted(() -> assertThat(closed()).isEqualTo(1));
    await().untilAsserted(() -> assertThat(admission.now()).isZero());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n",
        "PROXY TCP4 example.org 10.0.0.1 4321 6380\r\n",
        "PROXY TCP4 203.0.113.9 10.0.0.1 4321\r\n",
        "PROXY TCP4 203.0.113.9 10.0.0.1 4321 6380 \r\n",
        "PROXY TCP4 203.0.113.9 10.0.0.1 99999 6380\r\n",
        "PROXY TCP6 fe80::1%1 fd00::1 4321 6380\r\n",
        "PROXY TCP6 fd00::1 [fd00::2] 4321 6380\r\n",
        "PROXY UDP4 203.0.113.9 10.0.0.1 4321 6380\r\n",
      })
  void anythingElseIsRejected(String bytes) {
    try (Peer peer = Peer.connect(listen()).send(bytes)) {
      peer.expectClosed();
    }
    await().untilAsserted(() -> assertThat(closed()).isEqualTo(1));
  }

  @Test
  void datagramsAndHugeExtensionsAreRejected() {
    int port = listen();
    byte[] huge = new byte[5_000];
    huge[0] = 4;
    ByteBuffer.wrap(huge).putShort(1, (short) (huge.length - 3));
    for (byte[] header : List.of(v2(1, 0x12), v2(1, 0x11, huge), v2(3, 0x11))) {
      try (Peer peer = Peer.connect(port).send(header)) {
        peer.expectClosed();
      }
    }
    await().untilAsserted(() -> assertThat(closed()).isEqualTo(3));
  }

  @Test
  void whoSendsNoHeaderInTimeIsClosed() {
    int port = listen("127.0.0.1", Duration.ofSeconds(2));
    try (Peer silent = Peer.connect(port);
        Peer slow = Peer.connect(port).send("PROXY TCP4 ");
        Peer good = Peer.connect(port).send(V1)) {
      silent.expectClosed();
      slow.expectClosed();
      assertThat(info(good)).contains(ADDRESS);
    }
    assertThat(closed()).isEqualTo(2);
  }

  @Test
  void whoOnlyConnectsIsNotCounted() {
    int port = listen();
    try (Peer check = Peer.connect(port)) {
      check.finishSending().expectClosed();
    }
    Peer.connect(port).close();
    await().untilAsserted(() -> assertThat(admission.total()).isEqualTo(2));
    await().untilAsserted(() -> assertThat(admission.now()).isZero());
    assertThat(closed()).isZero();
  }

  @Test
  void changedBytesAreAHeaderOrAreRejected() {
    int port = listen();
    long seed = new Random().nextLong();
    var random = new Random(seed);
    int served = 0;
    for (int i = 0; i < 300; i++) {
      byte[] header = i % 2 == 0 ? Wire.bytes(V1) : v2(1, 0x11);
      for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
        header[random.nextInt(header.length)] = (byte) random.nextInt(256);
      }
      try (Peer peer = Peer.connect(port).send(header).finishSending()) {
        String rest = peer.read(1); // a request that is not whole, or an error for one
        assertThat(rest).as("seed %d, header %d", seed, i).isIn("<end>", "<Connection reset>", "-");
        served += rest.equals("-") ? 1 : 0;
      }
    }
    assertThat(served).isLessThan(300);
    try (Peer good = Peer.connect(port).send(V1)) {
      assertThat(info(good)).contains(ADDRESS);
    }
    await().untilAsserted(() -> assertThat(admission.now()).isZero());
  }
}
