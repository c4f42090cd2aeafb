package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Slot;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;

/**
 * A read that goes to both upstreams. Its bytes are a copy: the client's are released when it has
 * its reply. Immutable.
 */
final class SampledRequest {

  private final CommandSpec spec;
  private final Protocol protocol;
  private final byte[] bytes;
  private final int keySlot;
  private final int ownPartition;
  private final int shadowPartition;

  /**
   * Where the keys are.
   *
   * @param firstKey argument index of the first key
   * @param own partition of the upstream that the client reads
   * @param shadow partition of the shadow
   */
  record Keys(int firstKey, int own, int shadow) {}

  /**
   * Copies a request.
   *
   * @param protocol that the client speaks
   */
  SampledRequest(CommandSpec spec, RequestFrame frame, Protocol protocol, Keys keys) {
    this.spec = spec;
    this.protocol = protocol;
    this.ownPartition = keys.own();
    this.shadowPartition = keys.shadow();
    ByteBuf buffer = frame.buffer();
    this.bytes = new byte[frame.end() - frame.start()];
    buffer.getBytes(frame.start(), bytes);
    this.keySlot = Slot.of(buffer, frame.offset(keys.firstKey()), frame.length(keys.firstKey()));
  }

  CommandSpec spec() {
    return spec;
  }

  Protocol protocol() {
    return protocol;
  }

  int length() {
    return bytes.length;
  }

  /** The cluster slot of the first key, which log lines name in place of the key. */
  int keySlot() {
    return keySlot;
  }

  int ownPartition() {
    return ownPartition;
  }

  int shadowPartition() {
    return shadowPartition;
  }

  /** Returns the bytes for one exchange, which takes ownership. */
  SharedBuffer share() {
    return new SharedBuffer(Unpooled.wrappedBuffer(bytes));
  }
}
