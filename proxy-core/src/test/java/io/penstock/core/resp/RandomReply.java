package io.penstock.core.resp;

import io.penstock.testkit.wire.Wire;
import java.util.Random;

/** Replies of any RESP3 shape. */
final class RandomReply {

  private static final int DEEPEST = 5;

  private final Random random;
  private final boolean attributes;
  private final StringBuilder wire = new StringBuilder();

  private RandomReply(Random random, boolean attributes) {
    this.random = random;
    this.attributes = attributes;
  }

  /**
   * Returns one encoded reply.
   *
   * @param attributes whether it may contain attributes
   */
  static String of(Random random, boolean attributes) {
    var reply = new RandomReply(random, attributes);
    reply.element(0);
    return reply.wire.toString();
  }

  private void element(int depth) {
    if (attributes && random.nextInt(10) == 0) {
      children('|', 2, depth);
    }
    if (depth < DEEPEST && random.nextInt(3) == 0) {
      switch (random.nextInt(4)) {
        case 0 -> children('%', 2, depth);
        case 1 -> children('~', 1, depth);
        default -> children('*', 1, depth);
      }
    } else {
      leaf();
    }
  }

  private void children(char type, int perEntry, int depth) {
    int entries = random.nextInt(5);
    wire.append(type).append(entries).append("\r\n");
    for (int i = 0; i < entries * perEntry; i++) {
      element(depth + 1);
    }
  }

  private void leaf() {
    switch (random.nextInt(11)) {
      case 0 -> wire.append("+status ").append(random.nextInt()).append("\r\n");
      case 1 -> wire.append("-ERR failure ").append(random.nextInt()).append("\r\n");
      case 2 -> wire.append(':').append(random.nextLong()).append("\r\n");
      case 3 -> wire.append("_\r\n");
      case 4 -> wire.append(random.nextBoolean() ? "#t\r\n" : "#f\r\n");
      case 5 -> wire.append(',').append(random.nextDouble()).append("\r\n");
      case 6 -> wire.append("(").append(random.nextLong()).append("00000000000\r\n");
      case 7 -> wire.append("$-1\r\n");
      case 8 -> blob('!', "ERR " + bytes(random.nextInt(50)));
      case 9 -> blob('=', "txt:" + bytes(random.nextInt(50)));
      default -> blob('$', bytes(random.nextInt(random.nextInt(8) == 0 ? 3_000 : 40)));
    }
  }

  private void blob(char type, String content) {
    wire.append(type).append(content.length()).append("\r\n").append(content).append("\r\n");
  }

  private String bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return Wire.text(content);
  }
}
