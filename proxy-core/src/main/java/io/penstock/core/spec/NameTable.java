package io.penstock.core.spec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of specs by name, with lookup by the name's bytes, ignoring case. Open addressing
 * over lower-cased words of eight bytes: most lookups take one load, one multiplication and one
 * comparison. Immutable.
 */
public final class NameTable {

  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final int SLOTS_PER_NAME = 4;

  private final int shift;
  private final int mask;
  private final long[] firstWords;
  private final int[] lengths;
  private final long[][] words;
  private final @Nullable CommandSpec[] specs;
  private final int longest;

  /**
   * Creates a table of commands, or of one container's subcommands by the part of the name after
   * {@code |}.
   */
  public NameTable(List<CommandSpec> entries) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(entries.size() * SLOTS_PER_NAME - 1);
    shift = Long.SIZE - bits;
    mask = (1 << bits) - 1;
    firstWords = new long[1 << bits];
    lengths = new int[1 << bits];
    words = new long[1 << bits][];
    specs = new @Nullable CommandSpec[1 << bits];
    int max = 0;
    for (CommandSpec spec : entries) {
      byte[] name = ownName(spec).getBytes(StandardCharsets.US_ASCII);
      put(name, spec);
      max = Math.max(max, name.length);
    }
    longest = max;
  }

  private static String ownName(CommandSpec spec) {
    return spec.name().substring(spec.name().indexOf('|') + 1);
  }

  private void put(byte[] name, CommandSpec spec) {
    long[] key = new long[(name.length + Long.BYTES - 1) / Long.BYTES];
    for (int i = 0; i < name.length; i++) {
      key[i / Long.BYTES] |= (long) name[i] << (i % Long.BYTES * Byte.SIZE);
    }
    long hash = 0;
    for (long word : key) {
      hash = mix(hash, word);
    }
    int slot = (int) (hash >>> shift);
    while (specs[slot] != null) {
      slot = (slot + 1) & mask;
    }
    firstWords[slot] = key[0];
    lengths[slot] = name.length;
    words[slot] = key;
    specs[slot] = spec;
  }

  private static long mix(long hash, long word) {
    return (hash ^ word) * MIX;
  }

  /**
   * Returns the spec of the name in these bytes, or null. Allocates nothing. Borrows the buffer.
   */
  public @Nullable CommandSpec find(ByteBuf buffer, int offset, int length) {
    if (length == 0 || length > longest) {
      return null;
    }
    long first = Ascii.toLower(Ascii.word(buffer, offset, Math.min(length, Long.BYTES)));
    long hash = mix(0, first);
    for (int at = Long.BYTES; at < length; at += Long.BYTES) {
      hash = mix(hash, laterWord(buffer, offset, length, at));
    }
    for (int slot = (int) (hash >>> shift); ; slot = (slot + 1) & mask) {
      CommandSpec spec = specs[slot];
      if (spec == null) {
        return null;
      }
      if (firstWords[slot] == first
          && lengths[slot] == length
          && (length <= Long.BYTES || restEquals(words[slot], buffer, offset, length))) {
        return spec;
      }
    }
  }

  private static boolean restEquals(long[] key, ByteBuf buffer, int offset, int length) {
    for (int i = 1; i < key.length; i++) {
      if (key[i] != laterWord(buffer, offset, length, i * Long.BYTES)) {
        return false;
      }
    }
    return true;
  }

  private static long laterWord(ByteBuf buffer, int offset, int length, int at) {
    return Ascii.toLower(Ascii.word(buffer, offset + at, Math.min(length - at, Long.BYTES)));
  }
}
