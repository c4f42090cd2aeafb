package io.penstock.core.session;

import static io.penstock.core.session.PubSubReplies.array;
import static io.penstock.core.session.PubSubReplies.elements;
import static io.penstock.core.session.PubSubReplies.push;
import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Message;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscribeRequest;
import io.penstock.core.pubsub.Subscriber;
import io.penstock.core.resp.Protocol;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.wire.LogLines;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Subscribers on one loop: {@code a} and {@code foo} belong to node 1, {@code b} and {@code c} to
 * node 0.
 */
class SubscriptionsTest extends Subscribers {

  /** Replies to subscribing and unsubscribing. */
  @Nested
  class Confirmations {

    @Test
    void subscribeWaitsAsLongAsTheFailoverHold() {
      Duration timeout = Duration.ofSeconds(1);
      restart(new RigOptions().commandTimeout(timeout).failoverHold(Duration.ofSeconds(100)));
      rig.connected(1);
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(call("SSUBSCRIBE a"));
      rig.awaitUnanswered(1);
      rig.advance(timeout);
      rig.onLoop(() -> {
        rig.sessions().hub().tick(rig.loop().tick());
        return true;
      });
      assertThat(client.pending()).isZero();

      rig.server(1).listenAgain();

      Peer feed = feed(1, "ssubscribe a");
      feed.send(push("ssubscribe", "a", ":1"));
      client.expect(array("ssubscribe", "a", ":1"));
    }

    @Test
    void theConfirmationFollowsThatOfTheNode() {
      Peer client = rig.client();
      Peer feed = subscribing(client, 0, "subscribe b");
      Peer other = rig.client();
      other.send(PING).expect("+PONG\r\n");
      assertThat(client.pending()).isZero();

      feed.send(push("subscribe", "b", ":1") + push("message", "b", "hello"));

      client.expect(array("subscribe", "b", ":1") + array("message", "b", "hello"));
    }

    @Test
    void requestsToSubscribeThatFollowEachOtherAreSentAtOnce() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + call("SUBSCRIBE a") + call("SUBSCRIBE c") + PING);
      Peer lower = feed(0, "subscribe b c");
      Peer upper = feed(1, "subscribe a");
      lower.send(push("subscribe", "b", ":1") + push("subscribe", "c", ":2"));
      client.expect(array("subscribe", "b", ":1"));
      lower.send(push("message", "c", "early") + push("message", "b", "1"));
      client.expect(array("message", "b", "1"));

      upper.send(push("subscribe", "a", ":1"));

      client.expect(
          array("subscribe", "a", ":2")
              + array("subscribe", "c", ":3")
              + array("message", "c", "early")
              + array("pong", ""));
      deliver(lower, client, "c", "now");
      deliver(upper, client, "a", "too");
    }

    /** As Celery does for each result. */
    @Test
    void aChannelIsSubscribedToRightBehindItsEnd() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + call("UNSUBSCRIBE b") + call("SUBSCRIBE b") + PING);
      Peer feed = feed(0, "subscribe b").send(push("subscribe", "b", ":1"));
      client.expect(array("subscribe", "b", ":1"));

      feed.expect(PING).send("+PONG\r\n" + push("message", "b", "early"));

      client.expect(
          array("unsubscribe", "b", ":0")
              + array("subscribe", "b", ":1")
              + array("message", "b", "early")
              + array("pong", ""));
      deliver(feed, client, "b", "now");
    }

    @Test
    void aChannelIsSubscribedToTwiceBehindAnother() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("UNSUBSCRIBE none") + call("SUBSCRIBE a") + call("SUBSCRIBE b"));
      Peer upper = feed(1, "subscribe a");
      feed.expect(PING).send("+PONG\r\n" + push("message", "b", "early"));
      client.expect(array("unsubscribe", "none", ":1") + array("message", "b", "early"));

      upper.send(push("subscribe", "a", ":1"));

      client.expect(array("subscribe", "a", ":2") + array("subscribe", "b", ":2"));
      deliver(feed, client, "b", "now");
    }

    @Test
    void aRequestBehindTheEndOfASubscriptionIsSentAtOnce() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("UNSUBSCRIBE b") + call("SUBSCRIBE c") + call("UNSUBSCRIBE c b"));
      client.send(call("SUBSCRIBE a") + PING);
      Peer upper = feed(1, "subscribe a");
      upper.send(push("subscribe", "a", ":1"));
      feed.expect(PING + call("subscribe c")).send("+PONG\r\n" + push("subscribe", "c", ":2"));
      confirm(feed, "unsubscribe b", 1);
      client.expect(array("unsubscribe", "b", ":0") + array("subscribe", "c", ":1"));
      answerPing(feed);
      confirm(feed, "unsubscribe c", 0);

      client.expect(array("unsubscribe", "c", ":0") + array("unsubscribe", "b", ":0"));
      client.expect(array("subscribe", "a", ":1") + array("pong", ""));
      deliver(upper, client, "a", "now");
    }

    @Test
    void anErrorOfOneOfThemComesInItsPlace() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + call("SUBSCRIBE a") + call("SUBSCRIBE c"));
      Peer lower = feed(0, "subscribe b c");
      Peer upper = feed(1, "subscribe a");
      upper.send("-NOPERM no permissions to access one of the channels\r\n");
      lower.send(push("subscribe", "b", ":1") + push("subscribe", "c", ":2"));

      client.expect(
          array("subscribe", "b", ":1")
              + "-NOPERM no permissions to access one of the channels\r\n"
              + array("subscribe", "c", ":2"));
      deliver(lower, client, "c", "now");
    }

    @Test
    void aClientMayLeaveBeforeAnyOfThemIsConfirmed() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + call("SUBSCRIBE c"));
      Peer feed = feed(0, "subscribe b c");
      client.close();

      feed.expect(call("unsubscribe b") + call("unsubscribe c"));
    }

    @Test
    void severalChannelsAreConfirmedWithGrowingCounts() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b a b"));
      Peer lower = feed(0, "subscribe b");
      Peer upper = feed(1, "subscribe a");
      String early = push("subscribe", "b", ":1") + push("message", "b", "too early");
      lower.send(early);
      int handshakes = 5 + 4 + 5; // including the connection for requests
      await().until(() -> rig.bytesReceivedFrom(0) == handshakes + early.length());
      upper.send(push("subscribe", "a", ":1"));

      client.expect(
          array("subscribe", "b", ":1")
              + array("subscribe", "a", ":2")
              + array("subscribe", "b", ":2"));
      deliver(lower, client, "b", "now");
    }

    @Test
    void unsubscribingFromNothingIsConfirmedAsInRedis() {
      Peer client = rig.client();
      client.send(call("UNSUBSCRIBE")).expect("*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n");
      client.send(call("PUNSUBSCRIBE x")).expect(array("punsubscribe", "x", ":0"));
      client.send(call("SUNSUBSCRIBE")).expect("*3\r\n$12\r\nsunsubscribe\r\n$-1\r\n:0\r\n");
      Peer newer = resp3();
      newer.send(call("UNSUBSCRIBE")).expect(">3\r\n$11\r\nunsubscribe\r\n_\r\n:0\r\n");
    }

    @Test
    void shardChannelsAreCountedSeparately() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      subscribedTo(client, feed, "PSUBSCRIBE b", 2);
      subscribedTo(client, feed, "SSUBSCRIBE b", 1);

      feed.send(push("smessage", "b", "s") + push("message", "b", "m"));
      feed.send(push("pmessage", "b", "b", "p"));
      client.expect(
          array("smessage", "b", "s")
              + array("message", "b", "m")
              + array("pmessage", "b", "b", "p"));
      assertThat(
              rig.<String>onLoop(
                  () -> List.copyOf(rig.sessions().sessions()).getLast().view().line()))
          .contains(" flags=P ")
          .contains(" sub=1 psub=1 ssub=1 ");
    }

    @Test
    void aResp2SubscriberMaySendFewCommands() {
      Peer client = rig.client();
      subscribed(client, 0, "b");
      String rest =
          "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this"
              + " context\r\n";

      client.send(get("a")).expect("-ERR Can't execute 'get" + rest);
      client.send(call("CLIENT LIST")).expect("-ERR Can't execute 'client|list" + rest);
      client.send(call("PUBLISH b x")).expect("-ERR Can't execute 'publish" + rest);
      client.send(call("HELLO 3")).expect("-ERR Can't execute 'hello" + rest);
      client.send(call("GET")).expect("-ERR wrong number of arguments for 'get' command\r\n");
      client.send(PING).expect(array("pong", ""));
      client.send(call("PING hi")).expect(array("pong", "hi"));
      client.send(call("RESET") + PING).expect("+RESET\r\n+PONG\r\n");
    }

    @Test
    void aPatternThatIsTooLongIsRejected() {
      Peer client = rig.client();
      String error = "-ERR pattern is too long: more than 4096 bytes\r\n";
      client.send(call("PSUBSCRIBE " + "*".repeat(500_000) + "!")).expect(error);
      client.send(call("PSUBSCRIBE b " + "*".repeat(4_097)) + PING).expect(error + "+PONG\r\n");

      subscribed(client, 0, "b");
      client.send(call("PSUBSCRIBE " + "*".repeat(4_097))).expect(error);
      client.send(PING).expect(array("pong", ""));
    }

    @Test
    void laterRequestsWaitForTheConfirmation() {
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + PING + call("UNSUBSCRIBE b") + PING);
      Peer feed = feed(0, "subscribe b");
      feed.send(push("subscribe", "b", ":1"));
      answerPing(feed);
      confirm(feed, "unsubscribe b", 0);

      client.expect(
          array("subscribe", "b", ":1")
              + array("pong", "")
              + array("unsubscribe", "b", ":0")
              + "+PONG\r\n");
    }

    @Test
    void aSubscriptionWaitsForEarlierReplies() {
      Peer client = rig.client();
      client.send(get("b") + call("SUBSCRIBE b"));
      Peer node = rig.accept(0).expect(get("b"));
      rig.accept(1);
      node.send("$1\r\n1\r\n");
      client.expect("$1\r\n1\r\n");

      confirm(rig.acceptSubscriberConnection(0), "subscribe b", 1);
      client.expect(array("subscribe", "b", ":1"));
    }
  }

  /** Delivery of messages to clients. */
  @Nested
  class Messages {

    @Test
    void messagesMayArriveInPieces() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      subscribedTo(client, feed, "PSUBSCRIBE c*", 2);
      String large = "x".repeat(3_000);
      String messages =
          elements("message", "b", "one")
              + ">"
              + elements("pmessage", "c*", "cat", "")
              + ">"
              + elements("message", "b", large)
              + ">"
              + elements("message", "b", "\r\n");
      Splits.forEach(
          Wire.bytes(">" + messages),
          pieces -> {
            pieces.forEach(feed::send);
            client.expect("*" + messages.replace("\r\n>", "\r\n*"));
          });
    }

    @Test
    void manyClientsShareOneSubscription() {
      Peer first = rig.client();
      Peer feed = subscribed(first, 0, "b");
      Peer second = resp3();
      second.send(call("SUBSCRIBE b"));
      answerPing(feed);
      second.expect(push("subscribe", "b", ":1"));
      String large = "x".repeat(100_000);
      feed.send(push("message", "b", "hi") + push("message", "b", large));

      first.expect(array("message", "b", "hi") + array("message", "b", large));
      second.expect(push("message", "b", "hi") + push("message", "b", large));

      first.send(call("UNSUBSCRIBE b"));
      answerPing(feed);
      first.expect(array("unsubscribe", "b", ":0"));
      second.send(call("UNSUBSCRIBE"));
      answerPing(feed);
      feed.expect(call("unsubscribe b"));
      assertThat(second.pending()).isZero();
      feed.send(push("unsubscribe", "b", ":0"));
      second.expect(push("unsubscribe", "b", ":0"));
    }

    @Test
    void aNewSubscriberGetsNoEarlierMessage() {
      Peer first = rig.client();
      Peer feed = subscribed(first, 0, "b");
      Peer second = rig.client();
      second.send(call("SUBSCRIBE b"));
      feed.expect(PING);

      feed.send(push("message", "b", "earlier") + "+PONG\r\n" + push("message", "b", "later"));

      first.expect(array("message", "b", "earlier") + array("message", "b", "later"));
      second.expect(array("subscribe", "b", ":1") + array("message", "b", "later"));
    }

    /** The node may have subscribed and published before the second client's request. */
    @Test
    void aSubscriptionUnderWayIsNotThatOfALaterRequest() {
      Peer first = rig.client().send(call("SUBSCRIBE b"));
      Peer feed = feed(0, "subscribe b");
      Peer second = rig.client().send(call("SUBSCRIBE b"));
      feed.expect(PING);

      feed.send(push("subscribe", "b", ":1") + push("message", "b", "earlier") + "+PONG\r\n");
      feed.send(push("message", "b", "later"));

      first.expect(array("subscribe", "b", ":1") + array("message", "b", "earlier"));
      first.expect(array("message", "b", "later"));
      second.expect(array("subscribe", "b", ":1") + array("message", "b", "later"));
    }

    @Test
    void earlierMessagesPrecedeTheEndOfASubscription() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("UNSUBSCRIBE b"));
      feed.expect(PING);

      feed.send(push("message", "b", "earlier") + "+PONG\r\n" + push("message", "b", "later"));
      confirm(feed, "unsubscribe b", 0);

      client.expect(array("message", "b", "earlier") + array("unsubscribe", "b", ":0"));
    }

    /** Otherwise a thousand clients that come at once would be a thousand commands. */
    @Test
    void clientsWaitForEarlierMessagesTogether() {
      Peer feed = subscribed(rig.client(), 0, "b");
      Peer second = rig.client().send(call("SUBSCRIBE b"));
      feed.expect(PING);
      Peer third = rig.client().send(call("SUBSCRIBE b"));
      Peer fourth = rig.client().send(call("SUBSCRIBE b"));
      rig.awaitUnanswered(3);
      assertThat(feed.pending()).isZero();

      feed.send("+PONG\r\n");

      second.expect(array("subscribe", "b", ":1"));
      answerPing(feed);
      third.expect(array("subscribe", "b", ":1"));
      fourth.expect(array("subscribe", "b", ":1"));
      assertThat(feed.pending()).isZero();
    }

    @Test
    void aNodeThatDoesNotAllowPingStillShowsWhatIsEarlier() {
      Peer feed = subscribed(rig.client(), 0, "b");
      Peer client = rig.client().send(call("SUBSCRIBE b"));
      feed.expect(PING).send(push("message", "b", "earlier") + "-NOPERM no PING\r\n");
      client.expect(array("subscribe", "b", ":1"));
      deliver(feed, client, "b", "later");
    }

    @Test
    void messagesAreSentBetweenRepliesAndNeverWithinOne() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(get("b") + get("c"));
      Peer node = acceptResp3(0).expect(get("b") + get("c"));
      feed.send(push("message", "b", "before"));
      client.expect(push("message", "b", "before"));

      String value = Wire.bulk("v".repeat(60_000));
      node.send(value.substring(0, 40_000));
      client.expect(value.substring(0, 30_000));
      feed.send(push("message", "b", "within") + push("message", "b", "x".repeat(9_000)));
      Peer other = rig.client();
      other.send(PING).expect("+PONG\r\n");
      node.send(value.substring(40_000));

      client.expect(value.substring(30_000));
      client.expect(push("message", "b", "within") + push("message", "b", "x".repeat(9_000)));
      node.send("$-1\r\n");
      client.expect("$-1\r\n");
    }

    @Test
    void clientReplyOffDoesNotMuteMessages() {
      Peer client = rig.client();
      client.send(call("CLIENT REPLY OFF") + call("SUBSCRIBE b"));
      Peer feed = feed(0, "subscribe b");
      feed.send(push("subscribe", "b", ":1"));
      client.expect(array("subscribe", "b", ":1"));
      client.send(PING);
      deliver(feed, client, "b", "hi");
    }

    @Test
    void keyspaceNotificationsComeFromEveryMaster() {
      Peer client = rig.client();
      Peer lower = subscribing(client, 0, "psubscribe *");
      Peer upper = feed(1, "psubscribe *");
      lower.send(push("psubscribe", "*", ":1"));
      upper.send(push("psubscribe", "*", ":1"));
      client.expect(array("psubscribe", "*", ":1"));

      upper.send(push("pmessage", "*", "__keyspace@0__:a", "set"));
      client.expect(array("pmessage", "*", "__keyspace@0__:a", "set"));
      lower.send(push("pmessage", "*", "__keyevent@0__:set", "b"));
      client.expect(array("pmessage", "*", "__keyevent@0__:set", "b"));
      // The pattern's slot is 1320, which is in the lower half.
      upper.send(
          push("pmessage", "*", "news", "x") + push("pmessage", "*", "__keyspace@0__:a", "1"));
      client.expect(array("pmessage", "*", "__keyspace@0__:a", "1"));
      lower.send(push("pmessage", "*", "news", "x"));
      client.expect(array("pmessage", "*", "news", "x"));
    }

    @Test
    void bufferedMessagesPrecedeAChangeOfProtocol() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(get("b") + call("HELLO 2") + get("b"));
      Peer node = acceptResp3(0).expect(get("b"));
      feed.send(push("message", "b", "1"));
      client.expect(push("message", "b", "1"));

      node.send("$-1\r\n");

      client.expect("$-1\r\n*14\r\n$6\r\nserver\r\n");
      await().until(() -> client.pending() > 150);
      assertThat(client.read(client.pending())).contains("-ERR Can't execute 'get'");
      deliver(feed, client, "b", "2");
    }
  }

  /** Channels whose node changes or is lost. */
  @Nested
  class MovingChannels {

    @Test
    void resubscribesWhenTheConnectionComesBack() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");

      feed.reset();

      Peer again = feed(0, "subscribe b");
      again.send(push("subscribe", "b", ":1") + push("message", "b", "back"));
      client.expect(array("message", "b", "back"));
    }

    @Test
    void aMovedChannelLosesAndDuplicatesNoMessage() {
      Peer client = rig.client();
      Peer old = subscribed(client, 1, "a");
      moveA();
      rig.tick(BUS);
      Peer owner = feed(0, "subscribe a");
      deliver(old, client, "a", "1");

      owner.send(push("subscribe", "a", ":1") + push("message", "a", "2"));
      client.expect(array("message", "a", "2"));
      old.expect(call("unsubscribe a")).send(push("message", "a", "2"));
      deliver(owner, client, "a", "3");
    }

    /**
     * Messages published at the old owner may still be on their way to the new one. The old owner
     * delivers them, and then those from the new one.
     */
    @Test
    void aMovedChannelStaysUntilTheBusDelayHasPassed() {
      Peer client = rig.client();
      Peer old = subscribed(client, 1, "a");
      moveA();
      old.send(push("message", "a", "1") + push("message", "a", "2"));
      client.expect(array("message", "a", "1") + array("message", "a", "2"));
      Peer other = resp3();
      Peer feed = subscribedInResp3(other, 0, "b");

      rig.tick(BUS);

      feed.expect(call("subscribe a"));
    }

    @Test
    void channelsFollowTheTopologyOfAnotherUpstream() {
      Peer client = rig.client();
      Peer old = subscribed(client, 1, "a");
      SlotMap other = rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0));

      rig.followOther(other, Duration.ofSeconds(100));
      rig.tick(BUS);

      Peer owner = feed(0, "subscribe a");
      deliver(old, client, "a", "1");
      owner.send(push("subscribe", "a", ":1") + push("message", "a", "2"));
      client.expect(array("message", "a", "2"));
    }

    @Test
    void openConnectionsHaveTheTimeoutOfAnotherUpstream() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("SUBSCRIBE c"));
      feed.expect(call("subscribe c"));
      rig.tick(Duration.ofSeconds(10));
      feed.send(push("subscribe", "c", ":2"));
      client.expect(array("subscribe", "c", ":2")); // the connection is open
      client.send(call("SUBSCRIBE bar"));

      rig.followOther(rig.topology().current(), Duration.ofSeconds(1));
      feed.expect(call("subscribe bar"));
      rig.tick(Duration.ofSeconds(10));

      feed.expectClosed();
      feed(0, "subscribe b c bar");
    }

    @Test
    void anUnconfirmedChannelMovesAtOnce() {
      Peer client = rig.client();
      Peer old = subscribed(client, 1, "a");
      moveA();
      old.reset();

      feed(0, "subscribe a");
    }

    @Test
    void anotherNodeServesAChannelOfAnUnreachableOwner() {
      rig.connected(0);
      rig.server(0).stopListening();
      Peer client = rig.client();
      Peer feed = subscribing(client, 1, "subscribe b");
      feed.send(push("subscribe", "b", ":1"));
      client.expect(array("subscribe", "b", ":1"));
      rig.server(0).listenAgain();
      Peer owner = rig.acceptSubscriberConnection(0);
      await()
          .until(() -> {
            rig.tick(BUS);
            return owner.pending() > 0;
          });
      confirm(owner, "subscribe b", 1);

      feed.expect(call("unsubscribe b"));
      deliver(owner, client, "b", "x");
    }
  }

  /** Shard channels, which only the owner of the slot serves. */
  @Nested
  class ShardChannels {

    @Test
    void aShardChannelFollowsItsSlotSilently() {
      Peer client = rig.client();
      Peer old = subscribing(client, 1, "ssubscribe a {a}2");
      old.send(push("ssubscribe", "a", ":1") + push("ssubscribe", "{a}2", ":2"));
      client.expect(array("ssubscribe", "a", ":1") + array("ssubscribe", "{a}2", ":2"));

      old.send(push("sunsubscribe", "a", ":1") + push("sunsubscribe", "{a}2", ":0"));
      old.expect(call("ssubscribe a") + call("ssubscribe {a}2"));
      old.send(movedA() + movedA());
      Peer owner = feed(0, "ssubscribe a {a}2");
      owner.send(push("ssubscribe", "a", ":1") + push("ssubscribe", "{a}2", ":2"));
      owner.send(push("smessage", "a", "x"));

      client.expect(array("smessage", "a", "x"));
      assertThat(rig.topology().calls()).contains("moved 15495 to " + rig.address(0).port());
    }

    /** Subscribes a client to the shard channel {@code a}. */
    private Peer joinsShardChannel(Peer feed) {
      Peer client = rig.client();
      subscribedTo(client, feed, "SSUBSCRIBE a", 1);
      return client;
    }

    /** Unsubscribes a client from the shard channel {@code a}, at its node too. */
    private Peer leavesShardChannel(Peer feed) {
      Peer client = joinsShardChannel(feed);
      client.send(call("SUNSUBSCRIBE a"));
      answerPing(feed);
      feed.expect(call("sunsubscribe a"));
      return client;
    }

    /** Ends the subscription from the node's side, and answers the SUNSUBSCRIBE with an error. */
    @Test
    void aMoveDuringUnsubscribeKeepsTheConnection() {
      Peer listener = rig.client();
      Peer feed = subscribed(listener, 1, "foo");
      Peer client = leavesShardChannel(feed);
      feed.send(push("sunsubscribe", "a", ":0") + movedA() + push("message", "foo", "x"));

      client.expect(array("sunsubscribe", "a", ":0"));
      listener.expect(array("message", "foo", "x"));
    }

    @Test
    void aStaleUnsubscribeErrorMatchesNoOtherCommand() {
      Peer listener = rig.client();
      Peer feed = subscribed(listener, 1, "foo");
      Peer client = leavesShardChannel(feed);
      listener.send(call("SSUBSCRIBE foo"));
      feed.expect(call("ssubscribe foo"));

      feed.send(push("sunsubscribe", "a", ":0"));
      feed.send(movedA());
      feed.send(push("ssubscribe", "foo", ":1") + push("smessage", "foo", "x"));

      client.expect(array("sunsubscribe", "a", ":0"));
      listener.expect(array("ssubscribe", "foo", ":1") + array("smessage", "foo", "x"));
    }

    /** The node ends the channel before it reads the PING and the SUNSUBSCRIBE behind it. */
    @Test
    void anEndedShardChannelDoesNotAnswerForEarlierMessages() {
      Peer listener = rig.client();
      Peer feed = subscribed(listener, 1, "foo");
      Peer leaving = joinsShardChannel(feed);
      Peer coming = rig.client().send(call("SUBSCRIBE foo"));
      feed.expect(PING);
      leaving.reset();
      feed.expect(call("sunsubscribe a"));

      feed.send(push("sunsubscribe", "a", ":0") + push("message", "foo", "earlier"));
      feed.send("+PONG\r\n-MOVED 15495 127.0.0.1:" + rig.address(0).port() + "\r\n");

      coming.expect(array("subscribe", "foo", ":1"));
      listener.expect(array("message", "foo", "earlier"));
      Peer next = rig.client();
      alsoSubscribed(next, feed, "foo");
      deliver(feed, coming, "foo", "later");
      next.expect(array("message", "foo", "later"));
    }

    /** The error is the reply to the SUNSUBSCRIBE, which the node's own push has confirmed. */
    @Test
    void aStaleUnsubscribeErrorDoesNotAnswerForEarlierMessages() {
      Peer listener = rig.client();
      Peer feed = subscribed(listener, 1, "foo");
      Peer client = leavesShardChannel(feed);
      feed.send(push("sunsubscribe", "a", ":0"));
      client.expect(array("sunsubscribe", "a", ":0"));
      Peer coming = rig.client().send(call("SUBSCRIBE foo"));
      feed.expect(PING);
      listener.send(call("SSUBSCRIBE {a}2"));
      feed.expect(call("ssubscribe {a}2"));

      feed.send(movedA() + push("message", "foo", "earlier") + "+PONG\r\n");
      feed.send(push("ssubscribe", "{a}2", ":1") + push("message", "foo", "later"));

      listener.expect(array("message", "foo", "earlier") + array("ssubscribe", "{a}2", ":1"));
      listener.expect(array("message", "foo", "later"));
      coming.expect(array("subscribe", "foo", ":1") + array("message", "foo", "later"));
    }

    /** Otherwise its last messages could be delivered behind those of the new owner. */
    @Test
    void aShardChannelStaysUntilItsOldOwnerEndsIt() {
      Peer client = rig.client();
      Peer old = subscribedToShardChannel(client);
      moveA();
      Peer other = resp3();
      Peer feed = subscribedInResp3(other, 0, "b");

      old.send(push("smessage", "a", "1") + push("sunsubscribe", "a", ":0"));

      feed.expect(call("ssubscribe a"));
      feed.send(push("ssubscribe", "a", ":1") + push("smessage", "a", "2"));
      client.expect(array("smessage", "a", "1") + array("smessage", "a", "2"));
    }

    @Test
    void aShardChannelMovesIfItsOldOwnerIsSilent() {
      Peer client = rig.client();
      subscribedToShardChannel(client);
      moveA();

      rig.tick(BUS);

      feed(0, "ssubscribe a");
    }

    @Test
    void shardChannelsOfSeveralSlotsAreRejected() {
      rig.client()
          .send(call("SSUBSCRIBE a b"))
          .expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
    }

    /** Sent by Valkey 8.0.0 and 8.0.1 in place of a confirmation. */
    @Test
    void aMissingSubscriptionErrorFailsNoOtherCommand() {
      Peer listener = rig.client();
      Peer feed = subscribed(listener, 1, "foo");
      Peer client = leavesShardChannel(feed);
      listener.send(call("SUBSCRIBE a"));
      feed.expect(call("subscribe a"));

      feed.send(push("sunsubscribe", "a", ":0"));
      feed.send("-NOSUB 'sunsubscribe' command executed not in subscribed mode\r\n");
      feed.send(push("subscribe", "a", ":2") + push("message", "a", "x"));

      client.expect(array("sunsubscribe", "a", ":0"));
      listener.expect(array("subscribe", "a", ":2") + array("message", "a", "x"));
    }
  }

  /** Error replies, nodes that do not answer, and internal failures. */
  @Nested
  class Failures {

    @Test
    void anErrorOfTheNodeGoesToTheClient() {
      restart(new RigOptions().named("orders"));
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b c"));
      Peer feed = feed(0, "subscribe b c").send("-NOPERM no\r\n");
      feed.expect(call("subscribe b") + call("subscribe c"));
      try (LogLines log = LogLines.of("pubsub.SubscriptionState")) {
        feed.send(push("subscribe", "b", ":1") + "-NOPERM not c\r\n");

        client.expect("-NOPERM not c\r\n");
        assertThat(log.get())
            .containsExactly(
                "Upstream orders: " + rig.address(0) + " rejects a subscription: -NOPERM not c");
      }
      confirm(feed, "unsubscribe b", 0);
      client.send(PING).expect("+PONG\r\n");
    }

    @Test
    void anUnreachableNodeIsAnErrorAtTheDeadline() {
      rig.server(0).stopListening();
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(call("SUBSCRIBE b") + PING);
      rig.awaitUnanswered(1);
      await().until(() -> rig.topology().calls().contains("refresh RECONNECT"));

      rig.tick(Duration.ofSeconds(200));

      client.expect(
          "-UNAVAILABLE no connection to the node in time; the command did not run\r\n+PONG\r\n");
    }

    @Test
    void aSilentNodeIsATimeout() {
      Peer client = rig.client();
      subscribing(client, 0, "subscribe b");

      rig.tick(Duration.ofSeconds(200));

      client.expect("-TIMEOUT the node did not answer in time\r\n");
    }

    /** A subscriber whose delivery of messages fails. */
    private static final class Failing implements Subscriber, SubscribeRequest.Callback {

      private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();
      private final List<Throwable> defects = new CopyOnWriteArrayList<>();
      private volatile boolean joined;

      @Override
      public void onMessage(Message message) {
        kept.add(message.copyFor(Protocol.RESP2));
        throw new OutOfMemoryError("thrown by a test");
      }

      @Override
      public void onFailure(Throwable cause) {
        defects.add(cause);
      }

      @Override
      public void onSubscribed() {
        joined = true;
      }

      @Override
      public void onError(byte[] error) {}

      @Override
      public void onRefused(HandshakeError error) {}

      @Override
      public void onFailure(Failure failure) {}
    }

    @Test
    void aFailureOfOneSubscriberDoesNotAffectOthers() {
      var failing = new Failing();
      ByteBuf wire = Wire.buffer("b");
      Name name = Name.copy(wire, 0, 1);
      wire.release();
      long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
      Hub hub = rig.sessions().hub();
      SubscribeRequest joining =
          rig.onLoop(() -> {
            SubscribeRequest begun = hub.begin(failing, Kind.CHANNEL, deadline, failing);
            hub.add(begun, name);
            hub.flush();
            hub.end(begun);
            return begun;
          });
      Peer feed = feed(0, "subscribe b");
      feed.send(push("subscribe", "b", ":1"));
      await().until(() -> failing.joined);
      rig.onLoop(() -> hub.addSubscriber(joining, name));
      Peer client = rig.client();
      alsoSubscribed(client, feed, "b");

      feed.send(push("message", "b", "1") + push("message", "b", "2"));

      client.expect(array("message", "b", "1") + array("message", "b", "2"));
      assertThat(failing.defects).hasSize(2);
      assertThat(failing.kept).allMatch(message -> message.refCnt() == 0);
    }

    /**
     * Sends as many commands to a node as it has not confirmed: it accepts 16 times as much as one
     * at once. Returns the confirmations that the node owes.
     */
    private String fill(Peer feed, int commands) {
      var confirmations = new StringBuilder();
      for (int i = 1; i <= commands; i++) {
        rig.client().send(call("SUBSCRIBE {b}" + i));
        feed.expect(call("subscribe {b}" + i));
        confirmations.append(push("subscribe", "{b}" + i, ":1"));
      }
      return confirmations.toString();
    }

    @Test
    void anUnsentSubscribeIsRetried() {
      restart(new RigOptions().bounds(new QueueLimits(1, 1 << 20)));
      Peer first = rig.client();
      Peer feed = subscribing(first, 0, "subscribe b");
      String confirmations = push("subscribe", "b", ":1") + fill(feed, 15);
      Peer client = rig.client().send(call("SUBSCRIBE {b}late"));
      rig.awaitUnanswered(17);
      assertThat(feed.pending()).isZero();

      feed.send(confirmations);
      first.expect(array("subscribe", "b", ":1"));
      rig.awaitUnanswered(1);
      rig.tick(Duration.ofSeconds(1));

      confirm(feed, "subscribe {b}late", 1);
      client.expect(array("subscribe", "{b}late", ":1"));
    }

    /**
     * A node that accepts no more.
     *
     * @param client that is subscribed to b
     * @param confirmations that the node owes
     */
    private record Full(Peer client, Peer feed, String confirmations) {

      void confirmAll() {
        feed.send(confirmations);
      }
    }

    private Full fullNode() {
      restart(new RigOptions().bounds(new QueueLimits(1, 1 << 20)));
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      return new Full(client, feed, fill(feed, 16));
    }

    /** The client of b has left, and the node did not get the command. */
    private Full unsubscribeUnheard() {
      Full full = fullNode();
      full.client.reset();
      rig.awaitClients(16);
      return full;
    }

    @Test
    void messagesAreAwaitedAgainWhenTheNodeAcceptsMore() {
      Full full = fullNode();
      Peer second = rig.client().send(call("SUBSCRIBE b"));
      full.client.send(call("UNSUBSCRIBE b"));
      rig.awaitUnanswered(18);

      full.confirmAll();
      rig.awaitUnanswered(2);
      assertThat(full.feed.pending()).isZero();
      rig.tick(Duration.ofSeconds(1));

      full.feed.expect(PING).send(push("message", "b", "earlier") + "+PONG\r\n");
      full.client.expect(array("message", "b", "earlier") + array("unsubscribe", "b", ":0"));
      second.expect(array("subscribe", "b", ":1"));
    }

    @Test
    void unsubscribingAtASilentNodeEndsWithItsConnection() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("UNSUBSCRIBE b") + PING);
      feed.expect(PING);

      rig.tick(Duration.ofSeconds(1_000));

      feed.expectClosed();
      client.expect(array("unsubscribe", "b", ":0") + "+PONG\r\n");
    }

    /** Nothing from the old owner is delivered any more. */
    @Test
    void noMessagesAreAwaitedFromANodeThatLostAllItsChannels() {
      Peer leaving = rig.client();
      Peer old = subscribed(leaving, 1, "a");
      Peer other = rig.client();
      alsoSubscribed(other, old, "a");
      leaving.send(call("UNSUBSCRIBE a"));
      old.expect(PING); // not answered
      moveA();
      rig.tick(BUS);
      Peer owner = feed(0, "subscribe a");
      owner.send(push("subscribe", "a", ":1") + push("message", "a", "x"));
      leaving.expect(array("message", "a", "x"));

      rig.tick(BUS);

      leaving.expect(array("unsubscribe", "a", ":0"));
      old.expect(call("unsubscribe a")).send("+PONG\r\n" + push("unsubscribe", "a", ":0"));
      owner.send(push("message", "a", "y"));
      other.expect(array("message", "a", "x") + array("message", "a", "y"));
    }

    /** A new connection has no earlier messages. */
    @Test
    void noMessagesAreAwaitedFromALostConnection() {
      Peer leaving = rig.client();
      Peer feed = subscribed(leaving, 0, "b");
      Peer other = rig.client();
      alsoSubscribed(other, feed, "b");
      leaving.send(call("UNSUBSCRIBE b"));
      feed.expect(PING);
      Peer coming = rig.client().send(call("SUBSCRIBE b"));
      rig.awaitUnanswered(2);

      feed.reset();

      leaving.expect(array("unsubscribe", "b", ":0"));
      Peer again = feed(0, "subscribe b");
      assertThat(coming.pending()).isZero();
      again.send(push("subscribe", "b", ":1") + push("message", "b", "x"));
      coming.expect(array("subscribe", "b", ":1") + array("message", "b", "x"));
      other.expect(array("message", "b", "x"));
    }

    @Test
    void aNodeThatDoesNotShowWhatIsEarlierIsATimeout() {
      Peer feed = subscribed(rig.client(), 0, "b");
      Peer client = rig.client().send(call("SUBSCRIBE b"));
      feed.expect(PING);

      rig.tick(Duration.ofSeconds(200));

      client.expect("-TIMEOUT the node did not answer in time\r\n");
    }

    @Test
    void anUnsentUnsubscribeIsRetried() {
      Full unheard = unsubscribeUnheard();
      assertThat(unheard.feed.pending()).isZero();

      unheard.confirmAll();
      rig.awaitUnanswered(0);
      rig.tick(Duration.ofSeconds(1));

      confirm(unheard.feed, "unsubscribe b", 0);
    }

    @Test
    void aChannelSubscribedAgainIsNotUnsubscribed() {
      Full unheard = unsubscribeUnheard();
      Peer again = rig.client().send(call("SUBSCRIBE b"));
      rig.awaitUnanswered(17);

      unheard.confirmAll();
      rig.awaitUnanswered(1);
      rig.tick(Duration.ofSeconds(1));

      confirm(unheard.feed, "subscribe b", 1);
      again.expect(array("subscribe", "b", ":1"));
      assertThat(unheard.feed.pending()).isZero();
    }

    @Test
    void anUnsentUnsubscribeIsRetriedAfterAnUnsentSubscribe() {
      Full unheard = unsubscribeUnheard();
      Peer again = rig.client().send(call("SUBSCRIBE b"));
      rig.awaitUnanswered(17);
      rig.tick(Duration.ofSeconds(1)); // the node accepts nothing yet
      again.reset();
      rig.awaitUnanswered(16);

      unheard.confirmAll();
      rig.awaitUnanswered(0);
      rig.tick(Duration.ofSeconds(1));

      confirm(unheard.feed, "unsubscribe b", 0);
    }
  }

  /** Clients that publish, and commands that count subscribers. */
  @Nested
  class Publishing {

    @Test
    void publishCountsClientsNotConnections() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      for (int i = 0; i < 2; i++) {
        Peer more = rig.client();
        alsoSubscribed(more, feed, "b");
      }
      Peer publisher = rig.client();
      publisher.send(call("PUBLISH b x"));
      Peer node =
          rig.accept(0).expect(call("PUBLISH b x")).send(":2\r\n"); // one subscriber is not ours
      publisher.expect(":4\r\n");

      subscribedTo(client, feed, "PSUBSCRIBE [bc]", 2);
      publisher.send(call("PUBLISH b x"));
      node.expect(call("PUBLISH b x")).send(":2\r\n");
      publisher.expect(":4\r\n");
      publisher.send(call("PUBLISH c x"));
      node.expect(call("PUBLISH c x")).send(":1\r\n");
      publisher.expect(":1\r\n");
    }

    @Test
    void aMessageWaitsForClientsThatHaveAskedForItsChannel() {
      Peer client = rig.client();
      Peer feed = subscribing(client, 0, "subscribe b");
      Peer publisher = rig.client();
      publisher.send(call("PUBLISH b x") + get("b"));
      Peer other = rig.client();
      other.send(call("PUBLISH c x"));
      Peer node = rig.accept(0).expect(call("PUBLISH c x")).send(":0\r\n");
      other.expect(":0\r\n").send(get("c"));
      node.expect(get("c"));

      feed.send(push("subscribe", "b", ":1"));

      client.expect(array("subscribe", "b", ":1"));
      node.expect(call("PUBLISH b x") + get("b"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageDoesNotWaitForAClientThatGetsNoConfirmation(boolean leaves) {
      Peer client = rig.client();
      subscribing(client, 0, "subscribe b");
      Peer publisher = rig.client();
      publisher.send(call("PUBLISH b x"));
      if (leaves) {
        client.close();
      }
      rig.accept(0).expect(call("PUBLISH b x")).send(":0\r\n");
      publisher.expect(":0\r\n");
    }

    private void hears(Peer feed, String... messages) {
      long before = rig.<Long>onLoop(() -> rig.sessions().counters().messages());
      for (String message : messages) {
        feed.send(push("message", "b", message));
      }
      await()
          .until(() ->
              rig.<Long>onLoop(() -> rig.sessions().counters().messages())
                  == before + messages.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUBLISH b x", "EVAL x 1 b", "EVALSHA x 1 b", "FCALL x 1 b"})
    void aClientsOwnMessageFollowsTheReplyToPublish(String publishes) {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call(publishes) + get("b"));
      Peer node = acceptResp3(0);
      hears(feed, "x", "y".repeat(100_000), "z");
      assertThat(client.pending()).isZero();

      node.expect(call(publishes) + get("b")).send(":1\r\n");

      client.expect(":1\r\n" + push("message", "b", "x"));
      client.expect(push("message", "b", "y".repeat(100_000)) + push("message", "b", "z"));
      hears(feed, "later");
      client.expect(push("message", "b", "later")); // a read publishes nothing
      node.send("$1\r\nv\r\n");
      client.expect("$1\r\nv\r\n");
    }

    @Test
    void messagesOfATransactionFollowItsReply() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call("MULTI") + call("PUBLISH b x") + call("EXEC") + call("PUBLISH b y"));
      client.expect("+OK\r\n+QUEUED\r\n");
      Peer node = acceptResp3(0);
      hears(feed, "x");
      node.expect(call("MULTI") + call("PUBLISH b x") + call("EXEC") + call("PUBLISH b y"));
      node.send("+OK\r\n+QUEUED\r\n*1\r\n");
      hears(feed, "of another");
      node.send(":1\r\n");

      client.expect("*1\r\n:1\r\n");
      assertThat(client.pending()).isZero(); // the PUBLISH behind it may have published them
      hears(feed, "y");
      node.send(":1\r\n");
      client.expect(":1\r\n" + push("message", "b", "x") + push("message", "b", "of another"));
      client.expect(push("message", "b", "y"));
    }

    @Test
    void aClientThatAlwaysPublishesGetsMessagesOfOthers() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call("PUBLISH c 1"));
      Peer node = acceptResp3(0).expect(call("PUBLISH c 1"));
      hears(feed, "x");
      client.send(call("PUBLISH c 2"));
      node.expect(call("PUBLISH c 2")).send(":0\r\n");

      client.expect(":0\r\n" + push("message", "b", "x"));
      hears(feed, "y");
      client.send(call("PUBLISH c 3"));
      node.expect(call("PUBLISH c 3")).send(":0\r\n:0\r\n");
      client.expect(":0\r\n" + push("message", "b", "y") + ":0\r\n");
    }

    @Test
    void messagesWaitingForAReplyAreReleasedOnClose() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call("PUBLISH b x"));
      acceptResp3(0).expect(call("PUBLISH b x"));
      hears(feed, "x", "y".repeat(100_000));

      client.reset();

      rig.awaitClients(0);
    }

    @Test
    void clientsAreCountedForASingleServerToo() {
      restart(new RigOptions().single());
      Peer first = rig.client();
      Peer feed = subscribed(first, 0, "b");
      subscribedTo(first, feed, "SSUBSCRIBE b", 1);
      Peer second = rig.client();
      alsoSubscribed(second, feed, "b");
      second.send(call("SSUBSCRIBE b"));
      answerPing(feed);
      second.expect(array("ssubscribe", "b", ":1"));

      Peer client = rig.client();
      client.send(call("PUBSUB NUMSUB b"));
      Peer node = rig.accept(0).expect(call("PUBSUB NUMSUB b")).send(array("b", ":1"));
      client.expect(array("b", ":2"));
      client.send(call("PUBSUB SHARDNUMSUB b"));
      node.expect(call("PUBSUB SHARDNUMSUB b"))
          .send(array("b", ":3")); // two subscribers are not ours
      client.expect(array("b", ":4"));
      client.send(call("PUBSUB CHANNELS"));
      node.expect(call("PUBSUB CHANNELS")).send(array("b"));
      client.expect(array("b"));
    }
  }

  /** Subscriptions within MULTI and EXEC. */
  @Nested
  class InTransactions {

    private static final String QUEUED = "+QUEUED\r\n";

    private static String block(String command) {
      return call("MULTI") + command + call("EXEC");
    }

    @Test
    void subscribeIsConfirmedWithinTheReplyToExec() {
      Peer client = rig.client();
      client.send(block(PING + call("SUBSCRIBE b b") + PING));
      Peer feed = feed(0, "subscribe b");
      feed.send(push("subscribe", "b", ":1") + push("message", "b", "m"));

      client.expect("+OK\r\n" + QUEUED.repeat(3) + "*3\r\n+PONG\r\n");
      client.expect(array("subscribe", "b", ":1").repeat(2) + array("pong", ""));
      client.expect(array("message", "b", "m"));
    }

    @Test
    void aTransactionWaitsForClientsThatHaveAskedForItsChannels() {
      Peer client = rig.client();
      Peer feed = subscribing(client, 0, "subscribe b");
      Peer publisher = rig.client();
      publisher.send(block(call("PUBLISH c x") + call("PUBLISH b x")) + get("b"));
      publisher.expect("+OK\r\n" + QUEUED.repeat(2));
      Peer other = rig.client();
      other.send(block(call("PUBLISH c x")));
      Peer node = rig.accept(0).expect(block(call("PUBLISH c x")));

      feed.send(push("subscribe", "b", ":1"));

      client.expect(array("subscribe", "b", ":1"));
      node.expect(block(call("PUBLISH c x") + call("PUBLISH b x")) + get("b"));
    }

    @Test
    void aTransactionRunsWhenItsSubscriptionsAreConfirmed() {
      Peer node = rig.connected(0);
      Peer client = rig.client();
      client.send(block(get("b") + call("SUBSCRIBE b") + call("PSUBSCRIBE b*") + get("b")));
      Peer feed = feed(0, "subscribe b");
      client.expect("+OK\r\n" + QUEUED.repeat(4));
      assertThat(node.pending()).isZero();

      feed.send(push("subscribe", "b", ":1") + push("message", "b", "1"));
      Peer patterns = feed(1, "psubscribe b*");
      assertThat(node.pending()).isZero();
      patterns.send(push("psubscribe", "b*", ":1") + push("pmessage", "b*", "b", "1"));
      node.expect(block(get("b") + get("b"))).send("+OK\r\n" + QUEUED.repeat(2));
      feed.send(push("message", "b", "2"));
      node.send("*2\r\n$1\r\nv\r\n$1\r\nv\r\n");
      feed.expect(PING).send(push("message", "b", "3") + "+PONG\r\n");
      answerPing(patterns);

      client.expect("*4\r\n$1\r\nv\r\n" + array("subscribe", "b", ":1"));
      client.expect(array("psubscribe", "b*", ":2") + "$1\r\nv\r\n");
      client.expect(array("message", "b", "1") + array("message", "b", "2"));
      client.expect(array("message", "b", "3") + array("pmessage", "b*", "b", "1"));
      deliver(feed, client, "b", "4");
    }

    @Test
    void aTransactionWithoutEffectSubscribesToNothing() {
      String aborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";
      Peer node = rig.connected(0);
      Peer client = rig.client();
      client.send(block(get("b") + call("SUBSCRIBE b")));
      Peer feed = feed(0, "subscribe b");
      feed.send(push("subscribe", "b", ":1") + push("message", "b", "m"));
      node.expect(block(get("b"))).send("+OK\r\n-NOPERM no\r\n" + aborted);

      confirm(feed, "unsubscribe b", 0);
      client.expect("+OK\r\n" + QUEUED.repeat(2));
      client.expect(aborted.replace("\r\n", " NOPERM no\r\n")).send(PING).expect("+PONG\r\n");
    }

    @Test
    void aTransactionThatCannotSubscribeRuns() {
      Peer node = rig.connected(0);
      Peer client = rig.client();
      client.send(block(get("b") + call("SUBSCRIBE b")));
      Peer feed = feed(0, "subscribe b");
      feed.send("-NOPERM no\r\n");
      node.expect(block(get("b"))).send("+OK\r\n+QUEUED\r\n*1\r\n$1\r\nv\r\n");
      feed.expect(call("subscribe b")).send("-NOPERM no\r\n");

      client.expect("+OK\r\n" + QUEUED.repeat(2) + "*2\r\n$1\r\nv\r\n-NOPERM no\r\n");
    }

    @Test
    void aTransactionOfAClientThatLeavesBeforeDoesNotRun() {
      Peer node = rig.connected(0);
      Peer client = rig.client();
      client.send(block(get("b") + call("SUBSCRIBE b")));
      Peer feed = feed(0, "subscribe b");

      client.reset();

      rig.awaitClients(0);
      feed.send(push("subscribe", "b", ":1")).expect(call("unsubscribe b"));
      rig.client().send(get("b"));
      node.expect(get("b"));
    }

    @Test
    void unsubscribeIsConfirmedWithinTheReplyToExec() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call("MULTI") + call("PING") + call("UNSUBSCRIBE b x") + call("ECHO e"));
      client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(3));
      feed.send(push("message", "b", "m"));
      client.expect(push("message", "b", "m")).send(call("EXEC"));
      answerPing(feed);
      confirm(feed, "unsubscribe b", 0);

      client.expect("*3\r\n+PONG\r\n");
      client.expect(push("unsubscribe", "b", ":0") + push("unsubscribe", "x", ":0"));
      client.expect("$1\r\ne\r\n").send(PING).expect("+PONG\r\n");
    }

    @Test
    void closingDuringATransactionLeavesNothingBehind() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(call("MULTI") + call("UNSUBSCRIBE") + PING + call("EXEC"));
      client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n");
      answerPing(feed);
      feed.expect(call("unsubscribe b"));

      Session session = rig.newestSession();
      rig.onLoop(() -> {
        session.closeNow("test");
        return true;
      });

      rig.awaitClients(0);
      feed.send(push("unsubscribe", "b", ":0"));
    }
  }

  /** Subscribers whose connection ends. */
  @Nested
  class LeavingSubscribers {

    private static String confirmation(String subscribe) {
      return push(subscribe.substring(0, subscribe.indexOf(' ')), "b", ":1");
    }

    /** Returns the command that ends what a command began. */
    private static String opposite(String subscribe) {
      return subscribe.replace("subscribe", "unsubscribe");
    }

    @ParameterizedTest
    @ValueSource(strings = {"subscribe b", "psubscribe b", "ssubscribe b"})
    void aClosedSubscriberIsForgotten(String command) {
      Peer client = rig.client();
      Peer feed = subscribing(client, 0, command);
      feed.send(confirmation(command));
      client.expect(confirmation(command).replace('>', '*'));

      client.reset();

      confirm(feed, opposite(command), 0);
      await().until(() -> rig.onLoop(() -> rig.sessions().hub().subscriberCounts().isEmpty()));
    }

    private void expectNothingUnanswered(int clients) {
      rig.awaitClients(clients);
      assertThat(rig.unanswered()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"subscribe b", "psubscribe b", "ssubscribe b"})
    void closingBeforeTheConfirmationLeavesNothingBehind(String command) {
      Peer client = rig.client();
      Peer feed = subscribing(client, 0, command);

      client.reset();

      expectNothingUnanswered(0);
      feed.send(confirmation(command)).expect(call(opposite(command)));
    }

    @Test
    void aKilledSubscriberLeavesNothingUnanswered() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      client.send(call("UNSUBSCRIBE b"));
      answerPing(feed);
      feed.expect(call("unsubscribe b"));

      rig.client().send(call("CLIENT KILL ID 1")).expect(":1\r\n");

      client.expectClosed();
      expectNothingUnanswered(1);
      feed.send(push("unsubscribe", "b", ":0"));
    }

    @Test
    void quitAndDrainCloseSubscribers() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      Peer other = rig.client();
      alsoSubscribed(other, feed, "b");
      client.send(call("QUIT")).expect("+OK\r\n").expectClosed();

      Peer waiting = rig.client();
      subscribing(waiting, 1, "subscribe a");
      rig.onLoop(() -> {
        rig.sessions().drain();
        return true;
      });

      other.expectClosed();
      waiting.expectClosed();
      feed.expect(call("unsubscribe b"));
    }
  }

  /** Subscribers that do not read, or read late. */
  @Nested
  class UnreadMessages {

    @Test
    void unreadMessagesAreLimited() {
      rig.close();
      var limit = new OutputLimit(20 << 20, 8 << 20, Duration.ofSeconds(5));
      rig = new RigOptions().subscriberLimit(limit).start();
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      String message = push("message", "b", "x".repeat(1 << 20));
      sendUntil(feed, message, 9 << 20);
      rig.tick(Duration.ofSeconds(4));
      assertThat(closed()).isZero();

      rig.tick(Duration.ofSeconds(6));

      assertThat(closed()).isEqualTo(1);
      feed.expect(call("unsubscribe b"));
    }

    @Test
    void theHardLimitClosesASubscriberAtOnce() {
      rig.close();
      var limit = new OutputLimit(10 << 20, 0, Duration.ZERO);
      rig = new RigOptions().subscriberLimit(limit).start();
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      String message = push("message", "b", "x".repeat(1_000)).repeat(1_000);

      for (int i = 0; i < 100 && closed() == 0; i++) {
        feed.send(message);
      }

      await().until(() -> closed() == 1);
      feed.expect(call("unsubscribe b"));
    }

    /** Returns how often the message was sent. */
    private int sendUntil(Peer feed, String message, long unread) {
      Session session = rig.newestSession();
      for (int i = 1; i <= 100; i++) {
        feed.send(message);
        if (rig.<Long>onLoop(() -> unread(session)) > unread) {
          return i;
        }
      }
      throw new AssertionError("everything was read");
    }

    private static long unread(Session session) {
      return session.account().unreadBytes();
    }

    private long closed() {
      return rig.<Long>onLoop(
          () -> rig.sessions().pressure().closed().values().stream().mapToLong(n -> n).sum());
    }

    @Test
    void aClientThatReadsLateGetsAllMessagesInOrder() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      var expected = new StringBuilder();
      for (int i = 0; i < 3_000; i++) {
        String text = i + "x".repeat(i % 7 == 0 ? 5_000 : 300);
        feed.send(push("message", "b", text));
        expected.append(array("message", "b", text));
      }

      client.expect(expected.toString());

      client.send(PING).expect(array("pong", ""));
    }

    /** In RESP2 a message behind the reply would be taken for the reply to a later command. */
    @Test
    void bufferedMessagesPrecedeTheReplyToReset() {
      Peer client = rig.client();
      Peer feed = subscribed(client, 0, "b");
      String text = "x".repeat(1_000);
      String messages = push("message", "b", text).repeat(1_000);
      long before = rig.bytesReceivedFrom(0);
      int sent = sendUntil(feed, messages, 1 << 20);
      long all = (long) sent * messages.length();
      await().until(() -> rig.bytesReceivedFrom(0) - before == all);

      client.send(call("RESET") + PING);

      client.expect(array("message", "b", text).repeat(sent * 1_000));

      client.expect("+RESET\r\n+PONG\r\n");
    }

    @Test
    void resetWritesNoMessageIntoALargeReply() {
      Peer client = resp3();
      Peer feed = subscribedInResp3(client, 0, "b");
      client.send(get("b"));
      Peer node = acceptResp3(0).expect(get("b"));
      String value = Wire.bulk("v".repeat(60_000));
      node.send(value.substring(0, 40_000));
      client.expect(value.substring(0, 30_000));
      Session session = rig.newestSession();
      feed.send(push("message", "b", "within"));
      await().until(() -> rig.<Long>onLoop(() -> subscriptions(session).bufferedBytes()) > 0);
      client.send(call("MULTI") + call("UNSUBSCRIBE b") + call("EXEC"));
      answerPing(feed);
      confirm(feed, "unsubscribe b", 0);
      await()
          .until(() -> rig.<Integer>onLoop(() -> subscriptions(session).count(Kind.CHANNEL)) == 0);

      client.send(call("RESET") + PING);
      rig.client().send(PING).expect("+PONG\r\n");
      node.send(value.substring(40_000));

      client.expect(value.substring(30_000) + push("message", "b", "within"));
      client.expect("+OK\r\n+QUEUED\r\n*1\r\n" + push("unsubscribe", "b", ":0"));
      client.expect("+RESET\r\n+PONG\r\n");
    }

    private static Subscriptions subscriptions(Session session) {
      return session.intake().subscriptions();
    }
  }

  /** A change of the upstream while a message waits for a subscriber. */
  @Nested
  class Changes {

    @Test
    void aTransactionThatWaitsIsHandledBeforeItsUpstreamGoes() {
      subscribing(rig.client(), 0, "subscribe b");
      Peer client = rig.client();
      client.send(call("MULTI") + call("PUBLISH b x")).expect("+OK\r\n+QUEUED\r\n");
      Session session = rig.newestSession();
      String block = call("MULTI") + call("PUBLISH b x") + call("EXEC");
      client.send(call("EXEC"));
      await().until(() -> rig.onLoop(() -> session.input().isPutBack()));

      rig.changeUpstream();

      rig.accept(0).expect(block).send("+OK\r\n+QUEUED\r\n*1\r\n:1\r\n");
      client.expect("*1\r\n:1\r\n");
      client.send(PING).expect("+PONG\r\n");
    }
  }
}
