package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** Writes requests for a range of keys. Never changes. */
final class WireRequests {

  private final byte[][] gets;
  private final byte[][] setHeads; // all of a SET but its value
  private final byte[] value;
  private final double sets;

  /**
   * @param sets part of the requests that are SET, 0 to 1; the others are GET
   */
  WireRequests(int keys, int valueBytes, double sets) {
    this.gets = new byte[keys][];
    this.setHeads = new byte[keys][];
    this.value = ("x".repeat(valueBytes) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    this.sets = sets;
    for (int i = 0; i < keys; i++) {
      String key = "penstock:%012d".formatted(i);
      String bulk = "$" + key.length() + "\r\n" + key + "\r\n";
      gets[i] = ("*2\r\n$3\r\nGET\r\n" + bulk).getBytes(StandardCharsets.US_ASCII);
      setHeads[i] =
          ("*3\r\n$3\r\nSET\r\n" + bulk + "$" + valueBytes + "\r\n")
              .getBytes(StandardCharsets.US_ASCII);
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
