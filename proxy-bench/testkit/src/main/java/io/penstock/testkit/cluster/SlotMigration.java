package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The migration of one slot from one master to another, step by step: between {@link #begin} and
 * {@link #finish} the source answers ASK for keys it no longer has.
 */
public final class SlotMigration {

  private static final String TIMEOUT_MILLIS = "60000";

  private final EmbeddedCluster cluster;
  private final int slot;
  private final Member from;
  private final Member to;
  private final List<String> authentication;
  private final int databases;

  private SlotMigration(EmbeddedCluster cluster, int slot, Member from, Member to) {
    this.cluster = cluster;
    this.slot = slot;
    this.from = from;
    this.to = to;
    this.authentication = authentication(cluster.user(), cluster.password());
    this.databases = databases(from);
  }

  static SlotMigration begin(EmbeddedCluster cluster, int slot, Member from, Member to) {
    String number = Integer.toString(slot);
    to.text("CLUSTER", "SETSLOT", number, "IMPORTING", from.id());
    from.text("CLUSTER", "SETSLOT", number, "MIGRATING", to.id());
    return new SlotMigration(cluster, slot, from, to);
  }

  /**
   * Begins the migration of slots as a whole.
   *
   * @return the member that was asked
   */
  static Member beginAtomic(ServerBinary server, int first, int last, Member from, Member to) {
    String firstSlot = Integer.toString(first);
    String lastSlot = Integer.toString(last);
    if (server.valkey()) {
      from.text("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", firstSlot, lastSlot, "NODE", to.id());
      return from;
    }
    to.text("CLUSTER", "MIGRATION", "IMPORT", firstSlot, lastSlot);
    return to;
  }

  /**
   * Moves up to {@code atMost} keys of each database.
   *
   * @return how many there were; 0 when the slot is empty
   */
  public int moveKeys(int atMost) {
    int moved = 0;
    try (RespClient source = from.server().connect()) {
      for (int database = 0; database < databases; database++) {
        if (database > 0) {
          source.value("SELECT", Integer.toString(database));
        }
        moved += moveKeys(source, database, atMost);
      }
    }
    return moved;
  }

  private int moveKeys(RespClient source, int database, int atMost) {
    List<byte[]> keys = new ArrayList<>();
    Object found =
        source.value("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(atMost));
    for (Object key : (List<?>) Objects.requireNonNull(found)) {
      keys.add((byte[]) key);
    }
    if (!keys.isEmpty()) {
      source.value(migrate(database, keys));
    }
    return keys.size();
  }

  /** Assigns the slot to its new owner. Returns when every running node knows. */
  public void finish() {
    List<Member> order = new ArrayList<>(List.of(to, from));
    for (Member master : cluster.masters()) {
      if (!order.contains(master)) {
        order.add(master);
      }
    }
    for (Member master : order) {
      announce(master);
    }
    cluster.awaitHealthy();
  }

  private void announce(Member master) {
    try {
      master.text("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", to.id());
    } catch (RespClient.ErrorReply e) {
      if (master.self().isMaster()) {
        throw e;
      }
      // The source heard it by gossip: a master that lost its last slot becomes a replica.
    }
  }

  private byte[][] migrate(int database, List<byte[]> keys) {
    List<byte[]> command = new ArrayList<>();
    String port = Integer.toString(to.port());
    for (String word :
        List.of("MIGRATE", to.host(), port, "", Integer.toString(database), TIMEOUT_MILLIS)) {
      command.add(Wire.utf8(word));
    }
    for (String word : authentication) {
      command.add(Wire.utf8(word));
    }
    command.add(Wire.utf8("KEYS"));
    command.addAll(keys);
    return command.toArray(byte[][]::new);
  }

  /** A cluster has one database unless Valkey 9 is told otherwise. */
  private static int databases(Member member) {
    try (RespClient client = member.server().connect()) {
      List<?> values =
          (List<?>) Objects.requireNonNull(client.value("CONFIG", "GET", "cluster-databases"));
      return values.isEmpty() ? 1 : Integer.parseInt(Wire.text((byte[]) values.get(1)));
    }
  }

  private static List<String> authentication(@Nullable String user, @Nullable String password) {
    if (password == null) {
      return List.of();
    }
    return user == null ? List.of("AUTH", password) : List.of("AUTH2", user, password);
  }
}
