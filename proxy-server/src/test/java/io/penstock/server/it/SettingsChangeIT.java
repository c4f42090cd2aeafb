package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.change.ChangePlan.Action;
import io.penstock.core.change.ChangeRejectedException;
import io.penstock.core.command.CommandRules;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.CannotBindException;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Settings that change while clients use the proxy, in front of two single servers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SettingsChangeIT {

  private static final Duration PATIENCE = ChangingProxy.PATIENCE;
  private static final int MOST_CONNECTIONS = 10_000;

  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.start();
  private ChangingProxy proxy = new ChangingProxy();
  private ChangingProxy.UpstreamSpec first = proxy.upstream("first", one);
  private ChangingProxy.UpstreamSpec second = proxy.upstream("second", two);
  private ChangingProxy.ListenerSpec main = proxy.listener("main", "first");
  private ChangingProxy.ListenerSpec other = proxy.listener("other", "second");

  @BeforeAll
  void name() {
    one.text("SET", "server", "one");
    two.text("SET", "server", "two");
  }

  @AfterAll
  void stop() {
    one.close();
    two.close();
  }

  @BeforeEach
  void start() {
    proxy = new ChangingProxy();
    first = proxy.upstream("first", one);
    second = proxy.upstream("second", two);
    main = proxy.listener("main", "first");
    other = proxy.listener("other", "second");
    proxy.start();
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  private static List<String> lines(ChangePlan plan) {
    return plan.steps().stream()
        .map(step -> (step.action() + " " + step.subject() + " " + step.what()).strip())
        .toList();
  }

  @Test
  void equalSettingsChangeNothing() {
    try (RespClient client = proxy.connect("main");
        RespClient admin = one.connect()) {
      client.call("GET", "server");
      List<String> before = ids(admin);

      assertThat(proxy.apply().isEmpty()).isTrue();
      client.call("GET", "server");
      assertThat(ids(admin)).isEqualTo(before);
    }
  }

  @Test
  void thePlanNamesWhatDiffersWithoutValues() {
    proxy.listeners.remove("other");
    proxy.listener("new", "second").password = "secret";
    main.password = "secret";
    first.commandTimeout = Duration.ofSeconds(3);
    proxy.eventLoops = 1;

    assertThat(lines(proxy.apply()))
        .containsExactly(
            "RESTART penstock event-loops",
            "CHANGE upstream first command-timeout",
            "CHANGE listener main password",
            "ADD listener new",
            "DRAIN listener other");
    assertThat(lines(proxy.proxy().plan(proxy.settings())))
        .containsExactly("RESTART penstock event-loops");
    assertThat(proxy.names()).isEqualTo(Set.of("main", "new"));
  }

  @Test
  void aChangedPasswordEndsNoClientAndBothAreValidForATime() {
    main.password = "old";
    proxy.apply();
    try (RespClient before = proxy.connect("main")) {
      assertThat(before.call("AUTH", "old")).isEqualTo("+OK\r\n");

      main.password = "new";
      main.passwordOverlap = Duration.ofMinutes(1);
      proxy.apply();
      assertThat(before.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      assertAccepted("old", "new");
      assertRejected("older");

      main.password = "newer";
      main.passwordOverlap = Duration.ZERO;
      proxy.apply();
      assertThat(before.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      assertAccepted("newer");
      assertRejected("old", "new");
    }
  }

  private void assertAccepted(String... passwords) {
    for (String password : passwords) {
      try (RespClient client = proxy.connect("main")) {
        assertThat(client.call("AUTH", password)).as(password).isEqualTo("+OK\r\n");
        assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      }
    }
  }

  private void assertRejected(String... passwords) {
    for (String password : passwords) {
      try (RespClient client = proxy.connect("main")) {
        assertThat(client.call("AUTH", password)).as(password).startsWith("-WRONGPASS");
        assertThat(client.call("GET", "server")).startsWith("-NOAUTH");
      }
    }
  }

  @Test
  void clientsAreServedWithoutAPasswordWhenNoneIsNeededAnyMore() {
    main.password = "old";
    proxy.apply();
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("GET", "server")).startsWith("-NOAUTH");

      main.password = null;
      proxy.apply();
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
    }
  }

  @Test
  void anAddedListenerServesAndARemovedOneDrainsItsClients() {
    try (RespClient idle = proxy.connect("other");
        RespClient unconcerned = proxy.connect("main")) {
      assertThat(idle.call("GET", "server")).isEqualTo(Wire.bulk("two"));
      int port = proxy.port("other");
      proxy.listeners.remove("other");
      proxy.listener("new", "second");
      proxy.apply();

      try (RespClient client = proxy.connect("new")) {
        assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("two"));
      }
      assertThat(idle.readToEnd()).isEmpty();
      Awaitility.await().atMost(PATIENCE).until(() -> !accepts(port));
      assertThat(unconcerned.call("GET", "server")).isEqualTo(Wire.bulk("one"));
    }
  }

  @Test
  void aClientOfARemovedListenerThatWaitsForAReplyIsClosedOnDemand() {
    second.commandTimeout = Duration.ofSeconds(20);
    proxy.apply();
    try (RespClient waiting = proxy.connect("other")) {
      waiting.call("PING");
      FrozenNode.freeze(two);
      waiting.send("GET", "server");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> result(proxy.proxy().stats()).pressure().unanswered() > 0);
      proxy.listeners.remove("other");
      proxy.apply();

      assertThat(result(proxy.proxy().kill(null, Map.of("type", "normal")))).isEqualTo(1);
      assertThat(waiting.readToEnd()).isEmpty();
    } finally {
      two.resume();
    }
  }

  private static <T> T result(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  private static boolean accepts(int port) {
    try (RespClient client = RespClient.open("127.0.0.1", port)) {
      return client.call("PING").equals("+PONG\r\n");
    } catch (RuntimeException e) {
      return false;
    }
  }

  @Test
  void anUpstreamWithoutListenersIsClosed() {
    try (RespClient client = proxy.connect("other")) {
      client.call("PING");
    }
    proxy.listeners.remove("other");
    proxy.apply();

    Awaitility.await().atMost(PATIENCE).until(() -> openConnections(two) == 1); // this one's
    assertThat(proxy.proxy().upstreams()).hasSize(1);
  }

  private static long openConnections(ServerProcess server) {
    return server.text("CLIENT", "LIST").lines().count();
  }

  @Test
  void busyClientsMoveToOtherServersWithoutErrorsOrLosses() {
    one.text("DEL", "moving");
    two.text("DEL", "moving");
    try (var pipelining = new BusyClient(proxy.connect("main"), "moving", 50);
        var waiting = new BusyClient(proxy.connect("main"), "moving", 1)) {
      for (ServerProcess next : List.of(two, one, two)) {
        pipelining.awaitProgress();
        waiting.awaitProgress();
        first.kind = ChangingProxy.single(next, null);
        proxy.apply();
      }
      pipelining.awaitProgress();
      waiting.awaitProgress();
      long answered = pipelining.stop() + waiting.stop();

      long ran =
          Long.parseLong(one.text("GET", "moving")) + Long.parseLong(two.text("GET", "moving"));
      assertThat(ran).isEqualTo(answered);
    }
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("two"));
    }
  }

  private static DividedUpstreamSettings weighted(int ofOne, int ofTwo, ServerProcess... servers) {
    return new DividedUpstreamSettings(
        new WeightedDivision(List.of(ofOne, ofTwo)),
        Stream.of(servers)
            .<UpstreamSettings>map(each -> ChangingProxy.single(each, null))
            .toList());
  }

  /** A server without keys gets all of them, and hands them back. */
  @Test
  void nobodyNoticesThatAWeightOrAPartChanges() {
    proxy.drainTimeout = Duration.ZERO;
    proxy.listeners.remove("other"); // nothing else uses the second server
    proxy.apply();
    one.text("DEL", "moving");
    two.text("DEL", "moving");
    List<UpstreamSettings> kinds =
        List.of(
            weighted(1, 0, one, two),
            weighted(0, 1, one, two),
            ChangingProxy.single(one, null),
            weighted(0, 1, one, two),
            weighted(0, 1, two, one),
            ChangingProxy.single(one, null));
    try (var busy = new BusyClient(proxy.connect("main"), "moving", 20);
        RespClient subscribed = proxy.connect("main");
        var publishing = new BusyPublisher(proxy.connect("main"), subscribed, "ch")) {
      for (UpstreamSettings kind : kinds) {
        busy.awaitProgress();
        publishing.awaitProgress();
        first.kind = kind;
        proxy.apply();
      }
      busy.awaitProgress();
      publishing.awaitProgress();
      publishing.stop();
      long answered = busy.stop();

      long ran =
          Long.parseLong(one.text("GET", "moving")) + Long.parseLong(two.text("GET", "moving"));
      assertThat(ran).isEqualTo(answered);
      assertThat(two.text("GET", "moving")).isNotEqualTo("0");
    }
    Awaitility.await("nothing is subscribed to at the server that has left")
        .atMost(PATIENCE)
        .until(() -> openConnections(two) == 1);
  }

  @Test
  void readsFollowTheServersThatAreForReads() {
    UpstreamSettings ofWrites = ChangingProxy.single(one, null);
    var split =
        new SplitUpstreamSettings(
            ofWrites, List.of(new ReadPart(ChangingProxy.single(two, null), true, false)));
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.text("GET", "server")).isEqualTo("one");
      first.kind = split;
      first.reads = ReadSettings.of(ReadFrom.REPLICA_PREFERRED);
      proxy.apply();
      Awaitility.await().atMost(PATIENCE).until(() -> client.text("GET", "server").equals("two"));
      assertThat(client.call("SET", "written", "x")).isEqualTo("+OK\r\n");
      assertThat(client.text("GET", "written")).isEqualTo("x");

      first.kind = ofWrites;
      first.reads = ReadSettings.MASTER_ONLY;
      proxy.apply();
      assertThat(client.text("GET", "server")).isEqualTo("one");
    }
  }

  private static SpreadUpstreamSettings spread(int ofOne, int ofTwo, ServerProcess... servers) {
    DividedUpstreamSettings same = weighted(ofOne, ofTwo, servers);
    return new SpreadUpstreamSettings((WeightedDivision) same.division(), same.parts());
  }

  @Test
  void eachClientStaysWithTheServerThatItsWeightSelected() {
    proxy.drainTimeout = Duration.ZERO;
    first.kind = spread(3, 1, one, two);
    proxy.apply();
    List<RespClient> clients = new ArrayList<>();
    try (RespClient blocked = proxy.connect("main")) {
      boolean atOne = blocked.text("GET", "server").equals("one");
      blocked.send("BLPOP", "list", "0");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> (atOne ? one : two).text("INFO", "clients").contains("blocked_clients:1"));
      List<String> servers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        clients.add(proxy.connect("main"));
        servers.add(clients.getLast().text("GET", "server"));
        assertThat(clients.getLast().call("SUBSCRIBE", "ch")).contains("subscribe");
      }
      assertThat(servers.stream().filter("one"::equals)).hasSizeBetween(14, 16);

      first.kind = spread(0, 1, one, two);
      proxy.apply();

      try (RespClient publisher = proxy.connect("main")) {
        assertThat(publisher.text("GET", "server")).isEqualTo("two");
        long subscribers = servers.stream().filter("two"::equals).count();
        assertThat(publisher.call("PUBLISH", "ch", "hello")).isEqualTo(":" + subscribers + "\r\n");
      }
      one.text("PUBLISH", "ch", "hello");
      (atOne ? one : two).text("LPUSH", "list", "element");
      assertThat(blocked.read()).contains("element");
      for (int i = 0; i < 20; i++) {
        assertThat(clients.get(i).read()).contains("hello");
        assertThat(clients.get(i).call("UNSUBSCRIBE")).contains("unsubscribe");
        assertThat(clients.get(i).text("GET", "server")).isEqualTo(servers.get(i));
      }
    } finally {
      clients.forEach(RespClient::close);
    }
  }

  @Test
  void aListenerChangesToAnotherUpstream() {
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      main.upstream = "second";
      proxy.apply();

      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("two"));
    }
  }

  @Test
  void transactionsEndWhereTheyBegan() {
    two.text("DEL", "k");
    try (RespClient inMulti = proxy.connect("main");
        RespClient watching = proxy.connect("main")) {
      inMulti.call("MULTI");
      inMulti.call("GET", "server");
      watching.call("WATCH", "k");
      main.upstream = "second";
      proxy.apply();

      assertThat(inMulti.call("EXEC")).isEqualTo("*1\r\n" + Wire.bulk("one"));
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> inMulti.call("GET", "server").equals(Wire.bulk("two")));
      assertThat(watching.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      watching.call("UNWATCH");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> watching.call("GET", "server").equals(Wire.bulk("two")));
    }
  }

  @Test
  void blockedAndSubscribedClientsAreDrainedFromOtherServers() {
    proxy.drainTimeout = Duration.ofSeconds(2);
    try (RespClient blocked = proxy.connect("main");
        RespClient subscribed = proxy.connect("main")) {
      blocked.send("BLPOP", "nothing", "0");
      blocked.send("GET", "server");
      assertThat(subscribed.call("SUBSCRIBE", "ch")).contains("subscribe");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> one.text("INFO", "clients").contains("blocked_clients:1"));
      first.kind = ChangingProxy.single(two, null);
      proxy.apply();

      assertThat(blocked.read()).isEqualTo("*-1\r\n"); // as if its timeout had passed
      assertThat(blocked.read()).isEqualTo(Wire.bulk("two"));
      assertThat(subscribed.readToEnd()).isEmpty();
    }
    Awaitility.await().atMost(PATIENCE).until(() -> openConnections(one) == 1);
  }

  @Test
  void blockedAndSubscribedClientsOfTheSameServersStay() {
    proxy.drainTimeout = Duration.ZERO;
    try (RespClient blocked = proxy.connect("main");
        RespClient subscribed = proxy.connect("main");
        RespClient third = proxy.connect("main")) {
      blocked.send("BLPOP", "list", "0");
      assertThat(subscribed.call("SUBSCRIBE", "ch")).contains("subscribe");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> one.text("INFO", "clients").contains("blocked_clients:1"));
      first.commandTimeout = Duration.ofSeconds(3);
      proxy.apply();

      assertThat(third.call("PUBLISH", "ch", "hello")).isEqualTo(":1\r\n");
      assertThat(subscribed.read()).contains("hello");
      assertThat(third.call("LPUSH", "list", "element")).isEqualTo(":1\r\n");
      assertThat(blocked.read()).contains("element");
      assertThat(blocked.call("GET", "server")).isEqualTo(Wire.bulk("one"));
    }
  }

  /** One more subscriber for each change. */
  @Test
  void subscribersFollowManyChangesAndMissNothing() {
    proxy.drainTimeout = Duration.ZERO;
    List<RespClient> subscribers = new ArrayList<>();
    try (RespClient admin = one.connect()) {
      int forRequests = ChangingProxy.connections(admin).size();
      for (int change = 0; change < 10; change++) {
        RespClient subscriber = proxy.connect("main");
        subscribers.add(subscriber);
        subscriber.call("HELLO", change % 2 == 0 ? "2" : "3");
        assertThat(subscriber.call("SUBSCRIBE", "ch")).contains("subscribe");
        first.connectionsPerLoop = 2 - change % 2;
        first.commandTimeout = Duration.ofSeconds(2 + change % 7);
        proxy.apply();
        for (int i = 0; i < 5; i++) {
          admin.call("PUBLISH", "ch", "message " + (change * 5 + i));
        }
      }

      assertThat(admin.text("CLIENT", "LIST", "TYPE", "pubsub").lines())
          .hasSizeLessThanOrEqualTo(proxy.eventLoops);
      for (int from = 0; from < 10; from++) {
        for (int i = from * 5; i < 50; i++) {
          assertThat(subscribers.get(from).read()).endsWith("\r\nmessage " + i + "\r\n");
        }
        assertThat(subscribers.get(from).call("UNSUBSCRIBE")).contains("unsubscribe");
        assertThat(subscribers.get(from).call("GET", "server")).isEqualTo(Wire.bulk("one"));
      }
      Awaitility.await("the earlier upstreams are closed")
          .atMost(PATIENCE)
          .until(() -> ChangingProxy.connections(admin).size() <= forRequests + subscribers.size());
    } finally {
      subscribers.forEach(RespClient::close);
    }
  }

  /**
   * A subscriber of a listener that has moved away: the upstream is served elsewhere, then replaced
   * twice.
   */
  @Test
  void subscriptionsOutliveTheUpstreamsThatShareThem() {
    other.upstream = "first";
    proxy.apply();
    try (RespClient admin = one.connect();
        RespClient subscribed = proxy.connect("main")) {
      assertThat(subscribed.call("SUBSCRIBE", "ch")).contains("subscribe");
      main.upstream = "second";
      proxy.apply();
      first.commandTimeout = Duration.ofSeconds(3);
      proxy.apply();
      first.kind = ChangingProxy.single(two, null);
      proxy.apply();

      Awaitility.await("it stays until the drain timeout")
          .during(Duration.ofSeconds(1))
          .atMost(PATIENCE)
          .until(() -> admin.call("PUBLISH", "ch", "hello").equals(":1\r\n"));
      assertThat(subscribed.read()).contains("hello");
    }
    Awaitility.await().atMost(PATIENCE).until(() -> openConnections(one) == 1);
  }

  /** The upstream that leads has connections on no loop. */
  @Test
  void subscriptionsAreCheckedWhereOnlyAnEarlierUpstreamHasClients() {
    other.upstream = "first";
    proxy.apply();
    try (RespClient subscribed = proxy.connect("main")) {
      assertThat(subscribed.call("SUBSCRIBE", "ch")).contains("subscribe");
      main.upstream = "second";
      first.commandTimeout = Duration.ofMillis(500);
      first.hold = Duration.ofMillis(500);
      proxy.apply();
      FrozenNode.freeze(one);

      assertThat(subscribed.call("SUBSCRIBE", "more")).startsWith("-UNAVAILABLE ");
    } finally {
      one.resume();
    }
  }

  /** The second change leaves the subscriber's connection open; the third is one of a password. */
  @Test
  void subscriptionsUsePasswordsThatChangeLater() {
    try (ServerProcess server = ServerProcess.builder().password("old").start();
        RespClient admin = server.connect()) {
      first.kind = ChangingProxy.single(server, "old");
      proxy.apply();
      try (RespClient subscribed = proxy.connect("main")) {
        assertThat(subscribed.call("SUBSCRIBE", "ch")).contains("subscribe");
        first.commandTimeout = Duration.ofSeconds(3);
        proxy.apply();
        admin.text("ACL", "SETUSER", "default", ">new", "<old");
        first.kind = ChangingProxy.single(server, "new");
        proxy.apply();
        assertSubscribedAgain(admin, subscribed);

        admin.text("ACL", "SETUSER", "default", ">newer", "<new");
        first.kind = ChangingProxy.single(server, "newer");
        first.commandTimeout = Duration.ofSeconds(2);
        proxy.apply();
        assertSubscribedAgain(admin, subscribed);
      }
    }
  }

  /** Closes the connection of the subscription, and waits until there is another. */
  private static void assertSubscribedAgain(RespClient admin, RespClient subscribed) {
    admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> admin.call("PUBLISH", "ch", "hello").equals(":1\r\n"));
    assertThat(subscribed.read()).contains("hello");
  }

  @Test
  void aCommandTimeoutChangesForConnectedClients() {
    try (RespClient client = proxy.connect("main")) {
      client.call("GET", "server");
      first.commandTimeout = Duration.ofMillis(100);
      first.hold = Duration.ofMillis(100);
      proxy.apply();
      Awaitility.await("a connection that is made after the change")
          .atMost(PATIENCE)
          .until(() -> client.call("GET", "server").equals(Wire.bulk("one")));
      FrozenNode.freeze(one);

      assertThat(client.call("GET", "server")).startsWith("-TIMEOUT");
    } finally {
      one.resume();
    }
  }

  @Test
  void passwordsOfNodesChangeOnOpenConnections() {
    try (ServerProcess server = ServerProcess.builder().password("old").start();
        RespClient admin = server.connect()) {
      first.kind = ChangingProxy.single(server, "old");
      proxy.apply();
      try (RespClient client = proxy.connect("main");
          RespClient subscribed = proxy.connect("main")) {
        client.call("SET", "k", "v");
        subscribed.call("SUBSCRIBE", "ch");
        List<String> before = ids(admin);
        admin.text("ACL", "SETUSER", "default", ">new");

        first.kind = ChangingProxy.single(server, "new");
        assertThat(lines(proxy.apply())).containsExactly("CHANGE upstream first password");
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() ->
                ChangingProxy.connections(admin).stream()
                    .allMatch(line -> line.contains(" cmd=auth ")));
        if (DispatchMode.dispatch() instanceof ProxySettings.Dispatch.Async) {
          assertThat(ids(admin)).isEqualTo(before); // leased ones are made anew
        }

        admin.text("ACL", "SETUSER", "default", "<old");
        assertThat(client.call("GET", "k")).isEqualTo(Wire.bulk("v"));
        assertThat(client.call("BLPOP", "nothing", "0.01")) // over a new connection
            .isEqualTo("*-1\r\n");
        admin.call("CLIENT", "KILL", "TYPE", "normal");
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> client.call("GET", "k").equals(Wire.bulk("v")));
      }
    }
  }

  private static List<String> ids(RespClient server) {
    return ChangingProxy.connections(server).stream()
        .map(line -> line.substring(0, line.indexOf(' ')))
        .sorted()
        .toList();
  }

  @Test
  void aPasswordThatNodesRejectChangesNothing() {
    try (ServerProcess server = ServerProcess.builder().password("right").start()) {
      first.kind = ChangingProxy.single(server, "right");
      proxy.apply();
      try (RespClient client = proxy.connect("main")) {
        first.kind = ChangingProxy.single(server, "wrong");

        assertThatThrownBy(() -> proxy.apply())
            .isInstanceOf(ChangeRejectedException.class)
            .hasMessageContaining("WRONGPASS")
            .hasMessageNotContaining("wrong");
        server.text("CLIENT", "KILL", "TYPE", "normal");
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> client.call("PING", "x").equals(Wire.bulk("x")));
        assertThat(client.call("GET", "k")).isEqualTo("$-1\r\n");
      }
    }
  }

  @Test
  void aServerThatDoesNotAnswerReplacesNoneThatDoes() {
    try (RespClient client = proxy.connect("main")) {
      first.kind = new SingleUpstreamSettings(new Endpoint("127.0.0.1", 1), null, 0);
      other.password = "new";

      assertThatThrownBy(() -> proxy.apply())
          .isInstanceOf(ChangeRejectedException.class)
          .hasMessageStartingWith(
              "upstream first: no master of 127.0.0.1:1 serves requests within 5 s");
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      try (RespClient unchanged = proxy.connect("other")) {
        assertThat(unchanged.call("GET", "server")).isEqualTo(Wire.bulk("two"));
      }
    }
  }

  @Test
  void anAddressInUseChangesNothing() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      first.kind = ChangingProxy.single(two, null);
      proxy.listener("free", "second");
      proxy.listener("taken", "second").port = taken.getLocalPort();

      assertThatThrownBy(() -> proxy.apply()).isInstanceOf(CannotBindException.class);
      assertThat(proxy.names()).isEqualTo(Set.of("main", "other"));
      try (RespClient client = proxy.connect("main")) {
        assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      }
    }
  }

  @Test
  void anotherPortIsBoundAndClientsOfTheEarlierOneStay() {
    int before = proxy.port("main");
    try (RespClient client = proxy.connect("main")) {
      main.port = FreePorts.take("127.0.0.1");
      proxy.apply();

      assertThat(proxy.port("main")).isEqualTo(main.port);
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      assertThat(accepts(proxy.port("main"))).isTrue();
      assertThat(accepts(before)).isFalse();
    }
  }

  @Test
  void listenersThatChangePlacesHandTheirSocketsOn() {
    main.port = FreePorts.take("127.0.0.1");
    main.maxClients = MOST_CONNECTIONS;
    other.port = FreePorts.take("127.0.0.1");
    other.maxClients = MOST_CONNECTIONS;
    proxy.apply();
    int mainPort = main.port;
    int otherPort = other.port;
    AtomicBoolean stopped = new AtomicBoolean();
    AtomicInteger connected = new AtomicInteger();
    CompletableFuture<Void> connecting =
        CompletableFuture.runAsync(
            () -> connectUntil(stopped, mainPort, connected), Thread.ofPlatform()::start);
    Awaitility.await().atMost(PATIENCE).until(() -> connected.get() > 0);

    for (int i = 0; i < 10; i++) {
      int port = main.port;
      main.port = other.port;
      other.port = port;
      proxy.apply();
      assertThat(served(main.port)).isEqualTo("one");
      assertThat(served(other.port)).isEqualTo("two");
    }
    proxy.listeners.remove("main");
    ChangingProxy.ListenerSpec renamed = proxy.listener("renamed", "first");
    renamed.port = mainPort;
    renamed.maxClients = MOST_CONNECTIONS;
    proxy.apply();
    assertThat(served(mainPort)).isEqualTo("one");
    assertThat(served(otherPort)).isEqualTo("two");

    stopped.set(true);
    ProxyFixture.await(connecting);
  }

  private static String served(int port) {
    try (RespClient client = RespClient.open("127.0.0.1", port)) {
      return client.text("GET", "server");
    }
  }

  /** Connects again and again; throws if the port is closed once. */
  private static void connectUntil(AtomicBoolean stopped, int port, AtomicInteger connected) {
    while (!stopped.get() && connected.get() < MOST_CONNECTIONS) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        connected.addAndGet(socket.isConnected() ? 1 : 0);
      } catch (IOException e) {
        throw new AssertionError("the port was closed for a time", e);
      }
    }
  }

  @Test
  void rulesChangeForConnectedClients() {
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("one"));
      proxy.commands = CommandRules.of(List.of(), List.of("get"));
      proxy.apply();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> client.call("GET", "server").startsWith("-ERR GET is not allowed"));

      proxy.commands = CommandRules.NONE;
      proxy.apply();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> client.call("GET", "server").equals(Wire.bulk("one")));
    }
  }

  @Test
  void limitsChangeForConnectedClients() {
    try (RespClient client = proxy.connect("main")) {
      client.call("PING");
      main.maxClients = 1;
      main.maxBulkLength = 1_000_000;
      ClientLimits limits = ClientLimits.DEFAULTS;
      main.limits =
          new ClientLimits(
              limits.normal(),
              limits.subscribers(),
              4_000_000,
              limits.timeouts(),
              7,
              limits.totalInFlight(),
              limits.patterns());
      proxy.apply();

      try (RespClient second = proxy.connect("main")) {
        assertThat(second.readToEnd()).startsWith("-ERR max number of clients reached");
      }
      assertThat(client.call("CONFIG", "GET", "maxmemory-clients")).contains("4000000");
      assertThat(client.call("CONFIG", "GET", "maxclients")).contains("\r\n1\r\n");
      client.write("*2\r\n$3\r\nGET\r\n$1000001\r\n").flush();
      assertThat(client.read()).startsWith("-ERR Protocol error: invalid bulk length");
    }
  }

  @Test
  void theMaximumOfPatternsChangesForConnectedClients() {
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("PSUBSCRIBE", "a")).endsWith("a\r\n:1\r\n");
      main.limits = patterns(1);
      proxy.apply();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () -> client.call("PSUBSCRIBE", "b"),
              reply -> {
                if (reply.startsWith("*")) {
                  client.call("PUNSUBSCRIBE", "b");
                }
                return reply.equals("-ERR max number of patterns reached: 1\r\n");
              });
      assertThat(client.call("PSUBSCRIBE", "a")).endsWith("a\r\n:1\r\n");

      main.limits = patterns(2);
      proxy.apply();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> client.call("PSUBSCRIBE", "b").endsWith("b\r\n:2\r\n"));
    }
  }

  private static ClientLimits patterns(int most) {
    ClientLimits limits = ClientLimits.DEFAULTS;
    return new ClientLimits(
        limits.normal(),
        limits.subscribers(),
        limits.memory(),
        limits.timeouts(),
        limits.inFlight(),
        limits.totalInFlight(),
        most);
  }

  @Test
  void anotherKeepaliveTimeIsForClientsThatConnectAfterTheChange() throws IOException {
    assumeTrue(Files.exists(Path.of("/proc/net/tcp6")), "Linux shows the timers of sockets");
    main.arrivals = new AcceptSettings(0, Duration.ZERO);
    proxy.apply();
    try (Socket before = new Socket(InetAddress.getLoopbackAddress(), proxy.port("main"))) {
      before.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(before.getInputStream().read()).isEqualTo('+'); // it is accepted
      main.arrivals = AcceptSettings.DEFAULTS;
      proxy.apply();
      try (Socket after = new Socket(InetAddress.getLoopbackAddress(), proxy.port("main"))) {
        Awaitility.await().atMost(PATIENCE).until(() -> hasKeepaliveTimer(after));
        assertThat(hasKeepaliveTimer(before)).isFalse();
      }
    }
  }

  /** Returns whether the kernel has a timer of kind 2 for the other side of a connection. */
  private static boolean hasKeepaliveTimer(Socket client) throws IOException {
    String ports =
        ":%04X [0-9A-F]+:%04X 01 [0-9A-F:]+ 02:".formatted(client.getPort(), client.getLocalPort());
    Pattern line = Pattern.compile(ports);
    return line.matcher(Files.readString(Path.of("/proc/net/tcp6"))).find()
        || line.matcher(Files.readString(Path.of("/proc/net/tcp"))).find();
  }

  @Test
  void clientsOfAnotherNumberOfProxiesAreClosedAfterTheirReplies() {
    Endpoint a = new Endpoint(one.host(), one.port());
    Endpoint b = new Endpoint(two.host(), two.port());
    first.kind = new ProxiesUpstreamSettings(List.of(a), null, 0);
    proxy.apply();
    for (List<Endpoint> next : List.of(List.of(a, b), List.of(a), List.of(a, b))) {
      try (RespClient client = proxy.connect("main")) {
        assertThat(client.call("PING", "x")).isEqualTo(Wire.bulk("x"));
        long commands = pings();
        first.kind = new ProxiesUpstreamSettings(next, null, 0);
        proxy.apply();

        assertThat(client.readToEnd()).isEmpty();
        try (RespClient another = proxy.connect("main")) {
          assertThat(another.call("PING", "y")).isEqualTo(Wire.bulk("y"));
        }
        assertThat(pings()).isEqualTo(commands + 1);
      }
    }
  }

  private long pings() {
    return ProxyFixture.await(proxy.listener("main").stats()).commands().stream()
        .filter(each -> each.name().equals("PING"))
        .flatMap(each -> each.outcomes().values().stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  @Test
  void aChangeThatIsNotCommittedWhenTheProxyStopsIsAbandoned() {
    try (Relay relay = Relay.to("127.0.0.1", two.port())) {
      relay.holdBack(Relay.Direction.BACK);
      ProxySettings before = proxy.proxy().settings();
      first.kind = new SingleUpstreamSettings(new Endpoint("127.0.0.1", relay.port()), null, 0);
      int port = FreePorts.take("127.0.0.1");
      proxy.listener("added", "second").port = port;
      CompletableFuture<ChangePlan> change =
          proxy.proxy().apply(proxy.settings()).toCompletableFuture();
      Awaitility.await().atMost(PATIENCE).until(() -> relay.connections() > 0);

      ProxyFixture.await(proxy.proxy().drain(PATIENCE));
      assertThat(change).isNotDone();
      relay.release();

      assertThat(change)
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(ChangeRejectedException.class)
          .withMessage("the proxy is stopping");
      assertThat(proxy.proxy().settings()).isSameAs(before);
      assertThat(accepts(port)).isFalse();
      Awaitility.await().atMost(PATIENCE).until(() -> relay.connections() == 0);
    }
  }

  @Test
  void changesAreAppliedOneAfterTheOther() {
    List<CompletableFuture<ChangePlan>> changes =
        IntStream.range(1, 20)
            .mapToObj(i -> {
              main.maxClients = 100 + i;
              first.kind = ChangingProxy.single(i % 2 == 0 ? one : two, null);
              return proxy.proxy().apply(proxy.settings()).toCompletableFuture();
            })
            .toList();
    changes.forEach(ProxyFixture::await);

    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("GET", "server")).isEqualTo(Wire.bulk("two"));
      assertThat(client.call("CONFIG", "GET", "maxclients")).contains("\r\n119\r\n");
    }
    assertThat(changes).allMatch(each -> each.join().steps().getFirst().action() == Action.CHANGE);
    Awaitility.await().atMost(PATIENCE).until(() -> openConnections(one) == 1);
  }
}
