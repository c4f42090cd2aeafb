package io.penstock.core.tcp;

import java.util.BitSet;
import java.util.zip.CRC32;

/** What one client has tried so far. Confined to the client's loop. */
final class Attempt {

  final byte[] key;
  final BitSet tried;
  int tries; // places of a hash, or random servers, that could not be used
  int hash;
  int rehash;
  PeerTable.Layout layout; // that the other fields are about

  /**
   * @param key that a hash is computed of: the client's address as text
   */
  Attempt(byte[] key, PeerTable.Layout layout) {
    this(key, new BitSet(), layout);
  }

  private Attempt(byte[] key, BitSet tried, PeerTable.Layout layout) {
    this.key = key;
    this.tried = tried;
    this.layout = layout;
    HashRing ring = layout.ring();
    if (ring != null) {
      hash = ring.find(crc(""));
    }
  }

  /** Returns a copy; a new attempt if the settings have changed. */
  Attempt copyFor(PeerTable.Layout now) {
    if (now != layout) {
      return new Attempt(key, now);
    }
    Attempt copy = new Attempt(key, (BitSet) tried.clone(), layout);
    copy.tries = tries;
    copy.hash = hash;
    copy.rehash = rehash;
    return copy;
  }

  /** Returns the CRC-32 of the key behind a text. */
  long crc(String before) {
    var crc = new CRC32();
    for (int i = 0; i < before.length(); i++) {
      crc.update(before.charAt(i));
    }
    crc.update(key);
    return crc.getValue();
  }
}
