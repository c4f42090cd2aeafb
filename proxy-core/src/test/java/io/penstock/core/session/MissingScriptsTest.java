package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.wire.Wire.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code EVALSHA} at a node that lacks the script: {@code b} is on node 0, {@code a} on node 1. */
class MissingScriptsTest {

  private static final String SCRIPT = "return 1";
  private static final String SHA = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
  private static final String LOAD = request("SCRIPT", "LOAD", SCRIPT);
  private static final String LOADED = Wire.bulk(SHA);
  private static final String MISSING = "-NOSCRIPT No matching script. Please use EVAL.\r\n";

  private Rig rig = Rig.cluster();
  private Peer client = rig.client();
  private Peer lower = rig.connected(0);
  private Peer upper = rig.accept(1);

  @BeforeEach
  void evaluateOnNodeZero() {
    client.send(request("EVAL", SCRIPT, "1", "b"));
    lower.expect(request("EVAL", SCRIPT, "1", "b")).send(":1\r\n");
    client.expect(":1\r\n");
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void restart(RigOptions options) {
    rig.close();
    rig = options.start();
    client = rig.client();
    lower = rig.connected(0);
    upper = rig.accept(1);
    evaluateOnNodeZero();
  }

  private static String evalSha(String sha, String key) {
    return request("EVALSHA", sha, "1", key);
  }

  @Test
  void aScriptFlushThatFailsForgetsNoScript() {
    String refused = "-ERR SCRIPT FLUSH only support SYNC|ASYNC option\r\n";
    client.send(request("SCRIPT", "FLUSH", "NOW"));
    lower.expect(request("SCRIPT", "FLUSH", "NOW")).send(refused);
    upper.expect(request("SCRIPT", "FLUSH", "NOW")).send(refused);
    client.expect(refused).send(evalSha(SHA, "a"));

    upper.expect(evalSha(SHA, "a")).send(MISSING).expect(LOAD).send(LOADED);
    upper.expect(evalSha(SHA, "a")).send(":1\r\n");
    client.expect(":1\r\n");
  }

  @Test
  void theScriptIsLoadedAndTheCallSentAgain() {
    client.send(evalSha(SHA.toUpperCase(Locale.ROOT), "a"));
    upper.expect(evalSha(SHA.toUpperCase(Locale.ROOT), "a")).send(MISSING);
    upper.expect(LOAD).send(LOADED);
    upper.expect(evalSha(SHA.toUpperCase(Locale.ROOT), "a")).send(":1\r\n");

    client.expect(":1\r\n");
    assertThat(
            rig.<Long>onLoop(() -> rig.sessions().counters().redirects(RetryablePrefix.NOSCRIPT)))
        .isEqualTo(1);
  }

  @Test
  void theErrorTextOfValkeyIsRecognized() {
    client.send(evalSha(SHA, "a"));
    upper.expect(evalSha(SHA, "a")).send("-NOSCRIPT No matching script.\r\n");
    upper.expect(LOAD).send(LOADED);
    upper.expect(evalSha(SHA, "a")).send(":1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void callsForOneKeyKeepTheirOrderAndShareOneLoad() {
    client.send(evalSha(SHA, "a") + request("EVALSHA_RO", SHA, "1", "a") + evalSha(SHA, "{a}2"));
    upper.expect(evalSha(SHA, "a") + request("EVALSHA_RO", SHA, "1", "a") + evalSha(SHA, "{a}2"));
    upper.send(MISSING + MISSING + MISSING);
    upper.expect(LOAD).send(LOADED);
    upper.expect(evalSha(SHA, "a") + request("EVALSHA_RO", SHA, "1", "a") + evalSha(SHA, "{a}2"));
    upper.send(":1\r\n:2\r\n:3\r\n");

    client.expect(":1\r\n:2\r\n:3\r\n");
  }

  @Test
  void anOvertakenCallIsNotSentAgain() {
    client.send(evalSha(SHA, "a") + set("a", "1"));
    upper.expect(evalSha(SHA, "a") + set("a", "1")).send(MISSING);
    upper.expect(LOAD).send("+OK\r\n" + LOADED);

    client.expect(MISSING + "+OK\r\n");
    client.send(get("a"));
    upper.expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
  }

  @Test
  void aLoadHasTheTimeoutOfRequestsInFlightBeforeIt() {
    restart(
        new RigOptions()
            .commandTimeout(Duration.ofSeconds(10))
            .failoverHold(Duration.ofSeconds(100)));
    client.send(evalSha(SHA, "a"));
    upper.expect(evalSha(SHA, "a"));
    rig.advance(Duration.ofSeconds(2));
    client.send(set("a", "1"));
    upper.expect(set("a", "1")).send(MISSING).expect(LOAD);

    rig.tick(
        Duration.ofMillis(8_500)); // the call's timeout has passed, that of the later write has not

    lower.expect(PING).send("+PONG\r\n"); // a health check of an idle connection
    Peer other = rig.client();
    for (int i = 0; i < 10; i++) { // lets everything be sent that can be
      other.send(get("b"));
      lower.expect(get("b")).send("$1\r\nb\r\n");
      other.expect("$1\r\nb\r\n");
    }
    other.send(get("a"));
    upper.expect(get("a"));
    upper.send("+OK\r\n" + LOADED);
    client.expect(MISSING + "+OK\r\n");
  }

  @Test
  void aLoadSaysNothingAboutALaterWrite() {
    client.send(evalSha(SHA, "a") + set("a", "1") + evalSha(SHA, "foo"));
    upper.expect(evalSha(SHA, "a") + set("a", "1") + evalSha(SHA, "foo"));
    upper.send(MISSING + "+OK\r\n").expect(LOAD);
    client.expect(MISSING + "+OK\r\n").send(set("foo", "1"));
    upper.expect(set("foo", "1"));

    upper.send(MISSING + LOADED).expect(LOAD).send("+OK\r\n" + LOADED);

    client.expect(MISSING + "+OK\r\n").send(get("foo"));
    upper.expect(get("foo")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
  }

  @Test
  void laterRequestsWaitBehindTheRetriedCall() {
    client.send(evalSha(SHA, "a"));
    upper.expect(evalSha(SHA, "a")).send(MISSING);
    upper.expect(LOAD);
    client.send(set("a", "1") + set("b", "2"));
    upper.send(LOADED);

    upper.expect(evalSha(SHA, "a")).send(":1\r\n").expect(set("a", "1")).send("+OK\r\n");
    lower.expect(set("b", "2")).send("+OK\r\n");
    client.expect(":1\r\n+OK\r\n+OK\r\n");
  }

  @Test
  void aScriptThatCannotBeLoadedIsAnErrorInTheEnd() {
    client.send(evalSha(SHA, "a"));
    for (int attempt = 0; attempt < 4; attempt++) {
      upper.expect(evalSha(SHA, "a")).send(MISSING);
      upper.expect(LOAD).send("-ERR Error compiling script\r\n");
    }
    upper.expect(evalSha(SHA, "a")).send(MISSING);

    client.expect(MISSING);
  }

  @Test
  void anUnknownScriptIsAnError() {
    client.send(evalSha("ffffffffffffffffffffffffffffffffffffffff", "a") + PING);
    upper.expect(evalSha("ffffffffffffffffffffffffffffffffffffffff", "a")).send(MISSING);

    client.expect(MISSING + "+PONG\r\n");
  }

  @Test
  void aFlushedScriptIsAnError() {
    client.send(request("SCRIPT", "FLUSH"));
    lower.expect(request("SCRIPT", "FLUSH")).send("+OK\r\n");
    upper.expect(request("SCRIPT", "FLUSH")).send("+OK\r\n");
    client.expect("+OK\r\n");

    client.send(evalSha(SHA, "a"));
    upper.expect(evalSha(SHA, "a")).send(MISSING);
    client.expect(MISSING);
  }

  @Test
  void aNoscriptErrorFromAScriptIsItsReply() {
    client.send(request("EVAL", SCRIPT, "1", "a") + evalSha(SHA, "a"));
    upper
        .expect(request("EVAL", SCRIPT, "1", "a") + evalSha(SHA, "a"))
        .send(MISSING + "-NOSCRIPT mine\r\n");

    client.expect(MISSING + "-NOSCRIPT mine\r\n");
  }

  @Test
  void loadingIsRetriedAfterAConnectionLoss() {
    client.send(evalSha(SHA, "a"));
    upper.expect(evalSha(SHA, "a")).send(MISSING);
    upper.expect(LOAD).close();

    Peer again = rig.accept(1).expect(evalSha(SHA, "a")).send(MISSING);
    again.expect(LOAD).send(LOADED);
    again.expect(evalSha(SHA, "a")).send(":1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void theTargetOfAnAskGetsTheScriptToo() {
    String ask = "-ASK 3300 127.0.0.1:" + rig.address(1).port() + "\r\n";
    client.send(evalSha(SHA, "b"));
    lower.expect(evalSha(SHA, "b")).send(ask);
    upper.expect(request("ASKING") + evalSha(SHA, "b")).send("+OK\r\n" + MISSING);
    upper.expect(LOAD).send(LOADED);

    lower.expect(evalSha(SHA, "b")).send(ask);
    upper.expect(request("ASKING") + evalSha(SHA, "b")).send("+OK\r\n:1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void aSingleServersErrorIsForwarded() {
    rig.close();
    rig = new RigOptions().single().start();
    client = rig.client();
    client.send(request("EVAL", SCRIPT, "0") + evalSha(SHA, "a"));
    rig.accept(0).expect(request("EVAL", SCRIPT, "0") + evalSha(SHA, "a")).send(":1\r\n" + MISSING);

    client.expect(":1\r\n" + MISSING);
  }
}
