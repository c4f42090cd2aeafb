package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the errors of a master behind sentinels mean that has become a replica. */
class DemotedMasterTest {

  private static final String READONLY =
      "-READONLY You can't write against a read only replica.\r\n";
  private static final String EVAL = call("EVAL script 1 a");
  private static final String SHA = "2597e0576dd54eb42864e3a1b8392b96e018bcc3";

  private final Rig rig = new RigOptions().sentinel().start();
  private final Peer client = rig.client();
  private final Peer node = rig.connected(0);

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-READONLY You can't write against a read only replica.\r\n",
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n"
      })
  void aRejectedCommandIsSentAgain(String error) {
    client.send(set("a", "1"));
    node.expect(set("a", "1")).send(error).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void aRejectedWriteAsksForTheMaster() {
    client.send(set("a", "1"));
    node.expect(set("a", "1")).send(READONLY).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
    assertThat(rig.topology().calls()).contains("refresh READONLY");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-MOVED 15495 127.0.0.1:1\r\n",
        "-CLUSTERDOWN The cluster is down\r\n",
        "-NOREPLICAS Not enough good replicas to write.\r\n",
        "-ERR READONLY\r\n"
      })
  void otherErrorsAreDelivered(String error) {
    client.send(set("a", "1"));
    node.expect(set("a", "1")).send(error);
    client.expect(error);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-READONLY You can't write against a read only replica.\r\n",
        "-READONLY You can't write against a read only replica. script: "
            + SHA
            + ", on @user_script:1.\r\n",
        "-READONLY You can't write against a read only replica. script: f, on"
            + " @user_function:12.\r\n",
        "-READONLY Can not run script with write flag on readonly replica\r\n",
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. script: "
            + SHA
            + ", on @user_script:3.\r\n",
        "-ERR Error running script (call to f_"
            + SHA
            + "): @user_script:1: @user_script: 1: -READONLY You can't write against a read only"
            + " replica.\r\n"
      })
  void aScriptThatCouldNotWriteIsSentAgain(String error) {
    client.send(EVAL);
    node.expect(EVAL).send(error).expect(EVAL).send(":1\r\n");
    client.expect(":1\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-READONLY mine\r\n",
        "-READONLY You can't write against a read only replica. script: mine\r\n",
        "-ERR mine: -READONLY You can't write against a read only replica.\r\n",
        "-ERR Error running script (call to f_" + SHA + "): @user_script:1: mine\r\n"
      })
  void anErrorOfTheScriptItselfIsTheReply(String error) {
    client.send(EVAL + get("a"));
    node.expect(EVAL + get("a")).send(error + "$-1\r\n");
    client.expect(error + "$-1\r\n");
  }

  @Test
  void aTransactionThatItDidNotQueueIsSentAgain() {
    String block = call("MULTI") + get("a") + set("a", "1") + call("EXEC");
    client.send(block).expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n");
    node.expect(block)
        .send(
            "+OK\r\n+QUEUED\r\n"
                + READONLY
                + "-EXECABORT Transaction discarded because of previous errors.\r\n");
    node.expect(block).send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n$-1\r\n+OK\r\n");
    client.expect("*2\r\n$-1\r\n+OK\r\n");
  }

  @Test
  void aTransactionThatItQueuedBeforeIsSentAgain() {
    String block = call("MULTI") + set("a", "1") + call("EXEC");
    client.send(block).expect("+OK\r\n+QUEUED\r\n");
    node.expect(block)
        .send(
            "+OK\r\n+QUEUED\r\n-EXECABORT Transaction discarded because of: READONLY You can't"
                + " write against a read only replica.\r\n");
    node.expect(block).send("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n");
    client.expect("*1\r\n+OK\r\n");
  }

  @Test
  void anotherReasonToDiscardATransactionIsTheReply() {
    String block = call("MULTI") + set("a", "1") + call("EXEC");
    String error =
        "-EXECABORT Transaction discarded because of: OOM command not allowed when used memory >"
            + " 'maxmemory'.\r\n";
    client.send(block).expect("+OK\r\n+QUEUED\r\n");
    node.expect(block).send("+OK\r\n+QUEUED\r\n" + error);
    client.expect(error);
  }
}
