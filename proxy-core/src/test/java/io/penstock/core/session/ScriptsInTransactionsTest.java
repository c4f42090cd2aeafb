package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code EVALSHA} between MULTI and EXEC: {@code b} is on node 0, {@code a} on node 1. */
class ScriptsInTransactionsTest {

  private static final String SCRIPT = "return 1";
  private static final String SHA = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
  private static final String LOAD = Wire.request("SCRIPT", "LOAD", SCRIPT);
  private static final String LOADED = Wire.bulk(SHA);
  private static final String MISSING = "-NOSCRIPT No matching script. Please use EVAL.\r\n";
  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");
  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors.\r\n";
  private static final String CALL = call("EVALSHA " + SHA + " 1 a");
  private static final String BLOCK = MULTI + CALL + EXEC;

  private Rig rig = Rig.cluster();
  private Peer client = rig.client();
  private final Peer lower = rig.connected(0);
  private final Peer upper = rig.accept(1);

  @AfterEach
  void close() {
    rig.close();
  }

  @BeforeEach
  void evaluateOnNodeZero() {
    client.send(Wire.request("EVAL", SCRIPT, "1", "b"));
    lower.expect(Wire.request("EVAL", SCRIPT, "1", "b")).send(":1\r\n");
    client.expect(":1\r\n");
  }

  @Test
  void theScriptIsLoadedBeforeTheTransaction() {
    client.send(BLOCK);
    upper.expect(LOAD + BLOCK).send(LOADED + OK + QUEUED + "*1\r\n:1\r\n");

    client.expect(OK + QUEUED + "*1\r\n:1\r\n");
  }

  @Test
  void eachScriptIsLoadedOnce() {
    String upperCase = CALL.replace(SHA, SHA.toUpperCase(Locale.ROOT));
    String readOnly = call("EVALSHA_RO " + SHA + " 1 a");
    client.send(MULTI + CALL + upperCase + readOnly + EXEC);

    upper.expect(LOAD + MULTI + CALL + upperCase + readOnly + EXEC);
  }

  @Test
  void unknownScriptsAreNotLoaded() {
    String unknown = MULTI + call("EVALSHA " + "f".repeat(40) + " 1 a") + EXEC;
    String wrong = MULTI + call("FCALL f 1 a") + get("a") + EXEC;
    client.send(unknown + wrong);

    upper.expect(unknown + wrong).send(OK + QUEUED + "*1\r\n" + MISSING);
    client.expect(OK + QUEUED + "*1\r\n" + MISSING + OK + QUEUED + QUEUED);
  }

  @Test
  void theTransactionIsSentEvenIfLoadingFails() {
    client.send(BLOCK);
    upper.expect(LOAD + BLOCK).send("-NOPERM no\r\n" + OK + QUEUED + "*1\r\n:1\r\n");

    client.expect(OK + QUEUED + "*1\r\n:1\r\n");
  }

  @Test
  void theTargetOfARedirectGetsTheScriptToo() {
    client.send(BLOCK);
    String moved = "-MOVED " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(0).port() + "\r\n";
    upper.expect(LOAD + BLOCK).send(LOADED + OK + moved + ABORTED);

    lower.expect(LOAD + BLOCK).send(LOADED + OK + QUEUED + "*1\r\n:1\r\n");
    client.expect(OK + QUEUED + "*1\r\n:1\r\n");
  }

  @Test
  void theTargetOfAnAskGetsTheScriptBeforeAsking() {
    client.send(BLOCK);
    String ask = "-ASK " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(0).port() + "\r\n";
    upper.expect(LOAD + BLOCK).send(LOADED + OK + ask + ABORTED);

    lower.expect(LOAD + call("ASKING") + BLOCK); // ASKING applies to the next command only
    lower.send(LOADED + OK + OK + QUEUED + "*1\r\n:1\r\n");
    client.expect(OK + QUEUED + "*1\r\n:1\r\n");
  }

  @Test
  void aWatchingClientLoadsOnItsOwnConnection() {
    client.send(call("WATCH a"));
    Peer lease = rig.acceptUnanswered(1).expect(ScriptedNode.NAMING + call("CLIENT ID"));
    lease.send(OK + ":77\r\n");
    lease.expect(call("WATCH a")).send(OK);
    client.expect(OK).send(BLOCK);
    lease.expect(LOAD + BLOCK).send(LOADED + OK + QUEUED + "*1\r\n:1\r\n");

    client.expect(OK + QUEUED + "*1\r\n:1\r\n").send(call("WATCH a"));
    lease.expect(call("WATCH a"));
  }

  @Test
  void aScriptFlushedBeforeExecIsMissing() {
    client.send(MULTI + CALL).expect(OK + QUEUED);
    Peer other = rig.client();
    other.send(call("SCRIPT FLUSH"));
    upper.expect(call("SCRIPT FLUSH"));
    client.send(EXEC);

    upper.expect(BLOCK).send(OK + OK + QUEUED + "*1\r\n" + MISSING);
    client.expect("*1\r\n" + MISSING);
  }

  @Test
  void aScriptFlushedMeanwhileIsNotLoadedAgain() {
    client.send(BLOCK);
    upper.expect(LOAD + BLOCK);
    Peer other = rig.client();
    other.send(call("SCRIPT FLUSH"));
    upper.expect(call("SCRIPT FLUSH"));
    upper.send(LOADED + OK + "-TRYAGAIN Multiple keys request during rehashing of slot\r\n");
    upper.send(ABORTED + OK);

    upper.expect(BLOCK).send(OK + QUEUED + "*1\r\n" + MISSING);
    client.expect(OK + QUEUED + "*1\r\n" + MISSING);
  }

  @Test
  void aScriptThatComesLaterIsNotKnownYet() {
    String eval = Wire.request("EVAL", "return 2", "1", "a");
    String sha = "7f923f79fe76194c868d7e1d0820de36700eb649";
    String block = MULTI + call("EVALSHA " + sha + " 1 a") + eval + EXEC;
    client.send(MULTI + eval + call("DISCARD") + block);

    upper.expect(block);
    upper.send(OK + QUEUED + QUEUED + "*2\r\n" + MISSING + ":2\r\n");
    client.expect(OK + QUEUED + OK + OK + QUEUED + QUEUED + "*2\r\n" + MISSING + ":2\r\n");
    client.send(block);
    upper.expect(Wire.request("SCRIPT", "LOAD", "return 2") + block);
  }

  @Test
  void aSingleServersErrorIsForwarded() {
    rig.close();
    rig = new RigOptions().single().start();
    client = rig.client();
    client.send(Wire.request("EVAL", SCRIPT, "0") + BLOCK);
    rig.accept(0).expect(Wire.request("EVAL", SCRIPT, "0") + BLOCK);
    assertThat(rig.routing().upstream().scripts().body(SHA)).isNull();
  }
}
