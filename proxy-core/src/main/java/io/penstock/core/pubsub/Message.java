package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SocketOutput;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to the clients of a loop, encoded at most once for each of their
 * protocols. Valid only during {@link Subscriber#onMessage}.
 */
public final class Message {

  private final ByteBuf source;
  private final int from;
  private final int length;
  private @Nullable ByteBuf resp2;
  private @Nullable ByteBuf resp3;

  /**
   * @param source borrowed; holds a RESP3 push from {@code from} to before {@code to}
   */
  Message(ByteBuf source, int from, int to) {
    this.source = source;
    this.from = from;
    this.length = to - from;
  }

  /** Bytes of its encoding: the protocols differ in the first one only. */
  public int length() {
    return length;
  }

  /** Gives it to a client. */
  public void writeTo(SocketOutput output, Protocol protocol) {
    if (protocol == Protocol.RESP2) {
      output.append(copyFor(protocol), 0, length);
    } else {
      output.append(source, from, length);
    }
  }

  /**
   * What a client gets, in a buffer that holds nothing else, for whoever retains it for long;
   * borrowed, the same for all who ask.
   */
  public ByteBuf copyFor(Protocol protocol) {
    ByteBuf known = protocol == Protocol.RESP2 ? resp2 : resp3;
    if (known != null) {
      return known;
    }
    ByteBuf copy = ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(source, from, length);
    if (protocol == Protocol.RESP2) {
      copy.setByte(0, '*');
      resp2 = copy;
    } else {
      resp3 = copy;
    }
    return copy;
  }

  /** Gives up what was made; those who retained it keep it alive. */
  void release() {
    if (resp2 != null) {
      resp2.release();
    }
    if (resp3 != null) {
      resp3.release();
    }
  }
}
