package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Calls that wait for one of several keys, step by step: {@code a} is on node 1, {@code b} on 0.
 */
class WaitingCallTest {

  private static final String NOTHING = "+OK\r\n+QUEUED\r\n*1\r\n*-1\r\n";
  private static final String NIL = "*-1\r\n";

  private final Rig rig = new RigOptions().emulatesCrossSlot(10_000).start();

  private Peer lower; // node 0
  private Peer upper; // node 1

  WaitingCallTest() {
    lower = rig.connected(0);
    upper = rig.connected(1);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static String attempt(String call) {
    return call("MULTI") + call(call) + call("EXEC");
  }

  private static String popped(String key, String element) {
    return "*2\r\n" + Wire.bulk(key) + Wire.bulk(element);
  }

  private static String got(String reply) {
    return "+OK\r\n+QUEUED\r\n*1\r\n" + reply;
  }

  /** A client whose call has found nothing and waits. */
  private Peer waiting(String call) {
    Peer client = rig.client().send(call(call));
    lower.expect(call("LLEN b")).send(":0\r\n");
    upper.expect(attempt(call.replace(" b 0", " 0.001"))).send(NOTHING);
    return client;
  }

  private void answerQuestions(String aHas, String bHas) {
    upper.expect(call("LLEN a")).send(aHas);
    lower.expect(call("LLEN b")).send(bHas);
  }

  @Test
  void theFirstKeyIsTriedWhileTheOthersAreAsked() {
    Peer client = rig.client().send(call("BLPOP a b 0") + PING);
    lower.expect(call("LLEN b"));
    upper.expect(attempt("BLPOP a 0.001")).send(got(popped("a", "x")));

    client.expect(popped("a", "x") + "+PONG\r\n");
    lower.send(":1\r\n");
    client.send(call("GET b"));
    lower.expect(call("GET b"));
  }

  @Test
  void theNextKeyWithElementsIsPopped() {
    Peer client = rig.client().send(call("BLMPOP 5 2 a b LEFT COUNT 2"));
    upper.expect(attempt("BLMPOP 0.001 1 a LEFT COUNT 2")).send(NOTHING);
    lower
        .expect(call("LLEN b"))
        .send(":1\r\n")
        .expect(attempt("BLMPOP 0.001 1 b LEFT COUNT 2"))
        .send(got("*2\r\n$1\r\nb\r\n*1\r\n$1\r\nx\r\n"));

    client.expect("*2\r\n$1\r\nb\r\n*1\r\n$1\r\nx\r\n");
  }

  @Test
  void aCallThatDoesNotBlockEndsWithoutAnElement() {
    Peer client = rig.client().send(call("ZMPOP 2 a b MIN"));
    lower.expect(call("ZCARD b")).send(":0\r\n");
    upper.expect(attempt("ZMPOP 1 a MIN")).send(NOTHING);

    client.expect(NIL);
  }

  @Test
  void aWrongTypeBeforeAnElementIsAnError() {
    Peer client = rig.client().send(call("BLPOP a b 0"));
    upper.expect(attempt("BLPOP a 0.001")).send(got("-WRONGTYPE no list\r\n"));
    lower.expect(call("LLEN b")).send(":1\r\n");

    client.expect("-WRONGTYPE no list\r\n");
  }

  @Test
  void oneQuestionIsForAllClientsAndOneIsWokenForEachElement() {
    Peer first = waiting("BLPOP a b 0");
    Peer second = rig.client().send(call("BLPOP b a 0"));
    // It has not waited as long as the first: it leaves both keys to that.
    lower.expect(call("LLEN b")).send(":0\r\n");
    upper.expect(call("LLEN a")).send(":0\r\n");
    checkWithoutEffect("BLPOP penstock:tmp:none 0.001");

    answerQuestions(":0\r\n", ":1\r\n");
    upper.expect(call("LLEN a")).send(":0\r\n"); // before b in the order of its keys
    lower.expect(attempt("BLPOP b 0.001")).send(got(popped("b", "x")));
    first.expect(popped("b", "x"));

    answerQuestions(":0\r\n", ":1\r\n");
    lower.expect(attempt("BLPOP b 0.001")).send(got(popped("b", "y")));
    second.expect(popped("b", "y"));
  }

  private void checkWithoutEffect(String call) {
    int slot =
        SlotPartitioner.INSTANCE.partitionOf(
            "penstock:tmp:none".getBytes(StandardCharsets.US_ASCII));
    (slot < 8_192 ? lower : upper).expect(attempt(call)).send(NOTHING);
  }

  @Test
  void whoLosesARaceKeepsItsPlace() {
    Peer client = waiting("BLPOP a b 0");
    answerQuestions(":1\r\n", ":0\r\n");
    upper.expect(attempt("BLPOP a 0.001")).send(NOTHING);

    answerQuestions(":1\r\n", ":0\r\n");
    upper.expect(attempt("BLPOP a 0.001")).send(got(popped("a", "x")));

    client.expect(popped("a", "x"));
  }

  @Test
  void anEarlierKeyThatHasElementsByNowIsPoppedFirst() {
    Peer client = waiting("BLPOP a b 0");
    answerQuestions(":0\r\n", ":1\r\n");
    upper
        .expect(call("LLEN a"))
        .send(":1\r\n")
        .expect(attempt("BLPOP a 0.001"))
        .send(got(popped("a", "x")));

    client.expect(popped("a", "x"));
  }

  @Test
  void anElementForADisconnectedClientIsPutBack() {
    Peer client = waiting("BLPOP a b 0");
    answerQuestions(":1\r\n", ":0\r\n");
    upper.expect(attempt("BLPOP a 0.001"));
    client.reset();
    rig.awaitClients(0);

    upper.send(got(popped("a", "x")));

    upper.expect(call("LPUSH a x"));
  }

  @Test
  void nobodyAsksWhenNobodyWaits() {
    Peer client = waiting("BLPOP a b 0");
    upper.expect(call("LLEN a"));
    lower.expect(call("LLEN b"));
    client.close();
    rig.awaitClients(0);
    upper.send(":1\r\n");
    lower.send(":1\r\n");

    Peer other = rig.client().send(call("GET a") + call("GET b"));
    upper.expect(call("GET a")).send("$-1\r\n");
    lower.expect(call("GET b")).send("$-1\r\n");
    other.expect("$-1\r\n$-1\r\n");
  }

  @Test
  void aFailedQuestionIsRepeated() {
    Peer client = waiting("BLPOP a b 0");
    answerQuestions("-LOADING Redis is loading\r\n", ":0\r\n");

    answerQuestions(":1\r\n", ":0\r\n");
    upper.expect(attempt("BLPOP a 0.001")).send(got(popped("a", "x")));

    client.expect(popped("a", "x"));
  }

  @Test
  void aLostConnectionEndsNoCallThatWaits() {
    Peer client = waiting("BLPOP a b 0");
    upper.expect(call("LLEN a")).close();
    upper = rig.accept(1);

    upper
        .expect(call("LLEN a"))
        .send(":1\r\n")
        .expect(attempt("BLPOP a 0.001"))
        .send(got(popped("a", "x")));

    client.expect(popped("a", "x"));
  }

  @Test
  void aNodeThatCannotBeAskedForLongEndsTheCall() {
    Peer client = waiting("BLPOP a b 0");
    upper.expect(call("LLEN a")).send("-LOADING Redis is loading\r\n").expect(call("LLEN a"));
    rig.advance(Duration.ofSeconds(101));
    upper.send("-LOADING Redis is loading\r\n");

    client.expect("-UNAVAILABLE no connection to the node in time; the command did not run\r\n");
  }

  @Test
  void theNextClientNeedNotWaitForOneThatIsGone() {
    Peer gone = waiting("BLPOP a b 0");
    Peer next = rig.client().send(call("BLPOP b a 0"));
    lower.expect(call("LLEN b")).send(":0\r\n");
    upper.expect(call("LLEN a")).send(":0\r\n");
    checkWithoutEffect("BLPOP penstock:tmp:none 0.001");
    answerQuestions(":0\r\n", ":1\r\n");
    upper.expect(call("LLEN a")); // for the one that is gone
    gone.reset();
    rig.awaitClients(1);

    lower
        .expect(call("LLEN b"))
        .send(":1\r\n")
        .expect(attempt("BLPOP b 0.001"))
        .send(got(popped("b", "x")));

    next.expect(popped("b", "x"));
  }

  @Test
  void aTimeoutEndsTheCall() {
    Peer client = rig.client().send(call("BLPOP a b 0.01"));
    lower.expect(call("LLEN b")).send(":0\r\n");
    upper.expect(attempt("BLPOP a 0.001")).send(NOTHING);

    client.expect(NIL);
    assertThat(rig.unanswered()).isZero();
  }

  @Test
  void aCallOfAGroupReadsNothingIfAKeyHasAnError() {
    Peer client = rig.client().send(call("XREADGROUP GROUP g c STREAMS a b > >"));
    String behindAll = "18446744073709551615-18446744073709551614";
    upper
        .expect(call("XREADGROUP GROUP g c STREAMS a " + behindAll))
        .send("*1\r\n*2\r\n$1\r\na\r\n*0\r\n");
    lower
        .expect(call("XREADGROUP GROUP g c STREAMS b " + behindAll))
        .send("-NOGROUP no such group\r\n");

    client.expect("-NOGROUP no such group\r\n");
  }

  @Test
  void streamsAreReadFromWhereTheyWere() {
    Peer client = rig.client().send(call("XREAD BLOCK 0 STREAMS a b $ 7-0"));
    upper
        .expect(call("XREVRANGE a + - COUNT 1"))
        .send("*1\r\n*2\r\n$3\r\n5-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n")
        .expect(call("XREAD STREAMS a 5-1"))
        .send(NIL);
    lower.expect(call("XREAD STREAMS b 7-0")).send(NIL);

    upper.expect(call("XREAD COUNT 1 STREAMS a 5-1")).send(NIL);
    String entry = "*1\r\n*2\r\n$3\r\n8-0\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n";
    String reply = "*1\r\n*2\r\n$1\r\nb\r\n" + entry;
    lower
        .expect(call("XREAD COUNT 1 STREAMS b 7-0"))
        .send(reply)
        .expect(call("XREAD STREAMS b 7-0"))
        .send(reply);
    upper.expect(call("XREAD STREAMS a 5-1")).send(NIL);

    client.expect(reply);
  }
}
