package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Subscriptions survive the failure of their master, on a cluster of its own. */
class SubscriberFailoverIT {

  private static final int SLOT = 137;
  private static final String CHANNEL = Keys.tag(SLOT) + "news";

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  private final List<Subscriber> subscribers = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @BeforeAll
  static void startCluster() {
    cluster = SharedCluster.builder().option("cluster-require-full-coverage", "no").start();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(2)).startReady();
  }

  @AfterEach
  void stop() {
    subscribers.forEach(Subscriber::close);
    proxy.close();
    cluster.members().stream().filter(member -> !member.isRunning()).forEach(Member::restart);
    cluster.awaitHealthy();
  }

  private Subscriber subscriber(int protocol) {
    Subscriber made = Subscriber.open(proxy, protocol);
    subscribers.add(made);
    return made;
  }

  /** Publishes until the reply is {@code wanted}, and returns the last message published. */
  private static String publishUntilReceived(RespClient publisher, String command, String wanted) {
    int[] sent = {0};
    Subscriber.await(
        "all subscribers get a " + command,
        () -> publisher.call(command, CHANNEL, "m" + ++sent[0]).equals(wanted));
    return "m" + sent[0];
  }

  /**
   * Waits until a node has a subscription of Penstock. Messages published before are lost, although
   * the reply to {@code PUBLISH} counts the clients that are about to be subscribed.
   */
  private static void awaitSubscribed(Member node, String... what) {
    List<String> call = new ArrayList<>(List.of("PUBSUB"));
    call.addAll(List.of(what));
    Subscriber.await(
        String.join(" ", call) + " at the new master",
        () -> {
          try (RespClient direct = RespClient.open(node.host(), node.port())) {
            return direct.call(call.toArray(String[]::new)).endsWith(":1\r\n");
          }
        });
  }

  /** Reads until this push arrives; the pushes before it are earlier messages of the same kind. */
  private static void readUntil(Subscriber subscriber, String... push) {
    String wanted = subscriber.frame(push);
    String word = Wire.bulk(push[0]);
    String next = subscriber.wire().read();
    while (!next.equals(wanted)) {
      assertThat(Wire.shown(next)).contains(Wire.shown(word));
      next = subscriber.wire().read();
    }
  }

  @Test
  void subscriptionsMoveToThePromotedReplica() {
    cluster.members().forEach(m -> m.text("CONFIG", "SET", "notify-keyspace-events", "KEA"));
    Member master = cluster.masterOf(SLOT);
    Member replica = cluster.replicasOf(master).getFirst();
    Subscriber channel = subscriber(2).to("SUBSCRIBE", CHANNEL, 1);
    Subscriber events = subscriber(3).to("PSUBSCRIBE", "__keyspace@0__:*", 1);
    boolean sharded = cluster.binary().valkey() || cluster.binary().major() >= 7;
    Subscriber shard = sharded ? subscriber(3).to("SSUBSCRIBE", CHANNEL, 1) : null;

    master.kill();
    cluster.awaitMaster(replica);
    awaitSubscribed(replica, "NUMSUB", CHANNEL);

    try (RespClient publisher = proxy.connect()) {
      String last = publishUntilReceived(publisher, "PUBLISH", ":1\r\n");
      readUntil(channel, "message", CHANNEL, last);
      if (shard != null) {
        awaitSubscribed(replica, "SHARDNUMSUB", CHANNEL);
        last = publishUntilReceived(publisher, "SPUBLISH", ":1\r\n");
        readUntil(shard, "smessage", CHANNEL, last);
      }
      awaitSubscribed(replica, "NUMPAT");
      for (String tag : Keys.tagsOfMasters(cluster)) {
        Subscriber.await("set", () -> publisher.call("SET", tag + "k", "v").equals("+OK\r\n"));
        readUntil(events, "pmessage", "__keyspace@0__:*", "__keyspace@0__:" + tag + "k", "set");
      }
      // The old master returns as a replica, and publishes events for replicated writes.
      master.restart();
      cluster.awaitHealthy();
      for (String tag : Keys.tagsOfMasters(cluster)) {
        assertThat(publisher.call("DEL", tag + "k")).isEqualTo(":1\r\n");
        events.expect("pmessage", "__keyspace@0__:*", "__keyspace@0__:" + tag + "k", "del");
      }
      assertThat(publisher.call("PUBLISH", CHANNEL, "end")).isEqualTo(":1\r\n");
      channel.expect("message", CHANNEL, "end");
      channel.expectNothing();
      events.expectNothing();
    }
  }

  @Test
  void manyPatternsMoveToThePromotedReplica() {
    String prefix = Keys.tag(SLOT);
    int count = 2_500;
    Member master = cluster.masterOf(SLOT);
    Member replica = cluster.replicasOf(master).getFirst();
    Subscriber subscriber = subscriber(3);
    subscriber.wire().send(Patterns.request("PSUBSCRIBE", prefix, count));
    Patterns.expect(subscriber, "psubscribe", prefix, count, 1);
    assertThat(Patterns.ofConnections(master)).containsExactlyInAnyOrder(1_000, 1_000, 500);

    master.kill();
    cluster.awaitMaster(replica);
    Patterns.awaitAtMasters(cluster, count);
    Subscriber.await(
        "the patterns at the new master",
        () -> Patterns.ofConnections(replica).stream().mapToInt(each -> each).sum() == count);

    assertThat(Patterns.ofConnections(replica)).containsExactlyInAnyOrder(1_000, 1_000, 500);
    try (RespClient publisher = proxy.connect()) {
      Subscriber.await(
          "the new master counts the client",
          () -> publisher.call("PUBLISH", prefix + "7x", "end").equals(":1\r\n"));
      readUntil(subscriber, "pmessage", prefix + "7?", prefix + "7x", "end");
    }
  }

  @Test
  void aPlannedFailoverCausesNoErrors() {
    Member master = cluster.masterOf(SLOT);
    Member replica = cluster.replicasOf(master).getFirst();
    Subscriber channel = subscriber(2).to("SUBSCRIBE", CHANNEL, 1);
    Subscriber pattern = subscriber(3).to("PSUBSCRIBE", CHANNEL.substring(0, 3) + "*", 1);

    try (RespClient publisher = proxy.connect()) {
      cluster.failover(replica);
      publishUntilReceived(publisher, "PUBLISH", ":2\r\n");
      awaitSubscribed(replica, "NUMSUB", CHANNEL);
      Subscriber.await(
          "a master has the pattern",
          () -> cluster.masters().stream().anyMatch(m -> !m.text("PUBSUB", "NUMPAT").equals("0")));
      // A node counts a subscription shortly before Penstock gets the confirmation.
      publishUntilReceived(publisher, "PUBLISH", ":2\r\n");
      assertThat(publisher.call("PUBLISH", CHANNEL, "end")).isEqualTo(":2\r\n");
      readUntil(channel, "message", CHANNEL, "end");
      readUntil(pattern, "pmessage", CHANNEL.substring(0, 3) + "*", CHANNEL, "end");
      channel.expectNothing();
      pattern.expectNothing();
    }
  }
}
