package io.penstock.core.mirror;

import java.util.List;

/** The absolute deadline of a key: the question to the primary, and its answer. */
final class Deadline {

  /** The key has expired, or was deleted because the deadline had passed. */
  static final long GONE = -2;

  /** The key has none. */
  static final long NONE = -1;

  private Deadline() {}

  static List<CopyRequest> question(byte[] key) {
    return List.of(CopyRequest.command("PEXPIRETIME").add(key).build());
  }

  /** Returns milliseconds since 1970, {@link #GONE}, {@link #NONE} or {@link Reply#NO_INTEGER}. */
  static long of(List<Reply> answers) {
    return answers.isEmpty() ? Reply.NO_INTEGER : answers.getFirst().integer();
  }

  static Effect delete(List<byte[]> keys) {
    return CopyRequest.command("DEL").all(keys).effect();
  }

  /** Returns whether arguments {@code i} and {@code i + 1} are a duration. */
  static boolean isRelative(Call call, int i) {
    return call.isAny(i, "ex", "px");
  }

  /** Returns whether arguments {@code i} and {@code i + 1} are a point in time. */
  static boolean isAbsolute(Call call, int i) {
    return call.isAny(i, "exat", "pxat");
  }
}
