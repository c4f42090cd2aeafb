package io.penstock.core.crossslot;

import io.penstock.core.route.CrossSlot;
import java.time.Duration;

/**
 * What becomes of commands over several slots.
 *
 * @param mode whether they are rejected or carried out
 * @param scripts whether scripts that only read are carried out on copies of their keys
 * @param maxBytes that one command may collect
 * @param maxKeys that one command may have
 * @param pollInterval how often it is seen whether a key that a client waits for exists
 */
public record CrossSlotSettings(
    CrossSlot mode, boolean scripts, long maxBytes, int maxKeys, Duration pollInterval) {

  /** All of them are rejected. */
  public static final CrossSlotSettings REJECT =
      new CrossSlotSettings(
          CrossSlot.REJECT, false, 64L * 1024 * 1024, 1_024, Duration.ofMillis(20));

  /** Returns these settings with another mode. */
  public CrossSlotSettings with(CrossSlot other) {
    return new CrossSlotSettings(other, scripts, maxBytes, maxKeys, pollInterval);
  }

  /** Returns these settings with another limit on what one command may collect. */
  public CrossSlotSettings withMaxBytes(long bytes) {
    return new CrossSlotSettings(mode, scripts, bytes, maxKeys, pollInterval);
  }

  /** Returns these settings with scripts that only read carried out. */
  public CrossSlotSettings withScripts() {
    return new CrossSlotSettings(mode, true, maxBytes, maxKeys, pollInterval);
  }
}
