package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.RequestFrame;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Computes the digests by which {@code EVALSHA} calls scripts. The digest of a text that is sent
 * repeatedly, as with {@code EVAL}, is found by comparing bytes instead. Confined to its loop.
 */
public final class DigestCache {

  /** Bytes of the longest text that is kept: at most 4 MiB in total. */
  static final int LONGEST = 16 * 1024;

  private static final int PLACES_LOG_2 = 8;
  private static final int PLACES = 1 << PLACES_LOG_2;
  private static final int TRIED = 4; // places where one text may be
  private static final int SAMPLES = 16;
  private static final int GOLDEN_RATIO = 0x9E37_79B9; // spreads values that differ in few bits

  private record Known(ByteBuf text, String digest) {}

  private final @Nullable Known[] known = new Known[PLACES];
  private int next; // which of the tried places is replaced next

  /** Returns the argument's digest, in lower case. */
  public String of(RequestFrame frame, int argument) {
    ByteBuf buffer = frame.buffer();
    int from = frame.offset(argument);
    int length = frame.length(argument);
    if (length > LONGEST) {
      return digest(buffer, from, length);
    }
    int place = place(buffer, from, length);
    for (int i = 0; i < TRIED; i++) {
      Known one = known[(place + i) % PLACES];
      if (one != null
          && one.text.readableBytes() == length
          && ByteBufUtil.equals(one.text, 0, buffer, from, length)) {
        return one.digest;
      }
    }
    String digest = digest(buffer, from, length);
    ByteBuf text = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(buffer, from, length));
    next = (next + 1) % TRIED;
    known[(place + next) % PLACES] = new Known(text, digest);
    return digest;
  }

  /**
   * Hashes the length and some of the bytes; texts with the same hash are then compared by all
   * bytes.
   */
  private static int place(ByteBuf buffer, int from, int length) {
    int hash = length;
    int step = Math.max(Integer.BYTES, length / SAMPLES);
    for (int at = 0; at + Integer.BYTES <= length; at += step) {
      hash = 31 * hash + buffer.getInt(from + at);
    }
    return (hash * GOLDEN_RATIO) >>> (Integer.SIZE - PLACES_LOG_2);
  }

  private static String digest(ByteBuf buffer, int from, int length) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1"); // as for EVALSHA
      sha1.update(buffer.nioBuffer(from, length));
      return HexFormat.of().formatHex(sha1.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
