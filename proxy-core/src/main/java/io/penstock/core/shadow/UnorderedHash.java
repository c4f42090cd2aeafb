package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.ReplyScanner;

/**
 * A hash of the elements of a reply, in whatever order they come. Takes the same memory for any
 * number of them.
 */
final class UnorderedHash {

  private final ReplyScanner scanner = new ReplyScanner();
  private final ByteHash element = new ByteHash();
  private final int together;
  private int begun; // elements of those that belong together
  private long sum;

  /**
   * @param together how many elements in a row belong together: two for a field and its value
   */
  UnorderedHash(int together) {
    this.together = together;
  }

  /**
   * Adds bytes of elements.
   *
   * @param buffer borrowed
   */
  void add(ByteBuf buffer, int from, int to) {
    int at = from;
    while (at < to) {
      int end = scanner.scan(buffer, at, to);
      int next = end < 0 ? to : end;
      element.add(buffer, at, next);
      if (end >= 0 && ++begun == together) {
        sum += element.end();
        begun = 0;
      }
      at = next;
    }
  }

  long end() {
    return begun == 0 ? sum : sum + element.end();
  }
}
