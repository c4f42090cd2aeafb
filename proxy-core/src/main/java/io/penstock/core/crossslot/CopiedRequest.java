package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Command;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A request that is kept until its command has ended, and what is known about its keys. On the
 * heap.
 *
 * @param frame the arguments
 * @param spec the command
 * @param partitions of the arguments that are keys; in the order of the keys
 */
record CopiedRequest(RequestFrame frame, CommandSpec spec, Map<Integer, Integer> partitions) {

  /** Copies a request with keys, which are read again. */
  static CopiedRequest of(CrossSlotContext context, RequestFrame request) {
    int length = request.end() - request.start();
    ByteBuf bytes = Unpooled.buffer(length, length);
    bytes.writeBytes(request.buffer(), request.start(), length);
    Command command = context.forward().clientContext().reader().read(bytes, 0, length);
    CommandSpec spec = Objects.requireNonNull(command.spec());
    RequestFrame frame = command.frame();
    var keys = new KeyPositions();
    spec.findKeys(frame, keys);
    Map<Integer, Integer> partitions = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      int at = keys.get(i);
      int partition =
          context.loop().partitioner().partitionOf(bytes, frame.offset(at), frame.length(at));
      partitions.put(at, partition);
    }
    return new CopiedRequest(frame, spec, partitions);
  }
}
