package io.penstock.core.session;

import static io.penstock.core.session.PubSubReplies.array;
import static io.penstock.core.session.PubSubReplies.push;
import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.network.Peer;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;

/**
 * Clients of a rig that subscribe, and its feeds: the connections for subscriptions to the nodes. A
 * command is written as {@code ssubscribe a}.
 */
abstract class Subscribers {

  /** The longest time that messages take from node to node. */
  static final Duration BUS = Duration.ofMillis(250);

  Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  final void restart(RigOptions options) {
    rig.close();
    rig = options.start();
  }

  /** Returns a client that speaks RESP3. */
  final Peer resp3() {
    Peer client = rig.client();
    client.send(call("HELLO 3")).expect("%7\r\n");
    int rest = client.read(1).length(); // the rest of the reply to HELLO has arrived with it
    await().until(() -> client.pending() >= 100);
    client.read(client.pending());
    assertThat(rest).isEqualTo(1);
    return client;
  }

  /** Accepts the feed of a node, over which a command comes first. */
  final Peer feed(int node, String command) {
    return rig.acceptSubscriberConnection(node).expect(call(command));
  }

  /** Accepts the shared connection for RESP3 clients, behind the one that is made in advance. */
  final Peer acceptResp3(int node) {
    rig.accept(node);
    return rig.acceptSubscriberConnection(node);
  }

  /**
   * Has the node confirm a command with one name.
   *
   * @param count of the node's subscriptions over this feed
   */
  static Peer confirm(Peer feed, String command, int count) {
    return feed.expect(call(command)).send(confirmation(command, count));
  }

  private static String confirmation(String command, int count) {
    String[] words = command.split(" ");
    return push(words[0], words[1], ":" + count);
  }

  /** Has a client send a command, which the node gets over its new feed and does not confirm. */
  final Peer subscribing(Peer client, int node, String command) {
    int end = command.indexOf(' ');
    client.send(call(command.substring(0, end).toUpperCase(Locale.ROOT) + command.substring(end)));
    return feed(node, command);
  }

  /** Subscribes a client to one channel, in RESP2. Returns the node's new feed. */
  final Peer subscribed(Peer client, int node, String channel) {
    Peer feed = subscribing(client, node, "subscribe " + channel);
    feed.send(push("subscribe", channel, ":1"));
    client.expect(array("subscribe", channel, ":1"));
    return feed;
  }

  /** The same for a client that speaks RESP3. */
  final Peer subscribedInResp3(Peer client, int node, String channel) {
    Peer feed = subscribing(client, node, "subscribe " + channel);
    feed.send(push("subscribe", channel, ":1"));
    client.expect(push("subscribe", channel, ":1"));
    return feed;
  }

  /** Subscribes a client to the shard channel {@code a}. Returns the new feed of node 1. */
  final Peer subscribedToShardChannel(Peer client) {
    Peer feed = subscribing(client, 1, "ssubscribe a");
    feed.send(push("ssubscribe", "a", ":1"));
    client.expect(array("ssubscribe", "a", ":1"));
    return feed;
  }

  /** Subscribes a client to one name over a feed that is open, with the node's count for both. */
  static void subscribedTo(Peer client, Peer feed, String command, int count) {
    String[] words = command.toLowerCase(Locale.ROOT).split(" ");
    client.send(call(command));
    confirm(feed, String.join(" ", words), count);
    client.expect(array(words[0], words[1], ":" + count));
  }

  /** Subscribes one more client, in RESP2, to a channel that others are subscribed to. */
  static void alsoSubscribed(Peer client, Peer feed, String channel) {
    client.send(call("SUBSCRIBE " + channel));
    answerPing(feed);
    client.expect(array("subscribe", channel, ":1"));
  }

  /** Has a node send a message, which the client gets in RESP2. */
  static void deliver(Peer feed, Peer client, String channel, String message) {
    feed.send(push("message", channel, message));
    client.expect(array("message", channel, message));
  }

  /** Answers what the node is asked behind all messages so far. */
  static void answerPing(Peer feed) {
    feed.expect(PING).send("+PONG\r\n");
  }

  /** Moves the slot of {@code a} from node 1 to node 0, and lets the loop know. */
  final void moveA() {
    rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));
    rig.accept(0); // for commands
  }

  /** Returns the redirect with which node 1 tells of that. */
  final String movedA() {
    return "-MOVED " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(0).port() + "\r\n";
  }
}
