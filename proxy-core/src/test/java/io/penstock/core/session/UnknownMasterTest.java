package io.penstock.core.session;

import static io.penstock.core.session.PubSubReplies.array;
import static io.penstock.core.session.PubSubReplies.push;
import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients get while sentinels name no master. */
class UnknownMasterTest {

  private static final String NO_MASTER =
      "-UNAVAILABLE no master is known; the command did not run\r\n";

  private static final Duration TIMEOUT = Duration.ofMillis(200);

  private Rig rig = new RigOptions().unknownMaster().commandTimeout(TIMEOUT).start();
  private Peer client = rig.client();

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET a",
        "SET a 1",
        "MGET a b",
        "DBSIZE",
        "WATCH a",
        "WAIT 0 100",
        "PUBLISH a m",
        "SPUBLISH a m",
        "PUBSUB CHANNELS"
      })
  void aCommandForANodeFailsAndNamesNoSlot(String command) {
    client.send(call(command));
    client.expect(NO_MASTER);
  }

  @Test
  void aTransactionFailsAsAWhole() {
    client.send(call("MULTI") + call("GET a") + call("EXEC") + PING);
    client.expect("+OK\r\n+QUEUED\r\n" + NO_MASTER + "+PONG\r\n");
  }

  @Test
  void aBlockingCommandFails() {
    client.send(call("BLPOP a 10"));
    client.expect(NO_MASTER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SUBSCRIBE a b", "PSUBSCRIBE a*", "SSUBSCRIBE a", "SUBSCRIBE __keyspace@0__:a"})
  void aSubscriptionFailsAndLeavesNoSubscriber(String command) {
    client.send(call(command));
    rig.awaitUnanswered(1);
    assertThat(client.pending()).isZero();
    rig.tick(TIMEOUT.multipliedBy(2));
    client.expect(NO_MASTER);
    client.send(call("GET a") + PING).expect(NO_MASTER + "+PONG\r\n");
    assertThat(rig.topology().calls()).contains("refresh UNCOVERED_SLOT");
  }

  @Test
  void unsubscribingNeedsNoMaster() {
    client.send(call("UNSUBSCRIBE a"));
    client.expect("*3\r\n" + Wire.bulk("unsubscribe") + Wire.bulk("a") + ":0\r\n");
  }

  /** Starts again with a hold that is longer than the test. */
  private void restartWithHold() {
    rig.close();
    rig = new RigOptions().unknownMaster().failoverHold(Duration.ofSeconds(100)).start();
    client = rig.client();
  }

  @Test
  void whatIsHeldIsServedByTheMasterThatIsFound() {
    restartWithHold();
    Peer subscriber = rig.client();
    client.send(call("GET a"));
    rig.awaitUnanswered(1);
    subscriber.send(call("SUBSCRIBE a b"));
    rig.awaitUnanswered(2);

    rig.publishMaster(0);

    rig.accept(0).expect(call("GET a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    Peer feed = rig.acceptSubscriberConnection(0).expect(call("subscribe a b"));
    feed.send(push("subscribe", "a", ":1") + push("subscribe", "b", ":2"));
    subscriber.expect(array("subscribe", "a", ":1") + array("subscribe", "b", ":2"));
    feed.send(push("message", "b", "m"));
    subscriber.expect(array("message", "b", "m"));
  }

  @Test
  void aSubscriberFollowsFromMasterToMaster() {
    restartWithHold();
    client.send(call("SSUBSCRIBE a"));
    rig.awaitUnanswered(1);
    rig.publishMaster(0);
    Peer first = rig.acceptSubscriberConnection(0).expect(call("ssubscribe a"));
    first.send(push("ssubscribe", "a", ":1"));
    client.expect(array("ssubscribe", "a", ":1"));

    rig.server(0).stopListening();
    first.close();
    rig.publishMaster(1);

    Peer second = rig.acceptSubscriberConnection(1).expect(call("ssubscribe a"));
    second.send(push("ssubscribe", "a", ":1") + push("smessage", "a", "m"));
    client.expect(array("smessage", "a", "m"));
  }
}
