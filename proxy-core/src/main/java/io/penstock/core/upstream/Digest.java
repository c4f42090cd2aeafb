package io.penstock.core.upstream;

/** A 64-bit FNV-1a hash with a final mixing step. Gives the same value in every process. */
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

  /** Adds a string and its length. */
  public Digest add(String text) {
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * PRIME;
    }
    return add(text.length());
  }

  /** Returns the hash of everything added. Each bit depends on the whole input. */
  public long value() {
    long mixed = (hash ^ (hash >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    return mixed ^ (mixed >>> 33);
  }
}
