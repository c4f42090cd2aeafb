package io.penstock.core.copies;

/** When a client gets the reply to a request to an upstream with copies, and which reply. */
public enum ReplyPolicy {
  /** The primary's, at once. Reads go to the primary. */
  PRIMARY,
  /** The primary's, when each copy has done the same; an error if one has not. */
  ALL,
  /**
   * The primary's, when more than half of all, the primary included, have answered the same; also
   * if that cannot be had any more. Reads go to the copies too.
   */
  QUORUM,
  /** The same, but an error if it cannot be had any more. */
  SAFE_QUORUM
}
