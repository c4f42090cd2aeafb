package io.penstock.core.mirror;

import org.jspecify.annotations.Nullable;

/** A key that is copied again whole: what the primary is asked, and what a copy gets. */
public final class KeyImage {

  private static final long NO_KEY = -2;

  private KeyImage() {}

  /** Returns the question for the value. */
  public static CopyRequest value(byte[] key) {
    return CopyRequest.command("DUMP").add(key).build();
  }

  /** Returns the question for the deadline, to be asked directly behind that for the value. */
  public static CopyRequest deadline(byte[] key) {
    return CopyRequest.command("PEXPIRETIME").add(key).build();
  }

  /**
   * Returns what a copy gets.
   *
   * @param value the answer to the first question, no error; borrowed
   * @param deadline the answer to the second, no error; borrowed
   */
  public static CopyRequest of(byte[] key, Reply value, Reply deadline) {
    byte @Nullable [] payload = value.content();
    long at = deadline.integer(); // milliseconds since 1970, or negative
    if (payload == null || at == NO_KEY) {
      return CopyRequest.command("DEL").add(key).build();
    }
    return CopyRequest.command("RESTORE")
        .add(key)
        .number(Math.max(0, at))
        .add(payload)
        .text("REPLACE")
        .text("ABSTTL")
        .build();
  }
}
