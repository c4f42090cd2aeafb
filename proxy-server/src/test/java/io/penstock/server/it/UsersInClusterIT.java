package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Users in front of a cluster: requests that are divided, or carried out in steps. */
@ExtendWith(SharedCluster.class)
class UsersInClusterIT {

  private static final String[] USERS = {
    "admin on >admin ~* &* +@all", "app on >app ~a* ~b* ~c* &* +@all",
  };

  private final EmbeddedCluster cluster;
  private ProxyFixture proxy;
  private RespClient admin;
  private RespClient app;

  UsersInClusterIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void start() {
    proxy =
        ProxyFixture.of(cluster)
            .emulatesCrossSlot()
            .users(AclServers.settings(false, null, USERS))
            .startReady();
    admin = login("admin");
    app = login("app");
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private RespClient login(String user) {
    RespClient client = proxy.connect();
    assertThat(client.call("AUTH", user, user)).isEqualTo("+OK\r\n");
    return client;
  }

  private void set(String... rules) {
    for (String rule : rules) {
      assertThat(admin.call("ACL", "SETUSER", "app", rule)).isEqualTo("+OK\r\n");
    }
  }

  private void awaitBlocked() {
    Awaitility.await().until(() -> admin.call("CLIENT", "LIST").contains("flags=b"));
  }

  @Test
  void eachKeyOfADividedRequestIsChecked() {
    assertThat(app.call("MSET", "a", "1", "b", "2", "c", "3")).isEqualTo("+OK\r\n");
    assertThat(app.call("MGET", "a", "b", "d")).startsWith("-NOPERM");
    assertThat(app.call("DEL", "a", "b", "c", "d")).startsWith("-NOPERM");
    assertThat(app.call("DEL", "a", "b", "c")).isEqualTo(":3\r\n");
    assertThat(app.call("RENAME", "a", "d")).startsWith("-NOPERM");
  }

  @Test
  void aTransactionOverSeveralSlotsRunsWholeOrNotAtAll() {
    app.call("MULTI");
    app.call("SET", "a1", "1");
    assertThat(app.call("SET", "b1", "2")).isEqualTo("+QUEUED\r\n");
    set("resetkeys", "~b*");
    assertThat(app.call("EXEC")).startsWith("-EXECABORT").contains("touch the specified keys");
    assertThat(admin.call("EXISTS", "a1", "b1")).isEqualTo(":0\r\n");
    assertThat(app.call("SET", "b1", "2")).isEqualTo("+OK\r\n");
    app.call("MULTI");
    app.call("SET", "b1", "3");
    app.call("SET", "b2", "3");
    set("-get");
    assertThat(app.call("EXEC")).isEqualTo("*2\r\n+OK\r\n+OK\r\n");
  }

  @Test
  void aCallThatWaitsForSeveralSlotsLosesTheRight() {
    app.send("BLPOP", "a2", "b2", "c2", "30");
    awaitBlocked();
    set("resetkeys", "~a*");
    assertThat(app.read()).startsWith("-NOPERM");
    assertThat(admin.call("RPUSH", "b2", "x")).isEqualTo(":1\r\n");
    assertThat(admin.call("LLEN", "b2")).isEqualTo(":1\r\n");
    assertThat(app.call("PING")).isEqualTo("+PONG\r\n");
  }

  @Test
  void elementsAreNotLostWhileRightsChange() {
    for (int i = 0; i < 50; i++) {
      app.send("BLPOP", "a3", "30");
      awaitBlocked();
      RespClient pusher = proxy.connect();
      pusher.call("AUTH", "admin", "admin");
      pusher.send("RPUSH", "a3", "x");
      set("-blpop");
      assertThat(pusher.read()).startsWith(":");
      String reply = app.read();
      long left = reply.startsWith("-NOPERM") ? 1 : 0;
      Awaitility.await()
          .pollInterval(10, TimeUnit.MILLISECONDS)
          .until(() -> admin.call("LLEN", "a3").equals(":" + left + "\r\n"));
      admin.call("DEL", "a3");
      set("+blpop");
      pusher.close();
    }
  }

  @Test
  void whatIsUnknownIsNoMatterOfRights() {
    set("-@all");
    assertThat(app.call("NOTHING")).startsWith("-ERR unknown command");
    assertThat(app.call("CLUSTER", "SLOTS")).startsWith("-NOPERM");
    assertThat(app.call("AUTH", "app", "app")).isEqualTo("+OK\r\n");
  }
}
