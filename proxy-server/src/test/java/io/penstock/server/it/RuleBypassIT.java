package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

/** Ways past the rules of a user, which must lead nowhere. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RuleBypassIT {

  private static final UserSettings PASSED = new UserSettings(null, 0, 0, null, null, true);
  private static final UserSettings PREFIXED =
      new UserSettings(null, 0, 0, null, new UserSettings.Prefix("t:", false, false, false), false);

  private ServerProcess node;
  private ProxyFixture proxy;

  @BeforeAll
  void start() {
    node = ServerProcess.start();
    List<AclUser> users =
        AclServers.settings(
                false,
                null,
                "default on nopass ~pub:* +@connection +watch",
                "admin on >admin-secret ~* &* +@all",
                "tenant on >tenant ~* &* +@all",
                "limited on >limited ~app:* +@all -@dangerous",
                "passed on >passed ~* &* +@all")
            .users();
    var settings =
        new UsersSettings(
            "penstock.users", users, null, Map.of("passed", PASSED, "tenant", PREFIXED), false);
    proxy = ProxyFixture.of(node).users(settings).startReady();
  }

  @AfterAll
  void stop() {
    proxy.close();
    node.close();
  }

  @BeforeEach
  void reset() {
    onNode("FLUSHALL");
    onNode("ACL", "DELUSER", "passed");
    onNode("ACL", "SETUSER", "passed", "on", ">passed", "~app:*", "+@all");
    onNode("SET", "secret", "hidden");
  }

  private String onNode(String... words) {
    try (RespClient client = node.connect()) {
      return client.call(words);
    }
  }

  private RespClient login(String user, String password) {
    RespClient client = proxy.connect();
    assertThat(client.call("AUTH", user, password)).isEqualTo("+OK\r\n");
    return client;
  }

  @Test
  void aUserWithAKeyPrefixMayNotAdministerUsers() {
    try (RespClient client = login("tenant", "tenant")) {
      assertThat(client.call("ACL", "LIST")).startsWith("-NOPERM");
      assertThat(client.call("ACL", "SETUSER", "evil", "on", "nopass", "~*", "+@all"))
          .startsWith("-NOPERM");
      assertThat(client.call("AUTH", "evil", "x")).startsWith("-WRONGPASS");
    }
  }

  @Test
  void aWatchOfAnotherUserLendsNoRights() {
    try (RespClient client = proxy.connect()) {
      assertThat(client.call("WATCH", "pub:x")).isEqualTo("+OK\r\n");
      readSecretAsPassed(client);
    }
    try (RespClient client = login("tenant", "tenant")) {
      assertThat(client.call("WATCH", "mine")).isEqualTo("+OK\r\n");
      readSecretAsPassed(client);
    }
  }

  private void readSecretAsPassed(RespClient client) {
    assertThat(client.call("AUTH", "passed", "passed")).isEqualTo("+OK\r\n");
    client.call("MULTI");
    client.call("EVAL", "return redis.call('get','secret')", "0");
    client.call("SET", "secret", "overwritten");
    assertThat(client.call("EXEC")).isEqualTo("*-1\r\n");
    assertThat(onNode("GET", "secret")).contains("hidden");
  }

  @Test
  void aRequestThatWaitsIsCheckedAgain() {
    try (RespClient limited = login("limited", "limited");
        RespClient admin = login("admin", "admin-secret")) {
      admin.call("CLIENT", "PAUSE", "20000", "WRITE");
      limited.send("SET", "app:late", "1");
      await()
          .until(() ->
              admin
                  .call("CLIENT", "LIST")
                  .lines()
                  .anyMatch(line -> line.contains("user=limited") && line.contains("flags=b")));
      assertThat(admin.call("ACL", "SETUSER", "limited", "-set")).isEqualTo("+OK\r\n");
      admin.call("CLIENT", "UNPAUSE");
      String reply = limited.read();
      admin.call("ACL", "SETUSER", "limited", "+set");
      assertThat(reply).startsWith("-NOPERM");
    }
  }

  @Test
  void guessesInATransactionFailWhateverThePasswordIs() {
    try (RespClient client = login("limited", "limited")) {
      client.call("MULTI");
      for (int i = 0; i < 4; i++) {
        assertThat(client.call("AUTH", "admin", "wrong" + i)).isEqualTo("+QUEUED\r\n");
      }
      assertThat(client.call("AUTH", "admin", "admin-secret")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).startsWith("*5\r\n-WRONGPASS").doesNotContain("+OK");
    }
    try (RespClient client = login("admin", "admin-secret")) {
      assertThat(client.call("ACL", "WHOAMI")).contains("admin");
    }
  }
}
