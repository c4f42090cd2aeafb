package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operations of the management port that concern clients. */
class DrainAndKillIT {

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Path file;

  @SuppressWarnings("NullAway.Init")
  private static RunningPenstock penstock;

  @BeforeAll
  static void start() throws Exception {
    server = ServerProcess.start();
    file = Files.writeString(folder.resolve("application.yml"), yaml(0));
    penstock = RunningPenstock.startWith(file);
  }

  private static String yaml(int port) {
    return """
    penstock:
      drain-timeout: 5s
      backend.command-timeout: 1m
      listeners:
        a: { port: %d, bind: 127.0.0.1 }
        b: { port: 0, bind: 127.0.0.1 }
      transpond.local.resource: redis://127.0.0.1:%d
    """
        .formatted(port, server.port());
  }

  @AfterAll
  static void stop() {
    penstock.close();
    server.close();
  }

  @BeforeEach
  void awaitReadiness() {
    await().until(() -> penstock.status("health/readiness") == 200);
    await("the clients of the test before have gone")
        .until(() ->
            penstock.bean(Proxy.class).stats().toCompletableFuture().join().clientsNow() == 0);
  }

  @AfterEach
  void resumeAll() {
    assertThat(penstock.management().post("penstock/resume").statusCode()).isEqualTo(200);
  }

  private static RespClient connect(String listener) {
    ProxyListener found =
        penstock.bean(Proxy.class).listeners().stream()
            .filter(each -> each.name().equals(listener))
            .findFirst()
            .orElseThrow();
    int port = Objects.requireNonNull(found.address()).getPort();
    return RespClient.open("127.0.0.1", port, Duration.ofSeconds(10));
  }

  private static String post(String operation, int status) {
    HttpResponse<String> reply = penstock.management().post("penstock/" + operation);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(status);
    return reply.body();
  }

  private static void awaitUnanswered() {
    await()
        .until(() ->
            penstock.bean(Proxy.class).stats().toCompletableFuture().join().pressure().unanswered()
                == 1);
  }

  @Test
  void aDrainedListenerHasNoClientsUntilItIsResumed() {
    try (RespClient leaving = connect("a");
        RespClient staying = connect("b")) {
      leaving.value("SET", "key", "value");
      staying.value("PING");

      assertThat(post("drain?listener=a", 200)).contains("\"name\":\"a\"", "\"listening\":false");

      assertThat(leaving.readToEnd()).isEmpty();
      assertThat(staying.text("GET", "key")).isEqualTo("value");
      assertThatThrownBy(() -> connect("a")).isInstanceOf(UncheckedIOException.class);
      assertThat(penstock.status("health/readiness")).isEqualTo(503);
      assertThat(penstock.status("health/listeners/b")).isEqualTo(200);
      assertThat(penstock.status("health/liveness")).isEqualTo(200);
      assertThat(post("drain?listener=a", 200)).contains("\"listeners\":[]");

      assertThat(post("resume", 200)).contains("\"name\":\"a\"", "\"listening\":true");
      try (RespClient back = connect("a")) {
        assertThat(back.text("GET", "key")).isEqualTo("value");
      }
      assertThat(penstock.status("health/readiness")).isEqualTo(200);
    }
  }

  @Test
  void requestsInFlightAreAnsweredBeforeTheClientIsClosed() {
    try (RespClient leaving = connect("a")) {
      leaving.value("SET", "key", "value");
      FrozenNode.freeze(server);
      leaving.send("GET", "key");
      awaitUnanswered();

      post("drain", 200);
      server.resume();

      assertThat(leaving.readToEnd()).isEqualTo("$5\r\nvalue\r\n");
    } finally {
      server.resume();
    }
  }

  @Test
  void aBlockedClientGetsAnError() {
    try (RespClient leaving = connect("a")) {
      leaving.send("BLPOP", "no-list", "0");
      await().until(() -> server.text("CLIENT", "LIST").contains("cmd=blpop"));

      post("drain", 200);

      assertThat(leaving.readToEnd())
          .isEqualTo(
              "-UNAVAILABLE this proxy is closing the connection; the command did not run\r\n");
    }
  }

  @Test
  void aClientThatIsNotAnsweredIsClosedAfterTheDrainTimeout() {
    try (RespClient leaving = connect("a")) {
      leaving.value("PING");
      FrozenNode.freeze(server);
      leaving.send("GET", "key");
      awaitUnanswered();

      assertThat(post("drain?listener=a", 200)).contains("\"clients\":1");

      assertThat(leaving.readToEnd()).isEmpty();
    } finally {
      server.resume();
    }
  }

  @Test
  void aReloadDoesNotEndADrain() throws Exception {
    post("drain?listener=a", 200);
    Files.writeString(file, yaml(0) + "  readiness: listening\n");

    assertThat(post("reload", 200)).contains("\"applied\"");

    assertThatThrownBy(() -> connect("a")).isInstanceOf(UncheckedIOException.class);
    post("resume", 200);
    try (RespClient back = connect("a")) {
      assertThat(back.text("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void clientsAreKilledByTheOptionsOfClientKill() {
    try (RespClient first = connect("a");
        RespClient second = connect("a");
        RespClient other = connect("b")) {
      String id = first.text("CLIENT", "ID");
      second.value("PING");
      other.value("PING");

      assertThat(post("kill?id=" + id, 200)).isEqualTo("{\"killed\":1}");
      assertThat(first.readToEnd()).isEmpty();
      assertThat(post("kill?id=" + id, 200)).isEqualTo("{\"killed\":0}");

      assertThat(post("kill?listener=b&type=normal", 200)).isEqualTo("{\"killed\":1}");
      assertThat(other.readToEnd()).isEmpty();
      assertThat(second.text("PING")).isEqualTo("PONG");

      assertThat(post("kill?user=nobody", 200)).isEqualTo("{\"killed\":0}");
      assertThat(post("kill?user=default&maxage=1000", 200)).isEqualTo("{\"killed\":0}");
      assertThat(post("kill?user=default", 200)).isEqualTo("{\"killed\":1}");
      assertThat(second.readToEnd()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "kill; an option is needed",
        "kill?listener=a; an option is needed",
        "kill?id=0; client-id should be greater than 0",
        "kill?id=x; client-id should be greater than 0",
        "kill?maxage=x; maxage is not an integer or out of range",
        "kill?type=x; Unknown client type 'x'",
        "kill?type=normal&listener=c; no listener is named c",
        "kill?type=normal&listner=a; no parameter is named listner",
        "kill?id=1&id=2; id is given twice",
        "drain?listner=a; no parameter is named listner",
        "drain?listener=c; no listener is named c",
        "resume?listener=c; no listener is named c"
      })
  void whatCannotBeDoneIsRejectedWithTheReason(String operation, String reason) {
    assertThat(post(operation, 400)).isEqualTo("{\"reason\":\"" + reason + "\"}");
  }

  @Test
  void othersMayNotDrainOrKill() {
    for (String operation : new String[] {"drain", "resume", "kill?type=normal"}) {
      HttpResponse<String> reply =
          penstock.management().post("penstock/" + operation, "X-Forwarded-For", "10.0.0.1");
      assertThat(reply.statusCode()).as(operation).isEqualTo(403);
    }
    assertThat(penstock.status("health/readiness")).isEqualTo(200);
  }
}
