package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The flags in the first line of a script, as servers since 7.0 read them: {@code #!lua
 * flags=no-writes,allow-stale}. Servers let a script that declares {@code no-writes} call nothing
 * that writes.
 */
public final class ScriptFlags {

  public static final String NO_WRITES = "no-writes";

  private static final String ENGINE = "#!lua";
  private static final String FLAGS = "flags=";

  /**
   * The flags of servers up to Redis 8 and Valkey 8; a line with any other flag is not understood.
   */
  private static final Set<String> KNOWN =
      Set.of(NO_WRITES, "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys");

  private static final int LONGEST_LINE = 1_024;

  private ScriptFlags() {}

  /** Returns whether a word is a flag of a script or function. */
  public static boolean isFlag(String word) {
    return KNOWN.contains(word);
  }

  /**
   * Returns whether a script declares that it does not write. Returns false as well for a script
   * that servers would reject, and if its first line is not understood here.
   *
   * @param script borrowed
   */
  public static boolean hasNoWrites(ByteBuf script, int offset, int length) {
    int end = script.indexOf(offset, offset + Math.min(length, LONGEST_LINE), (byte) '\n');
    if (length < ENGINE.length() || script.getByte(offset) != '#' || end < 0) {
      return false;
    }
    String line = script.toString(offset, end - offset, StandardCharsets.ISO_8859_1);
    String[] words = line.strip().split("[ \\t\\r]+", -1);
    boolean declared = false;
    for (int i = 1; i < words.length; i++) {
      if (!words[i].startsWith(FLAGS)) {
        return false;
      }
      for (String flag : words[i].substring(FLAGS.length()).split(",", -1)) {
        if (!KNOWN.contains(flag)) {
          return false;
        }
        declared |= flag.equals(NO_WRITES);
      }
    }
    return declared && words[0].equals(ENGINE);
  }
}
