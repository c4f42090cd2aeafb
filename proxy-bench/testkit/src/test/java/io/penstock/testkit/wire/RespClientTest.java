package io.penstock.testkit.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespClientTest {

  private final ScriptedNode server = new ScriptedNode();

  @SuppressWarnings("NullAway.Init")
  private RespClient client;

  @SuppressWarnings("NullAway.Init")
  private Peer peer;

  @BeforeEach
  void connect() {
    client = RespClient.open("127.0.0.1", server.port());
    peer = server.acceptUnanswered();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+OK\r\n",
        "-ERR no\r\n",
        ":-1\r\n",
        "$-1\r\n",
        "$4\r\n\r\n\u00ff\0\r\n",
        "*-1\r\n",
        "*2\r\n$0\r\n\r\n*1\r\n:1\r\n",
        "_\r\n",
        ",1.5\r\n",
        "#t\r\n",
        "(123\r\n",
        "=5\r\ntxt:x\r\n",
        "!3\r\nERR\r\n",
        "%1\r\n+a\r\n:1\r\n",
        "~1\r\n+a\r\n",
        ">2\r\n+a\r\n+b\r\n",
        "|1\r\n+a\r\n:1\r\n+OK\r\n"
      })
  void aReplyIsTheBytesThatCame(String reply) {
    peer.send(reply + "+next\r\n");

    assertThat(client.call("GET", "\u00ff")).isEqualTo(reply);
    assertThat(client.read()).isEqualTo("+next\r\n");
    peer.expect("*2\r\n$3\r\nGET\r\n$1\r\n\u00ff\r\n");
  }

  @Test
  void aValueIsWhatTheReplyMeans() {
    peer.send("*5\r\n+OK\r\n:7\r\n$2\r\n\u00c3\u00a9\r\n$-1\r\n*1\r\n*-1\r\n");

    assertThat(client.value("GET", "é"))
        .asInstanceOf(LIST)
        .containsExactly("OK", 7L, "é".getBytes(UTF_8), null, Arrays.asList((Object) null));
    peer.expect("*2\r\n$3\r\nGET\r\n$2\r\n\u00c3\u00a9\r\n");
  }

  @Test
  void aTextIsAStringOrANumber() {
    peer.send("$2\r\n\u00c3\u00a9\r\n+OK\r\n:7\r\n$-1\r\n");

    assertThat(List.of(client.text("A"), client.text("B"), client.text("C"), client.text("D")))
        .containsExactly("é", "OK", "7", "");
  }

  @Test
  void anErrorIsThrownWhereAValueIsAskedFor() {
    peer.send("-ERR no\r\n*2\r\n+OK\r\n-EXECABORT no\r\n+OK\r\n");

    assertThatExceptionOfType(RespClient.ErrorReply.class)
        .isThrownBy(() -> client.text("A"))
        .withMessage("ERR no");
    assertThatExceptionOfType(RespClient.ErrorReply.class)
        .isThrownBy(() -> client.value("EXEC"))
        .withMessage("EXECABORT no");
    assertThat(client.text("PING")).isEqualTo("OK");
  }

  @Test
  void anEndWithinAReplyIsAFailure() {
    peer.send("$5\r\nhal").close();

    assertThatThrownBy(() -> client.call("GET"))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(EOFException.class);
  }
}
