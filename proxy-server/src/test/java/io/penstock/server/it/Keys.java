package io.penstock.server.it;

import io.penstock.core.cluster.Slot;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;

/** Keys that lie where a test wants them. */
public final class Keys {

  private Keys() {}

  /** A hash tag, braces included, of a slot: {@code Keys.tag(7) + "anything"} lies in slot 7. */
  public static String tag(int slot) {
    for (int i = 0; ; i++) {
      String tag = Integer.toString(i, Character.MAX_RADIX);
      if (Slot.of(Wire.bytes(tag)) == slot) {
        return "{" + tag + "}";
      }
    }
  }

  /** One slot of each master, in the order of {@link EmbeddedCluster#masters()}. */
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

  /** A hash tag of each master. */
  public static List<String> tagsOfMasters(EmbeddedCluster cluster) {
    return slotsOfMasters(cluster).stream().map(Keys::tag).toList();
  }
}
