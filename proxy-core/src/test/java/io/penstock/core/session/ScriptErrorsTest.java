package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A script may return any error text, and has run then. */
class ScriptErrorsTest {

  private static final String EVAL = call("EVAL script 1 a");

  private final Rig rig = Rig.cluster();
  private final Peer client = rig.client();
  private final Peer node = rig.connected(1);

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-LOADING mine\r\n",
        "-TRYAGAIN mine\r\n",
        "-CLUSTERDOWN mine\r\n",
        "-MASTERDOWN mine\r\n",
        "-MOVED\r\n",
        "-MOVED nowhere\r\n",
        "-ERR mine\r\n"
      })
  void anErrorWithAnotherTextIsTheReply(String error) {
    client.send(EVAL + get("a"));

    node.expect(EVAL + get("a")).send(error + "$1\r\nv\r\n");

    client.expect(error + "$1\r\nv\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        "-CLUSTERDOWN The cluster is down\r\n"
      })
  void anErrorWithTheServersTextIsRetryable(String error) {
    client.send(EVAL);

    node.expect(EVAL).send(error).expect(EVAL).send(":1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void aRedirectToAnUnknownNodeIsNotFollowed() {
    client.send(EVAL);

    node.expect(EVAL).send("-MOVED 15495 127.0.0.1:1\r\n").expect(EVAL).send(":1\r\n");

    client.expect(":1\r\n");
    assertThat(rig.topology().calls()).containsOnly("refresh UNKNOWN_NODE");
  }
}
