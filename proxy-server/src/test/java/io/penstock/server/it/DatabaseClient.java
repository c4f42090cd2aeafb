package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;

/**
 * A client that stays in one database, or goes from one to the next, while masters fail. It writes
 * only keys that are named after its database, and reads one that says which database it is.
 */
final class DatabaseClient implements Runnable {

  private static final int DATABASES = 4;
  private static final int ALL_DATABASES = 16;

  private final RespClient wire;
  private final String name;
  private final boolean roams;
  private int database;

  /**
   * @param wire takes ownership
   * @param number chooses the database and the protocol
   * @param roams whether it selects another database in each step
   */
  DatabaseClient(RespClient wire, String name, int number, boolean roams) {
    this.wire = wire;
    this.name = name;
    this.roams = roams;
    wire.call("HELLO", number % 3 == 0 ? "3" : "2");
    database = number % DATABASES;
    assertThat(wire.call("SELECT", Integer.toString(database))).isEqualTo("+OK\r\n");
  }

  /** Writes into each database which one it is, and waits until all replicas know. */
  static void prepare(ServerProcess master, int replicas) {
    try (RespClient direct = master.connect()) {
      for (int i = 0; i < DATABASES; i++) {
        direct.text("SELECT", Integer.toString(i));
        direct.text("SET", prefix(i) + "where", Integer.toString(i));
      }
      assertThat(direct.call("WAIT", Integer.toString(replicas), "20000"))
          .isEqualTo(":" + replicas + "\r\n");
    }
  }

  private static String prefix(int database) {
    return "of" + database + " ";
  }

  String name() {
    return name;
  }

  @Override
  public void run() {
    if (roams) {
      roam();
    }
    String key = prefix(database) + name;
    wire.write(Wire.request("SET", key, "v"));
    wire.write(Wire.request("MULTI") + Wire.request("INCR", key + " count"));
    wire.write(Wire.request("EXEC") + Wire.request("GET", prefix(database) + "where"));
    wire.write(Wire.request("APPEND", key, "w"));
    wire.flush();
    assertThat(wire.read()).matches(reply -> isReply(reply, "+OK"), "reply to SET");
    assertThat(wire.read()).isEqualTo("+OK\r\n");
    assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
    assertThat(wire.read()).matches(reply -> isReply(reply, "*1\r\n:"), "reply to EXEC");
    assertThat(wire.read()).as("where it is").isEqualTo(where());
    assertThat(wire.read()).matches(reply -> isReply(reply, ":"), "reply to APPEND");
  }

  private void roam() {
    int next = (database + 1) % DATABASES;
    assertThat(wire.call("SELECT", Integer.toString(next))).isEqualTo("+OK\r\n");
    database = next;
  }

  /** A write that is in flight when its connection is lost has an unknown outcome. */
  private static boolean isReply(String reply, String beginning) {
    return reply.startsWith(beginning) || reply.startsWith("-CONNLOST ");
  }

  private String where() {
    return Wire.bulk(Integer.toString(database));
  }

  /** Verifies that the client is in its database. */
  void verifyAndClose() {
    try (wire) {
      assertThat(wire.call("GET", prefix(database) + "where")).isEqualTo(where());
      assertThat(wire.call("CLIENT", "INFO")).contains(" db=" + database + " ");
    }
  }

  /** Verifies that nothing was written to a wrong database. */
  static void verifyKeys(ServerProcess master) {
    try (RespClient direct = master.connect()) {
      for (int i = 0; i < ALL_DATABASES; i++) {
        direct.text("SELECT", Integer.toString(i));
        List<Reply> keys = Reply.parse(direct.call("KEYS", "*")).elements();
        String prefix = prefix(i);
        assertThat(keys).allMatch(key -> key.text().startsWith(prefix), prefix);
        assertThat(keys.isEmpty()).as(prefix).isEqualTo(i >= DATABASES);
      }
    }
  }
}
