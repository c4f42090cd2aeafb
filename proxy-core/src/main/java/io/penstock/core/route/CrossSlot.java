package io.penstock.core.route;

/** What becomes of a command whose keys are in several partitions, and which cannot be split. */
public enum CrossSlot {
  /** It is rejected. */
  REJECT,
  /** It is rejected, and counted if it could be emulated. */
  REPORT,
  /** It is carried out in steps if that is possible, else rejected. */
  EMULATE
}
