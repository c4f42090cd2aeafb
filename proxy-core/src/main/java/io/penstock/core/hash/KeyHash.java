package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Slot;

/**
 * A hash function of a key, to the byte as the proxies compute it that have it. Allocates nothing;
 * safe from any thread.
 *
 * <p>Hashes are 0 to 4294967295 unless the constant says otherwise. A constant that ends with
 * {@code UNSIGNED} differs from the one without for bytes from 0x80 on only.
 */
public enum KeyHash {

  /** Jenkins' one-at-a-time, with signed bytes. */
  ONE_AT_A_TIME {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Jenkins.oneAtATime(buffer, offset, length, KeyBytes.SIGNED);
    }
  },

  /** Jenkins' one-at-a-time. */
  ONE_AT_A_TIME_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Jenkins.oneAtATime(buffer, offset, length, KeyBytes.UNSIGNED);
    }
  },

  /** The first four bytes of the MD5 digest, little endian. */
  MD5 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Md5.of(buffer, offset, length);
    }
  },

  /**
   * CRC16 (XMODEM) in 32 bits that are never masked, so that earlier sums remain in the upper 16.
   */
  CRC16 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      int end = offset + length;
      int secondLast = Math.max(offset, end - 2);
      int last = Math.max(offset, end - 1);
      int first = Slot.crc16(0, buffer, offset, secondLast);
      int second = Slot.crc16(first, buffer, secondLast, last);
      int third = Slot.crc16(second, buffer, last, end);
      return (first >>> 8 << 24 | second >>> 8 << 16 | third) & 0xFFFF_FFFFL;
    }
  },

  /** CRC16 (XMODEM), 0 to 65535. */
  CRC16_SHORT {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Slot.crc16(0, buffer, offset, offset + length);
    }
  },

  /** Bits 16 to 30 of the CRC-32, 0 to 32767. */
  CRC32 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Crc32.of(buffer, offset, length) >>> 16 & 0x7FFF;
    }
  },

  /** The CRC-32 of IEEE 802.3. */
  CRC32A {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Crc32.of(buffer, offset, length);
    }
  },

  /** The lower half of FNV-1 in 64 bits, with signed bytes. */
  FNV1_64 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_64.fnv1(buffer, offset, length);
    }
  },

  /** The lower half of FNV-1 in 64 bits. */
  FNV1_64_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_64_UNSIGNED.fnv1(buffer, offset, length);
    }
  },

  /** FNV-1a with the lower halves of the 64-bit constants, in 32 bits, with signed bytes. */
  FNV1A_64 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_64.fnv1a(buffer, offset, length);
    }
  },

  /** FNV-1a with the lower halves of the 64-bit constants, in 32 bits. */
  FNV1A_64_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_64_UNSIGNED.fnv1a(buffer, offset, length);
    }
  },

  /** FNV-1 in 32 bits, with signed bytes. */
  FNV1_32 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_32.fnv1(buffer, offset, length);
    }
  },

  /** FNV-1 in 32 bits. */
  FNV1_32_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_32_UNSIGNED.fnv1(buffer, offset, length);
    }
  },

  /** FNV-1a in 32 bits, with signed bytes. */
  FNV1A_32 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_32.fnv1a(buffer, offset, length);
    }
  },

  /** FNV-1a in 32 bits. */
  FNV1A_32_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Fnv.OF_32_UNSIGNED.fnv1a(buffer, offset, length);
    }
  },

  /** Hsieh's SuperFastHash; the third of three left-over bytes is signed. An empty key has 0. */
  HSIEH {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Hsieh.of(buffer, offset, length, KeyBytes.SIGNED);
    }
  },

  /** Hsieh's SuperFastHash. An empty key has 0. */
  HSIEH_UNSIGNED {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Hsieh.of(buffer, offset, length, KeyBytes.UNSIGNED);
    }
  },

  /** MurmurHash2 with the seed {@code 0xdeadbeef * length}. */
  MURMUR {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Murmur.of(buffer, offset, length);
    }
  },

  /** Jenkins' lookup3 ({@code hashlittle}) with the initial value 13. */
  JENKINS {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Jenkins.lookup3(buffer, offset, length);
    }
  },

  /**
   * Camellia's {@code h = 31 * h + byte} with signed bytes in 32 bits, negated if negative. Between
   * -2147483648, which has no positive counterpart, and 2147483647.
   */
  POLYNOMIAL_31 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Math.abs(Polynomial.of(buffer, offset, length, 31, KeyBytes.SIGNED));
    }
  },

  /** Rmux's {@code h = 33 * h + byte} in 32 bits. */
  POLYNOMIAL_33 {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Polynomial.of(buffer, offset, length, 33, KeyBytes.UNSIGNED) & 0xFFFF_FFFFL;
    }
  },

  /** Predixy's {@code atol}: the number that the key begins with, or 0. Any 64 bits. */
  ATOL {
    @Override
    public long of(ByteBuf buffer, int offset, int length) {
      return Decimal.of(buffer, offset, length);
    }
  };

  /**
   * Returns the hash of {@code length} bytes at {@code offset}, an absolute index. Borrows {@code
   * buffer} and does not change its indexes.
   */
  public abstract long of(ByteBuf buffer, int offset, int length);

  /** Returns the hash of a key. */
  public long of(byte[] key) {
    return of(Unpooled.wrappedBuffer(key), 0, key.length);
  }
}
