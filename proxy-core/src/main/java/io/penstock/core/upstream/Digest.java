package io.penstock.core.upstream;

/** FNV-1a over 64 bits, stirred at the end: the same in every process. */
public final class Digest {

  private static final long BASIS = 0xCBF2_9CE4_8422_2325L;
  private static final long PRIME = 0x100_0000_01B3L;

  private long hash = BASIS;

  /** Adds a number. */
  public Digest add(int number) {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      hash = (hash ^ ((number >>> shift) & 0xFF)) * PRIME;
    }
    return this;
  }

  /** Adds a text and its length. */
  public Digest add(String text) {
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * PRIME;
    }
    return add(text.length());
  }

  /** What was added, in brief; all bits depend on all of it. */
  public long value() {
    long stirred = (hash ^ (hash >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    return stirred ^ (stirred >>> 33);
  }
}
