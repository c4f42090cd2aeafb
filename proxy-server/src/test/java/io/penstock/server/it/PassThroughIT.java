package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.acl.AclUser;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Users that are passed through to nodes: nodes decide what they may do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PassThroughIT {

  private static final UserSettings PASSED = new UserSettings(null, 0, 0, null, null, true);

  private ServerProcess node;
  private ProxyFixture proxy;

  @BeforeAll
  void start() {
    node = ServerProcess.start();
    List<AclUser> users =
        AclServers.settings(false, null, "default on nopass ~* &* +@all", "app on >app ~* &* +@all")
            .users();
    var settings = new UsersSettings("penstock.users", users, null, Map.of("app", PASSED), false);
    proxy = ProxyFixture.of(node).users(settings).startReady();
  }

  @AfterAll
  void stop() {
    proxy.close();
    node.close();
  }

  @BeforeEach
  void resetUser() {
    onNode("FLUSHALL");
    onNode("ACL", "DELUSER", "app"); // closes connections that are authenticated as it
    onNode("ACL", "SETUSER", "app", "on", ">app", "~app:*", "+@all", "-flushall");
  }

  private String onNode(String... words) {
    try (RespClient client = node.connect()) {
      return client.call(words);
    }
  }

  private RespClient connect() {
    RespClient client = proxy.connect();
    assertThat(client.call("AUTH", "app", "app")).isEqualTo("+OK\r\n");
    return client;
  }

  @Test
  void nodesDecideWhatItMayDo() {
    try (RespClient app = connect()) {
      assertThat(app.call("SET", "app:x", "1")).isEqualTo("+OK\r\n");
      assertThat(app.call("SET", "x", "1")).startsWith("-NOPERM");
      assertThat(app.call("FLUSHALL")).startsWith("-NOPERM");
      assertThat(app.call("EVAL", "return redis.call('get', 'app:x')", "0"))
          .isEqualTo("$1\r\n1\r\n");
      assertThat(app.call("EVAL", "return redis.call('set', 'x', '1')", "0")).startsWith("-");
      assertThat(onNode("EXISTS", "x")).isEqualTo(":0\r\n");
      assertThat(onNode("CLIENT", "LIST")).contains("user=app");
    }
  }

  @Test
  void itIsPassedThroughInEveryState() {
    try (RespClient app = connect()) {
      assertThat(app.call("WATCH", "x")).startsWith("-NOPERM");
      assertThat(app.call("WATCH", "app:x")).isEqualTo("+OK\r\n");
      assertThat(app.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(app.call("SET", "app:x", "1")).isEqualTo("+QUEUED\r\n");
      assertThat(app.call("EXEC")).isEqualTo("*1\r\n+OK\r\n");
      assertThat(app.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(app.call("SET", "x", "1")).isEqualTo("+QUEUED\r\n");
      assertThat(app.call("EXEC")).startsWith("-EXECABORT");
      assertThat(app.call("BLPOP", "x", "0.01")).startsWith("-NOPERM");
      assertThat(app.call("BLPOP", "app:list", "0.01")).isEqualTo("*-1\r\n");
      assertThat(app.call("SELECT", "2")).isEqualTo("+OK\r\n");
      assertThat(app.call("SET", "app:two", "2")).isEqualTo("+OK\r\n");
      assertThat(app.call("SET", "two", "2")).startsWith("-NOPERM");
      assertThat(app.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(app.call("SELECT", "3")).isEqualTo("+QUEUED\r\n");
      assertThat(app.call("SET", "three", "3")).isEqualTo("+QUEUED\r\n");
      assertThat(app.call("EXEC")).startsWith("-EXECABORT");
      assertThat(onNode("INFO", "keyspace")).doesNotContain("db3");
    }
  }

  @Test
  void anotherUserHasAnothersConnections() {
    try (RespClient app = connect();
        RespClient other = proxy.connect()) {
      assertThat(app.call("SET", "x", "1")).startsWith("-NOPERM");
      assertThat(other.call("SET", "x", "1")).isEqualTo("+OK\r\n");
      assertThat(app.call("RESET")).isEqualTo("+RESET\r\n");
      assertThat(app.call("SET", "x", "2")).isEqualTo("+OK\r\n");
      assertThat(app.call("HELLO", "3", "AUTH", "app", "app")).startsWith("%");
      assertThat(app.call("SET", "x", "3")).startsWith("-NOPERM");
      app.send("AUTH", "default", "any");
      app.send("SET", "x", "4");
      assertThat(app.read()).isEqualTo("+OK\r\n");
      assertThat(app.read()).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void aNodeThatDoesNotKnowItRejectsOnlyIt() {
    onNode("ACL", "SETUSER", "app", "resetpass", ">other");
    try (RespClient app = connect();
        RespClient other = proxy.connect()) {
      assertThat(app.call("GET", "app:x")).startsWith("-WRONGPASS");
      assertThat(app.call("BLPOP", "app:x", "0")).startsWith("-WRONGPASS");
      assertThat(app.call("WATCH", "app:x")).startsWith("-WRONGPASS");
      assertThat(other.call("GET", "app:x")).isEqualTo("$-1\r\n");
      onNode("ACL", "SETUSER", "app", ">app");
      assertThat(app.call("GET", "app:x")).isEqualTo("$-1\r\n");
    }
  }
}
