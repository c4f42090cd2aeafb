package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One {@code WATCH} of keys of several partitions: one for each partition, and one reply. If one of
 * them fails, its error is the reply; the keys of the others stay watched. Confined to its loop.
 */
final class WatchSplit {

  private final Client client;
  private final ReplySlot slot;
  private final Map<Integer, List<byte[]>> keys = new LinkedHashMap<>(); // by partition
  private int outstanding;
  private byte @Nullable [] reply;
  private Outcome outcome = Outcome.OK;

  /**
   * @param slot where the reply goes
   * @param frame read only here
   */
  WatchSplit(
      ClientContext context,
      ReplySlot slot,
      RequestFrame frame,
      AcrossPartitions.PartitionOfKey partitions) {
    this.client = context.client();
    this.slot = slot;
    for (int i = 1; i < frame.argc(); i++) {
      byte[] key = ByteBufUtil.getBytes(frame.buffer(), frame.offset(i), frame.length(i));
      keys.computeIfAbsent(partitions.partitionOf(frame, i), _ -> new ArrayList<>()).add(key);
    }
  }

  /** Sends all of them. */
  void send(IntFunction<Watch> watchOf) {
    outstanding = keys.size();
    keys.forEach((partition, some) -> {
      byte[] request = request(some);
      Watch watch = watchOf.apply(partition);
      watch.keep(request);
      watch.add(request, some.size(), slot, this::onReply);
    });
  }

  private static byte[] request(List<byte[]> keys) {
    ByteBuf out = Unpooled.buffer();
    var writer = new ReplyWriter(out, Protocol.RESP2);
    writer.array(keys.size() + 1);
    writer.bulk("WATCH");
    for (byte[] key : keys) {
      writer.bulk(Unpooled.wrappedBuffer(key), 0, key.length);
    }
    return ByteBufUtil.getBytes(out);
  }

  private void onReply(byte[] one, Outcome how) {
    if (reply == null || outcome == Outcome.OK) {
      reply = one;
      outcome = how;
    }
    if (--outstanding == 0) {
      client.resume(slot);
      slot.answer(reply, outcome);
    }
  }
}
