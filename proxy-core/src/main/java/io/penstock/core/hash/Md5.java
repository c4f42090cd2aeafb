package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** MD5, for the hash of that name and for the points of ketama. One object per thread. */
public final class Md5 {

  private static final ThreadLocal<Md5> OF_THREAD = ThreadLocal.withInitial(Md5::new);
  private static final int DIGEST_BYTES = 16;
  private static final int CHUNK = 512;

  private final MessageDigest digest;
  private final byte[] chunk = new byte[CHUNK];
  private final byte[] result = new byte[DIGEST_BYTES];

  private Md5() {
    try {
      digest = MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime has no MD5, which layouts need", e);
    }
  }

  /** Returns the first four bytes of the digest of a key, little endian, 0 to 4294967295. */
  public static long of(ByteBuf buffer, int offset, int length) {
    Md5 md5 = OF_THREAD.get();
    int end = offset + length;
    for (int i = offset; i < end; i += CHUNK) {
      int size = Math.min(CHUNK, end - i);
      buffer.getBytes(i, md5.chunk, 0, size);
      md5.digest.update(md5.chunk, 0, size);
    }
    md5.finish();
    return Integer.toUnsignedLong(md5.word(0));
  }

  /** Fills {@code words} with the four words of the digest of a text, little endian. */
  public static void of(byte[] text, int[] words) {
    Md5 md5 = OF_THREAD.get();
    md5.digest.update(text);
    md5.finish();
    for (int i = 0; i < words.length; i++) {
      words[i] = md5.word(i);
    }
  }

  private void finish() {
    try {
      digest.digest(result, 0, DIGEST_BYTES);
    } catch (DigestException e) {
      throw new IllegalStateException(e); // the result has room for 16 bytes
    }
  }

  private int word(int index) {
    int i = index * Integer.BYTES;
    return (result[i] & 0xFF)
        | (result[i + 1] & 0xFF) << 8
        | (result[i + 2] & 0xFF) << 16
        | result[i + 3] << 24;
  }
}
