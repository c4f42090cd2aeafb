package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.penstock.testkit.wire.Wire;
import java.util.concurrent.ThreadLocalRandom;

/** Writes requests for a range of keys. Immutable. */
final class KeyRequests {

  private final byte[][] gets;
  private final byte[][] setHeads; // all of a SET but its value
  private final byte[] value;
  private final double sets;

  /**
   * @param sets part of the requests that are SET, 0 to 1; the others are GET
   */
  KeyRequests(int keys, int valueBytes, double sets) {
    this.gets = new byte[keys][];
    this.setHeads = new byte[keys][];
    this.value = Wire.bytes("x".repeat(valueBytes) + "\r\n");
    this.sets = sets;
    for (int i = 0; i < keys; i++) {
      String key = "penstock:%012d".formatted(i);
      gets[i] = Wire.bytes(Wire.request("GET", key));
      setHeads[i] = Wire.bytes("*3\r\n$3\r\nSET\r\n" + Wire.bulk(key) + "$" + valueBytes + "\r\n");
    }
  }

  int keys() {
    return gets.length;
  }

  /** Appends one request for any key. */
  void writeAny(ByteBuf out) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int key = random.nextInt(gets.length);
    if (sets > 0 && random.nextDouble() < sets) {
      writeSet(out, key);
    } else {
      out.writeBytes(gets[key]);
    }
  }

  /** Appends a SET of that key. */
  void writeSet(ByteBuf out, int key) {
    out.writeBytes(setHeads[key]).writeBytes(value);
  }
}
