package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.core.limit.OutputLimit;
import io.penstock.core.transport.Transport;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribers and publishers on both event loops of a proxy in front of a cluster. */
@ExtendWith(SharedCluster.class)
class PubSubIT {

  private final List<AutoCloseable> opened = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private RespClient publisher;

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    proxy = ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(5)).startReady();
    publisher = proxy.connect();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    publisher.close();
    proxy.close();
  }

  private Subscriber subscriber(int protocol) {
    Subscriber made = Subscriber.open(proxy, protocol);
    opened.add(made);
    return made;
  }

  private static void assumeSharded(EmbeddedCluster cluster) {
    boolean sharded = cluster.binary().valkey() || cluster.binary().major() >= 7;
    if (!sharded) {
      System.out.println("skipped: shard channels came with Redis 7, here is " + cluster.binary());
    }
    assumeThat(sharded).isTrue();
  }

  @Test
  void everySubscriberGetsEveryMessageAndPublishCountsThem() {
    List<Subscriber> subscribers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      subscribers.add(subscriber(i % 2 + 2).to("SUBSCRIBE", "news", 1));
    }
    String large = "x".repeat(200_000);

    assertThat(publisher.call("PUBLISH", "news", "one")).isEqualTo(":8\r\n");
    assertThat(publisher.call("PUBLISH", "news", large)).isEqualTo(":8\r\n");
    assertThat(publisher.call("PUBLISH", "other", "x")).isEqualTo(":0\r\n");

    for (Subscriber subscriber : subscribers) {
      subscriber.expect("message", "news", "one");
      subscriber.expect("message", "news", large);
    }
    subscribers.get(0).wire().send("UNSUBSCRIBE", "news");
    subscribers.get(0).expect("unsubscribe", "news", ":0");
    assertThat(publisher.call("PUBLISH", "news", "two")).isEqualTo(":7\r\n");
    subscribers.get(1).expect("message", "news", "two");
    subscribers.get(0).expectNothing();
  }

  /** Two of the four pairs are on different event loops. */
  @Test
  void aMessageRightBehindASubscribeIsReceived() {
    List<RespClient> publishers = List.of(publisher, proxy.connect());
    opened.add(publishers.getLast());
    List<Subscriber> subscribers = List.of(subscriber(2), subscriber(3));
    subscriber(2).to("SUBSCRIBE", "other", 1); // messages wait only if somebody has ever subscribed
    for (int i = 0; i < 200; i++) {
      Subscriber subscriber = subscribers.get(i % 2);
      RespClient sender = publishers.get(i / 2 % 2);
      String channel = "result-" + i;
      subscriber.wire().send("SUBSCRIBE", channel);
      if (i % 3 == 0) {
        assertThat(sender.call("PUBLISH", channel, "x")).isEqualTo(":1\r\n");
      } else {
        sender.send("MULTI");
        sender.send("PUBLISH", channel, "x");
        sender.send("EXEC");
        assertThat(sender.read() + sender.read()).isEqualTo("+OK\r\n+QUEUED\r\n");
        assertThat(sender.read()).startsWith("*1\r\n:"); // what the node counts
      }
      subscriber.expect("subscribe", channel, ":1");
      subscriber.expect("message", channel, "x");
      subscriber.wire().send("UNSUBSCRIBE", channel);
      subscriber.expect("unsubscribe", channel, ":0");
    }
  }

  /** The SUBSCRIBE waits behind a PING, which waits for the end of an UNSUBSCRIBE. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMessageBehindASubscribeThatWaitsIsReceived(boolean inOneWrite) {
    List<RespClient> publishers = List.of(publisher, proxy.connect());
    opened.add(publishers.getLast());
    List<Subscriber> subscribers = List.of(subscriber(2), subscriber(3));
    subscribers.forEach(each -> each.to("SUBSCRIBE", "stays", 1).to("SUBSCRIBE", "before", 2));
    for (int i = 0; i < 600; i++) {
      Subscriber subscriber = subscribers.get(i % 2);
      String before = i < 2 ? "before" : "result-" + (i - 2);
      String channel = "result-" + i;
      List<String> requests = List.of("UNSUBSCRIBE " + before, "PING", "SUBSCRIBE " + channel);
      for (String request : requests) {
        subscriber.wire().write(Wire.request(request.split(" ")));
        if (!inOneWrite) {
          subscriber.wire().flush();
        }
      }
      subscriber.wire().flush();
      assertThat(publishers.get(i / 2 % 2).call("PUBLISH", channel, "x")).isEqualTo(":1\r\n");
      subscriber.expect("unsubscribe", before, ":1");
      assertThat(subscriber.wire().read()).containsIgnoringCase("pong");
      subscriber.expect("subscribe", channel, ":2");
      subscriber.expect("message", channel, "x");
    }
  }

  @Test
  void patternsAndChannelsAreCountedAsByOneServer() {
    subscriber(2).to("SUBSCRIBE", "n1", 1).to("PSUBSCRIBE", "n*", 2).to("PSUBSCRIBE", "n?", 3);
    subscriber(3).to("PSUBSCRIBE", "n*", 1).to("PSUBSCRIBE", "*", 2);
    subscriber(2).to("SUBSCRIBE", "n1", 1).to("SUBSCRIBE", "n2", 2);

    assertThat(publisher.call("PUBLISH", "n1", "x")).isEqualTo(":6\r\n");
    assertThat(publisher.call("PUBLISH", "n2", "x")).isEqualTo(":5\r\n");
    assertThat(publisher.call("PUBLISH", "none", "x")).isEqualTo(":3\r\n");
    assertThat(publisher.call("PUBSUB", "NUMPAT")).isEqualTo(":3\r\n");
    assertThat(publisher.call("PUBSUB", "NUMSUB", "n1", "n2", "none"))
        .isEqualTo("*6\r\n$2\r\nn1\r\n:2\r\n$2\r\nn2\r\n:1\r\n$4\r\nnone\r\n:0\r\n");
    assertThat(publisher.call("PUBSUB", "NUMSUB")).isEqualTo("*0\r\n");
    assertThat(names(publisher.call("PUBSUB", "CHANNELS"))).containsExactly("n1", "n2");
    assertThat(publisher.call("PUBSUB", "CHANNELS", "*2")).isEqualTo("*1\r\n$2\r\nn2\r\n");
  }

  /** Their event loops may not have noticed it. */
  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"IO_URING", "EPOLL", "NIO"})
  void clientsThatHaveJustClosedAreNotCounted(Transport transport) {
    assumeSharded(cluster);
    Throwable missing = transport.unavailability();
    if (missing != null) {
      System.out.println("skipped: " + transport + " is not available: " + missing);
    }
    assumeThat(missing).isNull();
    try (ProxyFixture on = ProxyFixture.of(cluster).transport(transport).startReady();
        RespClient wire = on.connect()) {
      String[][] ways = {
        {"SUBSCRIBE", "PUBLISH"}, {"PSUBSCRIBE", "PUBLISH"}, {"SSUBSCRIBE", "SPUBLISH"}
      };
      for (int i = 0; i < 300; i++) {
        String[] way = ways[i % ways.length];
        String name = "closed" + i;
        subscribeAndClose(on, way[0], name);
        assertThat(wire.call(way[1], name, "x")).as(way[0] + " " + i).isEqualTo(":0\r\n");
      }
      for (int i = 0; i < 100; i++) {
        String name = "closed" + i;
        subscribeAndClose(on, "SUBSCRIBE", name);
        String report = i % 2 == 0 ? "NUMSUB" : "CHANNELS";
        String none = i % 2 == 0 ? "*2\r\n" + Wire.bulk(name) + ":0\r\n" : "*0\r\n";
        assertThat(wire.call("PUBSUB", report, name)).as(report + " " + i).isEqualTo(none);
      }
    }
  }

  private static void subscribeAndClose(ProxyFixture to, String command, String name) {
    RespClient subscriber = to.connect();
    assertThat(subscriber.call(command, name)).endsWith(":1\r\n");
    subscriber.closeAndWait();
  }

  private static Set<String> names(String reply) {
    Set<String> names = new TreeSet<>(List.of(reply.split("\r\n", -1)));
    names.removeIf(line -> line.isEmpty() || line.startsWith("*") || line.startsWith("$"));
    return names;
  }

  /** Two loops and three masters have about 1,500 patterns each. */
  @Test
  void manyPatternsHaveSeveralConnectionsToANode() {
    int clients = 6;
    int each = 1_500;
    List<Subscriber> subscribers = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Subscriber subscriber = subscriber(i % 2 + 2).to("PSUBSCRIBE", "common*", 1);
      subscriber.wire().send(Patterns.request("PSUBSCRIBE", "own" + i + ":", each));
      Patterns.expect(subscriber, "psubscribe", "own" + i + ":", each, 2);
      subscribers.add(subscriber);
    }

    Patterns.awaitAtMasters(cluster, clients * each + 1);
    assertThat(publisher.call("PUBSUB", "NUMPAT")).isEqualTo(":" + (clients * each + 1) + "\r\n");
    assertThat(publisher.call("PUBLISH", "common", "x")).isEqualTo(":" + clients + "\r\n");
    subscribers.forEach(subscriber -> subscriber.expect("pmessage", "common*", "common", "x"));
    assertThat(publisher.call("PUBLISH", "own3:777x", "y")).isEqualTo(":1\r\n");
    subscribers.get(3).expect("pmessage", "own3:777?", "own3:777x", "y");

    cluster.masters().forEach(master -> master.text("CLIENT", "KILL", "TYPE", "pubsub"));
    Patterns.awaitAtMasters(cluster, clients * each + 1);
    Subscriber.await( // the masters have them before their confirmations have arrived
        "the patterns are counted once again",
        () -> publisher.call("PUBSUB", "NUMPAT").equals(":" + (clients * each + 1) + "\r\n"));
    assertThat(publisher.call("PUBLISH", "own3:777x", "z")).isEqualTo(":1\r\n");
    subscribers.get(3).expect("pmessage", "own3:777?", "own3:777x", "z");

    for (int i = 0; i < clients; i++) {
      Subscriber subscriber = subscribers.get(i);
      subscriber.wire().send("PUNSUBSCRIBE", "common*");
      subscriber.expect("punsubscribe", "common*", ":" + each);
      subscriber.wire().send(Patterns.request("PUNSUBSCRIBE", "own" + i + ":", each));
      Patterns.expect(subscriber, "punsubscribe", "own" + i + ":", each, each - 1);
      subscriber.expectNothing();
    }
    assertThat(publisher.call("PUBSUB", "NUMPAT")).isEqualTo(":0\r\n");
    assertThat(publisher.call("PUBLISH", "own3:777x", "y")).isEqualTo(":0\r\n");
  }

  @Test
  void aSubscriberReceivesMessagesPublishedDirectlyToNodes() {
    Subscriber subscriber = subscriber(2).to("SUBSCRIBE", "news", 1).to("PSUBSCRIBE", "n*", 2);

    for (Member master : cluster.masters()) {
      master.text("PUBLISH", "news", "from " + master.port());
      Set<String> got = new TreeSet<>(List.of(subscriber.wire().read(), subscriber.wire().read()));
      assertThat(got)
          .containsExactlyInAnyOrder(
              subscriber.frame("message", "news", "from " + master.port()),
              subscriber.frame("pmessage", "n*", "news", "from " + master.port()));
    }
    subscriber.expectNothing();
  }

  /** The large message is on its way to Penstock while the client subscribes, or unsubscribes. */
  @Test
  void aClientGetsTheMessagesBetweenItsSubscribeAndItsUnsubscribe() {
    Subscriber first = subscriber(3).to("SUBSCRIBE", "news", 1);
    Subscriber second = subscriber(3).to("SUBSCRIBE", "news", 1); // on the other event loop
    Subscriber client = subscriber(2);
    String large = "x".repeat(2_000_000);
    for (int i = 0; i < 20; i++) {
      assertThat(publisher.call("PUBLISH", "news", "before " + large)).isEqualTo(":2\r\n");
      client.to("SUBSCRIBE", "news", 1);
      assertThat(publisher.call("PUBLISH", "news", "during " + large)).isEqualTo(":3\r\n");
      client.wire().send("UNSUBSCRIBE", "news");

      client.expect("message", "news", "during " + large);
      client.expect("unsubscribe", "news", ":0");
      for (Subscriber other : List.of(first, second)) {
        other.expect("message", "news", "before " + large);
        other.expect("message", "news", "during " + large);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void shardChannelsWork(int protocol) {
    assumeSharded(cluster);
    Subscriber one = subscriber(protocol).to("SSUBSCRIBE", "s", 1);
    Subscriber two = subscriber(protocol).to("SSUBSCRIBE", "s", 1).to("SUBSCRIBE", "s", 1);

    assertThat(publisher.call("SPUBLISH", "s", "x")).isEqualTo(":2\r\n");
    assertThat(publisher.call("PUBLISH", "s", "y")).isEqualTo(":1\r\n");
    one.expect("smessage", "s", "x");
    two.expect("smessage", "s", "x");
    two.expect("message", "s", "y");
    one.expectNothing();
    assertThat(publisher.call("PUBSUB", "SHARDNUMSUB", "s")).isEqualTo("*2\r\n$1\r\ns\r\n:2\r\n");
    assertThat(publisher.call("PUBSUB", "SHARDCHANNELS")).isEqualTo("*1\r\n$1\r\ns\r\n");
    assertThat(publisher.call("SSUBSCRIBE", "s", "t")).startsWith("-CROSSSLOT ");
  }

  @Test
  void keyspaceEventsOfEveryMasterArriveOnce() {
    cluster.members().forEach(m -> m.text("CONFIG", "SET", "notify-keyspace-events", "KEA"));
    try {
      Subscriber all = subscriber(2).to("PSUBSCRIBE", "*", 1);
      Subscriber keys = subscriber(3).to("PSUBSCRIBE", "__keyspace@0__:*", 1);
      Subscriber sets = subscriber(3).to("SUBSCRIBE", "__keyevent@0__:set", 1);
      for (String tag : Keys.tagsOfMasters(cluster)) {
        String key = tag + "k";
        assertThat(publisher.call("SET", key, "v")).isEqualTo("+OK\r\n");
        keys.expect("pmessage", "__keyspace@0__:*", "__keyspace@0__:" + key, "set");
        sets.expect("message", "__keyevent@0__:set", key);
        all.expect("pmessage", "*", "__keyspace@0__:" + key, "set");
        all.expect("pmessage", "*", "__keyevent@0__:set", key);
        assertThat(publisher.call("PUBLISH", "news", key)).isEqualTo(":1\r\n");
        all.expect("pmessage", "*", "news", key);
        assertThat(publisher.call("DEL", key)).isEqualTo(":1\r\n");
        keys.expect("pmessage", "__keyspace@0__:*", "__keyspace@0__:" + key, "del");
        all.expect("pmessage", "*", "__keyspace@0__:" + key, "del");
        all.expect("pmessage", "*", "__keyevent@0__:del", key);
      }
      all.expectNothing();
      keys.expectNothing();
      sets.expectNothing();
    } finally {
      cluster.members().forEach(m -> m.text("CONFIG", "SET", "notify-keyspace-events", ""));
    }
  }

  @Test
  void aThousandSubscribersGetEachMessageOnceInOrder() {
    List<Subscriber> subscribers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      subscribers.add(subscriber(i % 2 + 2).to("SUBSCRIBE", "crowd", 1));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(publisher.call("PUBLISH", "crowd", "m" + i)).isEqualTo(":1000\r\n");
    }
    for (Subscriber subscriber : subscribers) {
      for (int i = 0; i < 20; i++) {
        subscriber.expect("message", "crowd", "m" + i);
      }
      subscriber.expectNothing();
    }
    assertThat(proxy.stats().nodes().stream().mapToLong(node -> node.connections()).sum())
        .as("connections to nodes")
        .isLessThanOrEqualTo(2 * (3 + 3 + 3));
  }

  @Test
  void eachPublishersMessagesKeepTheirOrder() {
    Subscriber subscriber = subscriber(3).to("SUBSCRIBE", "order", 1);
    int each = 2_000;
    try (RespClient other = proxy.connect()) {
      for (int i = 0; i < each; i++) {
        publisher.write(Wire.request("PUBLISH", "order", "a" + i));
        other.write(Wire.request("PUBLISH", "order", "b" + i));
      }
      publisher.flush();
      other.flush();
      for (int i = 0; i < each; i++) {
        assertThat(publisher.read()).isEqualTo(":1\r\n");
        assertThat(other.read()).isEqualTo(":1\r\n");
      }
    }
    int a = 0;
    int b = 0;
    for (int i = 0; i < 2 * each; i++) {
      String message = subscriber.wire().read();
      if (message.equals(subscriber.frame("message", "order", "a" + a))) {
        a++;
      } else {
        assertThat(message).isEqualTo(subscriber.frame("message", "order", "b" + b));
        b++;
      }
    }
  }

  @Test
  void aSubscriberOnResp3MixesCommandsAndMessages() {
    Subscriber subscriber = subscriber(3).to("SUBSCRIBE", "mixed", 1);
    String value = "v".repeat(500_000); // together less than the output limit of subscribers
    assertThat(publisher.call("SET", "mixed:value", value)).isEqualTo("+OK\r\n");
    int rounds = 50;
    for (int i = 0; i < rounds; i++) {
      subscriber.wire().write(Wire.request("GET", "mixed:value"));
      publisher.write(Wire.request("PUBLISH", "mixed", "m" + i));
    }
    subscriber.wire().flush();
    publisher.flush();
    int replies = 0;
    int messages = 0;
    while (replies < rounds || messages < rounds) {
      String next = subscriber.wire().read();
      if (next.startsWith("$")) {
        assertThat(next).hasSize(Wire.bulk(value).length());
        replies++;
      } else {
        assertThat(next).isEqualTo(subscriber.frame("message", "mixed", "m" + messages));
        messages++;
      }
    }
    for (int i = 0; i < rounds; i++) {
      publisher.read();
    }
    publisher.call("DEL", "mixed:value");
  }

  @Test
  void aSubscriberThatDoesNotReadIsClosed() {
    try (ProxyFixture small =
            ProxyFixture.of(cluster)
                .subscriberLimit(new OutputLimit(4 << 20, 0, Duration.ZERO))
                .startReady();
        RespClient lazy = RespClient.open(small.host(), small.port(), 4_096);
        Subscriber lazyOne = Subscriber.over(lazy).to("SUBSCRIBE", "flood", 1);
        Subscriber eager = Subscriber.open(small, 3).to("SUBSCRIBE", "flood", 1);
        RespClient loud = small.connect()) {
      int counted = 2;
      String message = "x".repeat(100);
      long before = LimitsIT.directMemory();
      long most = 0;
      for (int i = 0; i < 400_000 && counted == 2; i += 100) {
        for (int j = 0; j < 100; j++) {
          loud.write(Wire.request("PUBLISH", "flood", message));
        }
        loud.flush();
        for (int j = 0; j < 100; j++) {
          counted = Integer.parseInt(loud.read().substring(1).strip());
        }
        for (int j = 0; j < 100; j++) {
          eager.expect("message", "flood", message);
        }
        most = Math.max(most, LimitsIT.directMemory() - before);
      }
      assertThat(counted).as("the subscriber that reads nothing was closed").isEqualTo(1);
      assertThat(most).as("direct memory").isLessThan(48L << 20);
      assertThat(lazyOne.wire().readToEnd().length()).isLessThan(16 << 20);
      assertThat(LimitsIT.closed(small)).isEqualTo(1);
    }
  }

  @Test
  void aSubscriberAboveTheSoftLimitForTooLongIsClosed() {
    try (ProxyFixture small =
            ProxyFixture.of(cluster)
                .subscriberLimit(new OutputLimit(0, 1 << 20, Duration.ofSeconds(1)))
                .startReady();
        RespClient lazy = RespClient.open(small.host(), small.port(), 4_096);
        Subscriber lazyOne = Subscriber.over(lazy).to("SUBSCRIBE", "flood", 1);
        RespClient loud = small.connect()) {
      String message = "x".repeat(1 << 20);
      for (int i = 0; i < 12; i++) {
        loud.call("PUBLISH", "flood", message);
      }
      Subscriber.await("closed", () -> LimitsIT.closed(small) == 1);
      assertThat(lazyOne.wire().readToEnd().length()).isLessThan(12 << 20);
    }
  }

  @Test
  void subscriptionsSurviveTheMoveOfTheirSlot() {
    int slot = 4_711;
    String channel = Keys.tag(slot) + "moves";
    Subscriber subscriber = subscriber(2).to("SUBSCRIBE", channel, 1);
    boolean sharded = cluster.binary().valkey() || cluster.binary().major() >= 7;
    if (sharded) {
      subscriber.to("SSUBSCRIBE", channel, 1);
    }
    Member from = cluster.masterOf(slot);
    Member to = cluster.masters().stream().filter(m -> m != from).findFirst().orElseThrow();
    try {
      cluster.migrateSlot(slot, from, to);
      awaitSubscription(to.server(), "NUMSUB", channel);
      if (sharded) {
        awaitSubscription(to.server(), "SHARDNUMSUB", channel);
        assertThat(publisher.call("SPUBLISH", channel, "last")).isEqualTo(":1\r\n");
      }
      assertThat(publisher.call("PUBLISH", channel, "end")).isEqualTo(":1\r\n");
      if (sharded) {
        subscriber.expect("smessage", channel, "last");
      }
      subscriber.expect("message", channel, "end");
      subscriber.expectNothing();
    } finally {
      cluster.migrateSlot(slot, to, from);
    }
  }

  /** Waits until {@code PUBSUB} at the server counts one subscription. */
  private static void awaitSubscription(ServerProcess server, String... counter) {
    String[] question =
        Stream.concat(Stream.of("PUBSUB"), Stream.of(counter)).toArray(String[]::new);
    Subscriber.await(
        List.of(counter) + " is 1 at " + server,
        () -> {
          try (RespClient direct = RespClient.open(server.host(), server.port())) {
            return direct.call(question).endsWith(":1\r\n");
          }
        });
  }

  @Test
  void drainingClosesSubscribers() {
    Subscriber subscriber = subscriber(2).to("SUBSCRIBE", "x", 1);

    ProxyFixture.await(proxy.proxy().drain(Duration.ofSeconds(10)));

    assertThat(subscriber.wire().isClosedByPeer()).isTrue();
  }

  @Test
  void pubSubWorksOnASingleServer() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture single = ProxyFixture.of(server).startReady();
        Subscriber one = Subscriber.open(single, 2).to("SUBSCRIBE", "a", 1);
        Subscriber two = Subscriber.open(single, 3).to("PSUBSCRIBE", "*", 1);
        RespClient loud = single.connect()) {
      assertThat(loud.call("PUBLISH", "a", "x")).isEqualTo(":2\r\n");
      one.expect("message", "a", "x");
      two.expect("pmessage", "*", "a", "x");
      assertThat(loud.call("PUBSUB", "NUMSUB", "a")).isEqualTo("*2\r\n$1\r\na\r\n:1\r\n");
      assertThat(loud.call("PUBSUB", "NUMPAT")).isEqualTo(":1\r\n");

      server.restart();

      awaitSubscription(server, "NUMSUB", "a");
      awaitSubscription(server, "NUMPAT");
      assertThat(loud.call("PUBLISH", "a", "again")).isEqualTo(":2\r\n");
      one.expect("message", "a", "again");
      two.expect("pmessage", "*", "a", "again");
    }
  }
}
