package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.Objects;

/** Of single servers, of shards, and of the configuration about them. */
final class ServerOutages extends OutageScript {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ServersUnderTest servers;
  private final ServerProcess orders;
  private final ServerProcess secured;

  ServerOutages(ServersUnderTest servers, RunningPenstock penstock, ScriptedLog log) {
    super(penstock, log);
    this.servers = servers;
    this.orders = servers.orders();
    this.secured = servers.secured();
  }

  private RespClient connect(String listener) {
    ProxyListener found =
        penstock.bean(Proxy.class).listeners().stream()
            .filter(each -> each.name().equals(listener))
            .findFirst()
            .orElseThrow();
    int port = Objects.requireNonNull(found.address()).getPort();
    return RespClient.open("127.0.0.1", port, Duration.ofSeconds(30));
  }

  @Override
  void run() {
    log.name(orders.port(), "orders-1");
    log.name(secured.port(), "secured-1");
    log.name(servers.shards().get(0).port(), "shard-1");
    log.name(servers.shards().get(1).port(), "shard-2");
    awaitAllServe();
    try (RespClient client = connect("orders");
        RespClient other = connect("secured");
        RespClient cache = connect("cache")) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(other.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      restarted(client);
      twoAtOnce(client, other);
      hangs(client);
      loads(client);
      runsAScript(client);
      rejectsWrites(client);
      asksForAPassword(client);
      otherPassword(other);
      refusedReload(other);
      shard(cache);
      nameMoves(client);
    }
  }

  private void restarted(RespClient client) {
    log.step("A server is killed and started again");
    killAndHold(orders, client);
    awaitReadiness(503, "\"reason\":\"Connection refused\"");
    orders.restart();
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("answers again");
    awaitAllServe();
    log.step("A server flaps: it is killed and started again three times");
    for (int i = 1; i <= 3; i++) {
      orders.kill();
      awaitLoss(orders.port());
      client.send("SET", "k", "v");
      log.awaitLines("failover hold started", i);
      orders.restart();
      assertThat(client.read()).isEqualTo("+OK\r\n");
      log.awaitLines("answers again", i);
    }
    awaitAllServe();
  }

  private void killAndHold(ServerProcess server, RespClient client) {
    server.kill();
    awaitLoss(server.port());
    client.send("SET", "k", "v");
    log.awaitLine("failover hold started");
  }

  private void twoAtOnce(RespClient client, RespClient other) {
    log.step("Two servers are killed at once and started again");
    orders.kill();
    secured.kill();
    awaitLoss(orders.port());
    awaitLoss(secured.port());
    client.send("SET", "k", "v");
    other.send("SET", "k", "v");
    log.awaitLines("failover hold started", 2);
    orders.restart();
    secured.restart();
    assertThat(client.read()).isEqualTo("+OK\r\n");
    assertThat(other.read()).isEqualTo("+OK\r\n");
    log.awaitLines("answers again", 2);
    awaitAllServe();
  }

  private void hangs(RespClient client) {
    log.step("A server hangs and goes on");
    orders.pause();
    awaitError(client, "k");
    log.awaitLine("does not answer");
    awaitReadiness(503);
    orders.resume();
    log.awaitLine("answers again");
    awaitAllServe();
  }

  private void loads(RespClient client) {
    log.step("A server loads its data");
    for (int i = 0; i < 200; i++) {
      orders.text("SET", "load" + i, "v".repeat(100));
    }
    orders.text("CONFIG", "SET", "key-load-delay", "20000");
    Thread reload = Thread.ofVirtual().start(() -> orders.text("DEBUG", "RELOAD"));
    awaitError("LOADING");
    client.send("SET", "k", "v");
    log.awaitLine("failover hold started");
    orders.text("CONFIG", "SET", "key-load-delay", "0");
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("no longer rejects requests");
    await().atMost(PATIENCE).until(() -> !reload.isAlive());
    awaitAllServe();
  }

  private void awaitError(String word) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThatThrownBy(() -> orders.text("DBSIZE")).hasMessageContaining(word));
  }

  private void runsAScript(RespClient client) {
    log.step("A server is busy with a script: nothing, clients get its error");
    try (RespClient runner = orders.connect()) {
      runner.send("EVAL", "while true do end", "0");
      awaitError("BUSY");
      assertThat(client.call("SET", "k", "v")).startsWith("-BUSY ");
      orders.text("SCRIPT", "KILL");
      assertThat(runner.read()).startsWith("-");
    }
    awaitAllServe();
  }

  private void rejectsWrites(RespClient client) {
    log.step("A server has no memory, or no permission: nothing, clients get its error");
    orders.text("CONFIG", "SET", "maxmemory", "1");
    assertThat(client.call("SET", "k", "v")).startsWith("-OOM ");
    orders.text("CONFIG", "SET", "maxmemory", "0");
    orders.text("ACL", "SETUSER", "default", "-set");
    assertThat(client.call("SET", "k", "v")).startsWith("-NOPERM ");
    orders.text("ACL", "SETUSER", "default", "+@all");
    assertThat(penstock.get("prometheus").body())
        .contains("prefix=\"OOM\"", "prefix=\"NOPERM\"", "prefix=\"BUSY\"");
  }

  private void asksForAPassword(RespClient client) {
    log.step("A server asks for a password (NOAUTH), and does not any more");
    try (RespClient admin = orders.connect()) {
      admin.value("CONFIG", "SET", "requirepass", "new");
      admin.value("AUTH", "new");
      admin.value("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      log.awaitLine("rejects requests");
      assertThat(client.call("SET", "k", "v")).startsWith("-");
      awaitReadiness(503, "NOAUTH");
      admin.value("CONFIG", "SET", "requirepass", "");
    }
    log.awaitLine("no longer rejects requests");
    awaitAllServe();
  }

  private void otherPassword(RespClient other) {
    log.step("A server gets another password (WRONGPASS), and the earlier one again");
    try (RespClient admin = secured.connect()) {
      admin.value("CONFIG", "SET", "requirepass", "new");
      admin.value("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      log.awaitLine("rejects requests");
      assertThat(other.call("SET", "k", "v")).startsWith("-");
      awaitReadiness(503, "WRONGPASS");
      admin.value("CONFIG", "SET", "requirepass", "s3cret");
    }
    log.awaitLine("no longer rejects requests");
    awaitAllServe();
  }

  private void refusedReload(RespClient other) {
    log.step("A reload with a wrong password is refused");
    servers.write("wrong");
    assertThat(penstock.management().post("penstock/reload").body()).contains("refused");
    assertThat(other.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    servers.write("s3cret");
    log.awaitLine("refused");
    awaitAllServe();
  }

  private void shard(RespClient cache) {
    ServerProcess dead = servers.shards().get(0);
    log.step("A shard is killed, ejected, started again and back in the layout");
    dead.kill();
    log.awaitLine("is ejected");
    for (int i = 0; i < 20; i++) {
      assertThat(cache.call("SET", "k" + i, "v")).isEqualTo("+OK\r\n");
    }
    log.awaitLine("does not answer");
    awaitReadiness(200);
    dead.restart();
    log.awaitLine("answers again");
    log.awaitLine("is in the layout again");
    awaitAllServe();
  }

  private void nameMoves(RespClient client) {
    log.step("The name of a server moves to another one, and the earlier one is its replica");
    servers.moveName();
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n"));
    log.awaitLine("connecting anew");
    awaitAllServe();
  }
}
