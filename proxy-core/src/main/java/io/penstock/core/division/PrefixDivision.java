package io.penstock.core.division;

import io.netty.buffer.ByteBuf;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The longest prefix of a key among some selects the part; the key keeps it.
 *
 * @param prefixes the part of each, none empty; characters are encoded as UTF-8
 * @param otherwise the part of keys that begin with none of them
 * @param parts how many there are
 */
public record PrefixDivision(Map<String, Integer> prefixes, int otherwise, int parts)
    implements Division {

  private static final int MOST_IN_TEXT = 20;

  public PrefixDivision {
    prefixes = Map.copyOf(prefixes);
    if (prefixes.containsKey("")) {
      throw new IllegalArgumentException("a prefix is empty");
    }
  }

  @Override
  public Partitioner partitioner() {
    return new ByPrefix(this);
  }

  @Override
  public String textOf(int part) {
    List<String> all = new ArrayList<>();
    new TreeMap<>(prefixes)
        .forEach((prefix, where) -> {
          if (where == part) {
            all.add("\"" + prefix + "\"");
          }
        });
    if (all.size() > MOST_IN_TEXT) {
      int more = all.size() - MOST_IN_TEXT;
      all.subList(MOST_IN_TEXT, all.size()).clear();
      all.add(more + " more");
    }
    if (part == otherwise) {
      all.add("otherwise");
    }
    return String.join(", ", all);
  }

  @Override
  public String text() {
    return "by prefix";
  }

  /**
   * Finds the greatest prefix that is not greater than the key, byte by byte; the longest prefix of
   * the key is that one, or one of those that it begins with itself.
   */
  private static final class ByPrefix implements Partitioner {

    private static final int NONE = -1;
    private static final int MOST_BEGINNINGS = 8;

    private final byte[][] prefixes; // sorted
    private final int[] part;
    private final int[] shorter; // index of the longest other prefix that it begins with, or NONE
    private final int otherwise;
    private final int parts;

    ByPrefix(PrefixDivision division) {
      var sorted = new TreeMap<byte[], Integer>(Arrays::compareUnsigned);
      division
          .prefixes()
          .forEach((prefix, where) -> sorted.put(prefix.getBytes(StandardCharsets.UTF_8), where));
      this.prefixes = sorted.keySet().toArray(byte[][]::new);
      this.part = sorted.values().stream().mapToInt(Integer::intValue).toArray();
      this.shorter = new int[prefixes.length];
      for (int i = 0; i < prefixes.length; i++) {
        int candidate = i - 1;
        while (candidate != NONE && !begins(prefixes[i], prefixes[candidate])) {
          candidate = shorter[candidate];
        }
        shorter[i] = candidate;
      }
      this.otherwise = division.otherwise();
      this.parts = division.parts();
    }

    private static boolean begins(byte[] text, byte[] prefix) {
      return text.length >= prefix.length
          && Arrays.mismatch(text, 0, prefix.length, prefix, 0, prefix.length) < 0;
    }

    @Override
    public int partitions() {
      return parts;
    }

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      int found = greatestUpTo(buffer, offset, length);
      while (found != NONE && !begins(buffer, offset, length, prefixes[found])) {
        found = shorter[found];
      }
      return found == NONE ? otherwise : part[found];
    }

    /** Returns the index of the greatest prefix that is not greater than the text; or NONE. */
    private int greatestUpTo(ByteBuf buffer, int offset, int length) {
      int low = 0;
      int high = prefixes.length - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        if (compare(prefixes[middle], buffer, offset, length) <= 0) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return high;
    }

    private static int compare(byte[] prefix, ByteBuf buffer, int offset, int length) {
      int common = Math.min(prefix.length, length);
      for (int i = 0; i < common; i++) {
        int difference = (prefix[i] & 0xFF) - buffer.getUnsignedByte(offset + i);
        if (difference != 0) {
          return difference;
        }
      }
      return prefix.length - length;
    }

    private static boolean begins(ByteBuf buffer, int offset, int length, byte[] prefix) {
      if (length < prefix.length) {
        return false;
      }
      for (int i = 0; i < prefix.length; i++) {
        if (buffer.getByte(offset + i) != prefix[i]) {
          return false;
        }
      }
      return true;
    }

    @Override
    public List<String> beginnings(int partition) {
      List<String> all = new ArrayList<>();
      if (partition == otherwise) {
        all.add("");
      }
      for (int i = 0; i < prefixes.length && all.size() < MOST_BEGINNINGS; i++) {
        if (part[i] == partition) {
          all.add(new String(prefixes[i], StandardCharsets.ISO_8859_1));
        }
      }
      return all;
    }

    /** Longer prefixes that begin with the text must have the same part. */
    @Override
    public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
      int own = partitionOf(buffer, offset, length);
      for (int i = greatestUpTo(buffer, offset, length) + 1; i < prefixes.length; i++) {
        if (!beginsWith(prefixes[i], buffer, offset, length)) {
          return true;
        }
        if (part[i] != own) {
          return false;
        }
      }
      return true;
    }

    private static boolean beginsWith(byte[] prefix, ByteBuf buffer, int offset, int length) {
      if (prefix.length < length) {
        return false;
      }
      for (int i = 0; i < length; i++) {
        if (prefix[i] != buffer.getByte(offset + i)) {
          return false;
        }
      }
      return true;
    }
  }
}
