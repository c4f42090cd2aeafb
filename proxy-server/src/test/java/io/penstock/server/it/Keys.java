package io.penstock.server.it;

import io.penstock.core.cluster.Slot;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Keys in given slots. */
public final class Keys {

  private Keys() {}

  /** Returns a hash tag of a slot, with braces: {@code Keys.tag(7) + "anything"} is in slot 7. */
  public static String tag(int slot) {
    for (int i = 0; ; i++) {
      String tag = Integer.toString(i, Character.MAX_RADIX);
      if (Slot.of(Wire.bytes(tag)) == slot) {
        return "{" + tag + "}";
      }
    }
  }

  /** Returns one slot of each master, in the order of {@link EmbeddedCluster#masters()}. */
  public static List<Integer> slotsOfMasters(EmbeddedCluster cluster) {
    List<Integer> slots = new ArrayList<>();
    for (Member master : cluster.masters()) {
      slots.add(slotOf(cluster, master));
    }
    return slots;
  }

  public static int slotOf(EmbeddedCluster cluster, Member master) {
    for (int slot = 100; slot < 16_384; slot += 500) {
      if (cluster.masterOf(slot) == master) {
        return slot;
      }
    }
    throw new IllegalStateException(master + " owns no slot");
  }

  /**
   * Empties the shard of a slot, including its replicas. After a full resynchronization the link of
   * a replica is up a second before its master sends it newer writes (replication.c, {@code
   * repl_start_cmd_stream_on_ack}); a replica promoted in that second would still have the keys.
   */
  public static void empty(EmbeddedCluster cluster, int slot) {
    Member master = cluster.masterOf(slot);
    int replicas = cluster.replicasOf(master).size();
    try (RespClient client = RespClient.open(master.host(), master.port())) {
      client.value("FLUSHALL");
      Object reached = client.value("WAIT", Integer.toString(replicas), "10000");
      if (!Long.valueOf(replicas).equals(reached)) {
        throw new IllegalStateException(reached + " of " + replicas + " replicas of " + master);
      }
    }
  }

  /** Returns all keys that a scan in small steps finds. Fails if it finds one twice. */
  static Set<String> scan(RespClient wire) {
    Set<String> found = new TreeSet<>();
    String cursor = "0";
    do {
      List<?> reply = (List<?>) wire.value("SCAN", cursor, "COUNT", "20");
      cursor = Wire.text((byte[]) Objects.requireNonNull(reply).get(0));
      for (Object key : (List<?>) reply.get(1)) {
        if (!found.add(Wire.text((byte[]) key))) {
          throw new AssertionError(Wire.text((byte[]) key) + " was found twice");
        }
      }
    } while (!cursor.equals("0"));
    return found;
  }

  /** Returns a hash tag of each master. */
  public static List<String> tagsOfMasters(EmbeddedCluster cluster) {
    return slotsOfMasters(cluster).stream().map(Keys::tag).toList();
  }
}
