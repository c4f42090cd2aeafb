package io.penstock.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.core.answer.Passwords;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.Router;
import io.penstock.core.script.Scripts;
import io.penstock.core.session.ServedUpstream;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.testkit.network.Peer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ListenerTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final List<String> TWO = List.of("127.0.0.1", "127.0.0.2");

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final AtomicInteger refusals = new AtomicInteger();
  private final Admission admission =
      new Admission(
          2,
          new ProxyEvents() {
            @Override
            public void clientRejected() {
              refusals.incrementAndGet();
            }
          });
  private final SessionLoop sessions = sessionLoop(group);
  private final Listener listener =
      new Listener(group, _ -> sessions, admission, AcceptSettings.DEFAULTS);

  /** Returns the clients of a group's only loop. Their commands have no node. */
  static SessionLoop sessionLoop(LoopGroup group) {
    Loop loop = group.loops().getFirst();
    var topology = new StaticTopology(new Endpoint("127.0.0.1", 1));
    var backend =
        new BackendSettings(
            TIMEOUT,
            TIMEOUT,
            1,
            1,
            1,
            65_536,
            QueueLimits.DEFAULTS,
            ReadSettings.MASTER_ONLY,
            Label.ONLY);
    var settings =
        new SessionSettings(
            Passwords.NONE,
            CertificateUsers.NONE,
            null,
            RespLimits.ofMaxBulkLength(1_000),
            ClientLimits.DEFAULTS,
            CrossSlotSettings.REJECT,
            ProxyView.UNKNOWN);
    return new SessionLoop(
        loop,
        settings,
        ServerFacts.initial(CommandTable.load()),
        new SessionLoop.Routing(
            new Router(SinglePartitioner.INSTANCE),
            new AsyncDispatcher(group, loop, backend, topology, ProxyEvents.NONE),
            new Hub(group, loop, backend, topology, ProxyEvents.NONE, new SubscriberCounts()),
            topology,
            new ServedUpstream(
                Label.ONLY,
                new Nodes.Timeouts(TIMEOUT.toNanos(), TIMEOUT.toNanos(), Long.MAX_VALUE),
                0,
                new Scripts())),
        new ClientDirectory());
  }

  @AfterEach
  void close() {
    listener.close();
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static <T> T result(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  private int bind() {
    return result(listener.bind(new ListenAddress.Tcp("127.0.0.1", 0))).getFirst().getPort();
  }

  /** A change of the settings opens sockets before it is committed. */
  @Test
  void clientsOfANewSocketAreServedByTheSettingsWithWhichItIsTaken() {
    var address = new ListenAddress.Tcp("127.0.0.1", 0);
    List<ListeningSocket> opened = result(listener.open(address, Listener.BoundSockets.NONE));
    try (Peer early = Peer.connect(Objects.requireNonNull(opened.getFirst().bound()).getPort())) {
      early.send("PING\r\n");
      for (int i = 0; i < 3; i++) { // so that the loop looks at the socket
        result(CompletableFuture.runAsync(() -> {}, group.loops().getFirst().executor()));
      }
      assertThat(admission.total()).isZero();

      var nobody = new ProxyProtocol(List.of(AddressRange.parse("10.0.0.0/8")), TIMEOUT);
      listener.adopt(AcceptSettings.DEFAULTS.with(nobody));
      listener.take(opened);

      early.expectClosed();
      assertThat(admission.total()).isEqualTo(1);
    }
  }

  private static Peer connect(int port) {
    return Peer.connect(port).send("PING\r\n").expect("+PONG\r\n");
  }

  @Test
  void aListenerIsOpenFromBindToClose() {
    assertThat(listener.isOpen()).isFalse();
    bind();
    assertThat(listener.isOpen()).isTrue();

    listener.close();

    await().until(() -> !listener.isOpen());
  }

  @Test
  void anAddressInUseCannotBeBound() {
    int port = bind();
    var second = new Listener(group, _ -> sessions, admission, AcceptSettings.DEFAULTS);

    assertThatThrownBy(() -> result(second.bind(new ListenAddress.Tcp("127.0.0.1", port))))
        .hasCauseInstanceOf(CannotBindException.class)
        .hasRootCauseInstanceOf(BindException.class);
    assertThat(second.isOpen()).isFalse();
  }

  @Test
  void allAddressesGetTheFreePortOfTheFirst() {
    List<InetSocketAddress> bound = result(listener.bind(new ListenAddress.Tcp(TWO, 0)));

    int port = bound.getFirst().getPort();
    assertThat(port).isPositive();
    assertThat(bound)
        .containsExactly(
            new InetSocketAddress(TWO.getFirst(), port),
            new InetSocketAddress(TWO.getLast(), port));
    try (Peer first = Peer.connect(TWO.getFirst(), port);
        Peer second = Peer.connect(TWO.getLast(), port)) {
      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
      assertThat(admission.now()).isEqualTo(2);
    }
    assertThat(listener.isOpen()).isTrue();
    result(listener.close());
    assertThat(listener.isOpen()).isFalse();
    TWO.forEach(host -> awaitFree(host, port));
  }

  @Test
  void ifOneAddressIsInUseNoneStaysBound() throws IOException {
    try (ServerSocket taken = socket(TWO.getLast(), 0)) {
      assertThatThrownBy(
              () -> result(listener.bind(new ListenAddress.Tcp(TWO, taken.getLocalPort()))))
          .cause()
          .isInstanceOfSatisfying(
              CannotBindException.class,
              failure ->
                  assertThat(failure.address())
                      .isEqualTo(new ListenAddress.Tcp(TWO.getLast(), taken.getLocalPort())))
          .hasMessageContaining("127.0.0.2:" + taken.getLocalPort());

      assertThat(listener.isOpen()).isFalse();
      awaitFree(TWO.getFirst(), taken.getLocalPort());
    }
  }

  /** With NIO, a closed socket stays bound until its loop selects again. */
  private static void awaitFree(String host, int port) {
    await()
        .ignoreExceptionsInstanceOf(BindException.class)
        .until(() -> {
          socket(host, port).close();
          return true;
        });
  }

  private static ServerSocket socket(String host, int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getByName(host));
  }

  @Test
  void clientsAboveTheLimitAreRejectedAsInRedis() {
    int port = bind();
    try (Peer first = connect(port);
        Peer second = connect(port);
        Peer third = Peer.connect(port)) {
      third.expect("-ERR max number of clients reached\r\n").expectClosed();

      assertThat(admission.now()).isEqualTo(2);
      assertThat(admission.total()).isEqualTo(2);
      assertThat(admission.rejected()).isEqualTo(1);
      assertThat(refusals).hasValue(1);
      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  @Test
  void rejectedClientsGetTheErrorEvenIfTheySentBytes() {
    int port = bind();
    try (Peer first = connect(port);
        Peer second = connect(port)) {
      for (int i = 1; i <= 50; i++) {
        int rejected = i;
        try (Peer third = Peer.connect(port)) {
          third.send("PING\r\n".repeat(1_000));
          await().until(() -> admission.rejected() == rejected);
          third.send("PING\r\n").send("PING\r\n"); // as on an established connection

          assertThat(third.read(100)).isEqualTo("-ERR max number of clients reached\r\n<end>");
        }
      }
      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  @Test
  void manyRejectedClientsAreClosedWithoutWaiting() {
    int port = bind();
    try (Peer first = connect(port);
        Peer second = connect(port)) {
      List<Peer> flood =
          IntStream.range(0, 4 * RejectedClient.MOST).mapToObj(_ -> Peer.connect(port)).toList();

      for (Peer each : flood) {
        each.expect("-ERR max number of clients reached\r\n").expectClosed();
      }

      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
      flood.forEach(Peer::close);
    }
  }

  @Test
  void clientsAboveTheConnectionRateWait() {
    var hurried = new Admission(100, ProxyEvents.NONE);
    var slow =
        new Listener(group, _ -> sessions, hurried, new AcceptSettings(100, Duration.ofMinutes(1)));
    int port = result(slow.bind(new ListenAddress.Tcp("127.0.0.1", 0))).getFirst().getPort();
    List<Peer> clients = IntStream.range(0, 60).mapToObj(_ -> Peer.connect(port)).toList();

    clients.forEach(
        client -> client.send("PING\r\n").expect("+PONG\r\n")); // every client is served

    assertThat(hurried.delayed()).isPositive();
    assertThat(hurried.rejected()).isZero();
    clients.forEach(Peer::close);
    slow.close();
  }

  @Test
  void theSystemAcceptsTheLongestAllowedKeepAlive() {
    var patient =
        new Listener(group, _ -> sessions, admission, new AcceptSettings(0, Duration.ofHours(9)));
    int port = result(patient.bind(new ListenAddress.Tcp("127.0.0.1", 0))).getFirst().getPort();

    connect(port).close();

    patient.close();
  }

  @Test
  void aClosedClientMakesRoomForAnother() {
    int port = bind();
    connect(port).close();
    connect(port).close();
    await().until(() -> admission.now() == 0);

    connect(port).close();

    assertThat(admission.total()).isEqualTo(3);
    assertThat(admission.rejected()).isZero();
  }

  @Test
  void closingTheListenerKeepsItsClients() {
    int port = bind();
    try (Peer client = connect(port)) {
      listener.close();
      await().until(() -> !listener.isOpen());

      client.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  @Test
  void whenEmptyCompletesWithTheLastClient() {
    int port = bind();
    Peer client = connect(port);
    CompletionStage<Void> empty = admission.whenEmpty();
    assertThat(empty.toCompletableFuture()).isNotDone();

    client.close();

    result(empty);
    result(admission.whenEmpty());
  }
}
