package io.penstock.core.route;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.resp.RequestFrame;
import java.util.Arrays;

/**
 * The slots of one request's arguments, as far as they were found out before it is routed. Holds
 * for what its frame holds now. Confined to its loop.
 */
public final class KnownSlots {

  /** Of no request. */
  public static final KnownSlots NONE = new KnownSlots(new RequestFrame());

  /** Longest argument whose slot is found out: longer ones are seldom keys. */
  public static final int LONGEST = 64 * 1024;

  private static final char UNKNOWN = SlotMap.SLOTS;

  private final RequestFrame frame;
  private final char[] slots;

  /** For the request that {@code frame} holds. */
  public KnownSlots(RequestFrame frame) {
    this.frame = frame;
    this.slots = new char[frame.argc()];
    Arrays.fill(slots, UNKNOWN);
  }

  /** How many arguments there are. */
  public int arguments() {
    return slots.length;
  }

  /** The argument's slot is {@code slot}. */
  public void set(int argument, int slot) {
    slots[argument] = (char) slot;
  }

  /** Whether the slot of that argument of {@code request} is known here. */
  boolean has(RequestFrame request, int argument) {
    return request == frame && slots[argument] != UNKNOWN;
  }

  int get(int argument) {
    return slots[argument];
  }
}
