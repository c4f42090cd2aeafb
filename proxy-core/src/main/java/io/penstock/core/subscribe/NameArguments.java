package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Name;
import io.penstock.core.resp.RequestFrame;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a request that are names, read one after the other from the bytes of the
 * request, so that a million names take no extra memory. Confined to its loop.
 */
final class NameArguments implements Iterator<Name> {

  private final SharedBuffer bytes;
  private final int first; // offset of the header of the first name
  private final int length;
  private final int count;
  private int at;
  private int read;
  private long bytesRead;
  private @Nullable Name last;

  /**
   * @param bytes takes ownership of one share of the buffer that contains the frame, until {@link
   *     #release}
   */
  NameArguments(SharedBuffer bytes, RequestFrame frame) {
    this.bytes = bytes;
    this.first = frame.offset(0) + frame.length(0) + 2;
    this.length = frame.end() - frame.start();
    this.count = frame.argc() - 1;
    this.at = first;
  }

  int count() {
    return count;
  }

  /** Length of the request in bytes. */
  int length() {
    return length;
  }

  @Override
  public boolean hasNext() {
    return read < count;
  }

  /** Copies the next name, which must exist. */
  @Override
  public Name next() {
    ByteBuf buffer = bytes.buffer();
    int nameLength = 0;
    int end = at + 1; // behind the $
    for (byte digit = buffer.getByte(end); digit != '\r'; digit = buffer.getByte(++end)) {
      nameLength = nameLength * 10 + digit - '0';
    }
    Name name = Name.copy(buffer, end + 2, nameLength);
    at = end + 2 + nameLength + 2;
    read++;
    bytesRead += nameLength;
    last = name;
    return name;
  }

  /** Total length of the names read so far, in bytes. */
  long bytesRead() {
    return bytesRead;
  }

  /** Whether all names were read and the last one is in this partition. */
  boolean isLastIn(int partition, Hub hub) {
    return read == count && hub.partitionOf(Objects.requireNonNull(last)) == partition;
  }

  /** Starts again with the first name. */
  void rewind() {
    at = first;
    read = 0;
  }

  void release() {
    bytes.release();
  }
}
