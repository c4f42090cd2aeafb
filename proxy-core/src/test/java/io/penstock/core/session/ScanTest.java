package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code SCAN} over two shards. */
class ScanTest {

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  private static String page(String cursor, String key) {
    return "*2\r\n" + Wire.bulk(cursor) + "*1\r\n" + Wire.bulk(key);
  }

  /** Reads one page with one key of one byte; returns its cursor. */
  private static String cursor(Peer client, String key) {
    assertThat(client.read(5)).isEqualTo("*2\r\n$");
    var length = new StringBuilder(client.read(1));
    while (length.charAt(length.length() - 1) != '\n') {
      length.append(client.read(1));
    }
    String cursor = client.read(Integer.parseInt(length.toString().strip()));
    client.expect("\r\n*1\r\n" + Wire.bulk(key));
    return cursor;
  }

  @Test
  void shardsAreScannedInTurnWithTheirOwnCursors() {
    Peer client = rig.client();
    client.send(call("SCAN 0 MATCH x* COUNT 100 TYPE string"));
    Peer lower = rig.accept(0).expect(call("SCAN 0 MATCH x* COUNT 100 TYPE string"));
    lower.send(page("896", "x"));
    String cursor = cursor(client, "x");

    client.send(call("sCaN " + cursor));
    lower.expect(call("SCAN 896")).send(page("0", "y"));
    cursor = cursor(client, "y");

    client.send(call("SCAN " + cursor + " COUNT 5"));
    Peer upper = rig.accept(1).expect(call("SCAN 0 COUNT 5"));
    upper.send(page("5", "z"));
    cursor = cursor(client, "z");

    client.send(call("SCAN " + cursor));
    upper.expect(call("SCAN 5")).send(page("0", "w"));
    client.expect(page("0", "w"));
  }

  @Test
  void anInvalidCursorHasTheErrorOfRedis() {
    Peer client = rig.client();
    client.send(call("SCAN abc COUNT x") + call("SCAN") + PING);

    client.expect(
        "-ERR invalid cursor\r\n"
            + "-ERR wrong number of arguments for 'scan' command\r\n+PONG\r\n");
  }

  @Test
  void wrongOptionsHaveTheErrorOfTheNode() {
    Peer client = rig.client();
    client.send(call("SCAN 0 NOSUCH"));
    rig.accept(0).expect(call("SCAN 0 NOSUCH")).send("-ERR syntax error\r\n");

    client.expect("-ERR syntax error\r\n");
  }

  @Test
  void repliesKeepTheirOrder() {
    Peer client = rig.client();
    client.send(set("b", "1") + call("SCAN 0") + get("b"));
    rig.accept(0)
        .expect(set("b", "1") + call("SCAN 0") + get("b"))
        .send("+OK\r\n" + page("7", "b") + "$1\r\n1\r\n");

    client.expect("+OK\r\n");
    cursor(client, "b");
    client.expect("$1\r\n1\r\n");
  }

  /** Assigns the slots of node 0 to another node. */
  private void takesOver(ScriptedNode promoted) {
    SlotMap before = rig.topology().current();
    rig.publish(
        new SlotMap.Builder()
            .shard(new Shard(new Endpoint("127.0.0.1", promoted.port()), List.of(), 3))
            .range(0, 8_191)
            .shard(before.shards().getLast())
            .range(8_192, 16_383)
            .build());
  }

  @Test
  void aNewMasterIsScannedFromItsBeginning() {
    Peer client = rig.client();
    client.send(call("SCAN 0"));
    Peer old = rig.accept(0).expect(call("SCAN 0")).send(page("896", "x"));
    String cursor = cursor(client, "x");
    client.send(call("SCAN " + cursor));
    old.expect(call("SCAN 896"));

    try (var promoted = new ScriptedNode()) {
      rig.server(0).stopListening();
      old.close();
      takesOver(promoted);
      Peer now = promoted.accept().expect(call("SCAN 896")).send(page("0", "y"));
      now.expect(call("SCAN 0")).send(page("3", "z"));

      cursor = cursor(client, "z");
      client.send(call("SCAN " + cursor));
      now.expect(call("SCAN 3")).send(page("0", "w"));
      assertThat(cursor(client, "w")).isNotEqualTo("0");
    }
  }

  @Test
  void scanningANewMasterHasItsOwnTimeout() {
    rig.close();
    Duration timeout = Duration.ofSeconds(5);
    rig = new RigOptions().commandTimeout(timeout).failoverHold(Duration.ofSeconds(100)).start();
    Peer client = rig.client();
    rig.server(0).stopListening();
    client.send(call("SCAN 0"));
    await().until(() -> rig.onLoop(() -> rig.dispatcher().nodes().heldRequests().size()) == 1);
    rig.advance(timeout);

    try (var promoted = new ScriptedNode()) {
      takesOver(promoted);
      Peer now = promoted.accept().expect(call("SCAN 0")).send(page("0", "void"));
      now.expect(call("SCAN 0"));
      rig.tick(Duration.ZERO);
      now.send(page("3", "z"));

      cursor(client, "z");
    }
  }

  @Test
  void cursorsOfASingleServerAreForwarded() {
    rig.close();
    rig = new RigOptions().single().start();
    Peer client = rig.client();
    client.send(call("SCAN 18446744073709551615 COUNT 1") + call("SCAN abc"));
    rig.accept(0)
        .expect(call("SCAN 18446744073709551615 COUNT 1") + call("SCAN abc"))
        .send(page("17", "x") + "-ERR invalid cursor\r\n");

    client.expect(page("17", "x") + "-ERR invalid cursor\r\n");
  }
}
