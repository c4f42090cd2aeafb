package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Changes the users of a running Penstock by reloads, as an operator does. */
@ExtendWith(OutputCaptureExtension.class)
class UsersReloadIT {

  private static final String RELOAD = "penstock/reload";
  private static final String OPS = "    - user ops on >ops-secret ~* &* +@all\n";
  private static final String APP = "    - user app on ~app:* +@all -@dangerous\n";

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  @BeforeAll
  static void startServer() {
    server = ServerProcess.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void start() throws IOException {
    Files.writeString(folder.resolve("app"), "first\n");
    write(OPS + APP, "");
    penstock =
        RunningPenstock.startWith(
            folder.resolve("application.yml"), "--logging.level.penstock.audit=info");
  }

  @AfterEach
  void stop() {
    penstock.close();
  }

  private void write(String rules, String settings) throws IOException {
    Files.writeString(
        folder.resolve("application.yml"),
        """
        penstock:
          port: 0
          bind: 127.0.0.1
          transpond.local.resource: redis://127.0.0.1:%d
          users:
            rules:
            - user default off
        %s
            settings.app:
              password-files: %s
        %s
        """
            .formatted(server.port(), rules, folder.resolve("app"), settings));
  }

  private HttpResponse<String> reload() {
    return penstock.management().post(RELOAD);
  }

  private RespClient login(String user, String password) {
    RespClient client = penstock.connect();
    assertThat(client.call("AUTH", user, password)).isEqualTo("+OK\r\n");
    return client;
  }

  @Test
  void aChangedUserLosesARightAndOthersNoticeNothing() throws IOException {
    try (RespClient app = login("app", "first");
        RespClient ops = login("ops", "ops-secret")) {
      assertThat(app.call("SET", "app:1", "x")).isEqualTo("+OK\r\n");
      write(OPS + APP.replace("+@all", "+@read"), "");

      assertThat(reload().body())
          .contains(
              "\"outcome\":\"applied\"", "\"subject\":\"listener default\",\"what\":\"users\"")
          .doesNotContain("secret", "first");
      assertThat(app.call("SET", "app:1", "y")).startsWith("-NOPERM");
      assertThat(app.call("GET", "app:1")).isEqualTo("$1\r\nx\r\n");
      assertThat(ops.call("SET", "other", "y")).isEqualTo("+OK\r\n");
      assertThat(reload().body()).contains("\"outcome\":\"unchanged\"");
    }
  }

  @Test
  void theFormerPasswordIsOfNoUseToAClientThatWatches() throws IOException {
    Path file = folder.resolve("application.yml");
    String plain =
        """
        penstock:
          port: 0
          bind: 127.0.0.1
          transpond.local.resource: redis://127.0.0.1:%d
        """
            .formatted(server.port());
    Files.writeString(file, plain + "  password: former\n");
    try (RunningPenstock other = RunningPenstock.startWith(file);
        RespClient client = other.connect()) {
      assertThat(client.call("AUTH", "former")).isEqualTo("+OK\r\n");
      assertThat(client.call("WATCH", "x")).isEqualTo("+OK\r\n");
      Files.writeString(file, plain + "  users.rules: [\"user default off\"]\n");
      assertThat(other.management().post(RELOAD).body()).contains("\"outcome\":\"applied\"");

      assertThat(client.isClosedByPeer()).isTrue();
    }
  }

  @Test
  void clientsOfARemovedUserAreClosed() throws IOException {
    try (RespClient app = login("app", "first");
        RespClient ops = login("ops", "ops-secret")) {
      write(APP, "");

      assertThat(reload().statusCode()).isEqualTo(200);
      await().until(ops::isClosedByPeer);
      assertThat(app.call("GET", "app:2")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void aPasswordIsRotatedByItsFile() throws IOException {
    try (RespClient app = login("app", "first")) {
      Files.writeString(folder.resolve("app"), "second\n");

      assertThat(reload().body()).contains("\"outcome\":\"applied\"");
      assertThat(app.call("GET", "app:3")).isEqualTo("$-1\r\n");
      login("app", "second").close();
      try (RespClient late = penstock.connect()) {
        assertThat(late.call("AUTH", "app", "first")).startsWith("-WRONGPASS");
      }
    }
  }

  @Test
  void limitsChangeForConnectedClients() throws IOException {
    try (RespClient app = login("app", "first")) {
      write(OPS + APP, "      rate-limit: 1/h\n      max-connections: 1\n");

      assertThat(reload().body()).contains("\"outcome\":\"applied\"");
      assertThat(app.call("GET", "app:4")).isEqualTo("$-1\r\n");
      assertThat(app.call("GET", "app:4")).startsWith("-OVERLOADED more requests of this user");
      try (RespClient second = penstock.connect()) {
        assertThat(second.call("AUTH", "app", "first"))
            .startsWith("-OVERLOADED too many connections");
      }
      assertThat(penstock.get("prometheus").body())
          .contains(
              "penstock_user_clients{user=\"app\",users=\"penstock.users\"} 1.0",
              "penstock_user_rejected_total{limit=\"rate\",user=\"app\",users=\"penstock.users\"}",
              "penstock_user_logins_total{user=\"app\",users=\"penstock.users\"} 1.0");
    }
  }

  @Test
  void aWrongRuleIsRefusedAndNothingShowsAPassword(CapturedOutput output) throws IOException {
    write(OPS + APP.replace("+@all", "+@nothing"), "");

    assertThat(reload().statusCode()).isEqualTo(409);
    assertThat(reload().body())
        .contains("user app: Unknown command or category name in ACL: +@nothing");
    assertThat(penstock.get("penstock").body())
        .contains("user ops on >*** ~* &* +@all")
        .doesNotContain("ops-secret");
    login("app", "first").close();
    assertThat(output)
        .contains("User app logged in by password: client ")
        .doesNotContain("ops-secret");
  }

  @Test
  void aReloadWithOtherUsersEndsWhatCommandsChanged() throws IOException {
    try (RespClient ops = login("ops", "ops-secret")) {
      assertThat(ops.call("ACL", "SETUSER", "extra", "on", ">x", "+@all", "~*")).startsWith("+OK");
      RespClient extra = login("extra", "x");
      assertThat(reload().body()).contains("\"outcome\":\"unchanged\"");
      assertThat(extra.call("PING")).isEqualTo("+PONG\r\n");
      write(OPS + APP.replace("+@all", "+@read"), "");

      assertThat(reload().body()).contains("\"outcome\":\"applied\"");
      await().until(extra::isClosedByPeer);
      extra.close();
      assertThat(ops.call("ACL", "USERS")).doesNotContain("extra");
    }
  }
}
