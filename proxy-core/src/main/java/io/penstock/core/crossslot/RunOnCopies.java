package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.Client;
import io.penstock.core.command.CommandTable;
import io.penstock.core.forward.Part;
import io.penstock.core.forward.PartSet;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.Across;
import io.penstock.core.steps.Replies;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command at one partition, the target, on copies of its keys of other partitions. A copy
 * has a temporary name in the target, and is gone when the command has run.
 *
 * <p>The values of the other keys are dumped first. Then one block restores the copies, runs the
 * command, and removes the copies, so that nobody else sees them. If a copy cannot be restored, a
 * command that stores a result fails in the block: it stores nothing. Confined to the client's
 * event loop.
 */
final class RunOnCopies implements PartSet.Listener {

  private final CrossSlotContext context;
  private final Client client;
  private final ReplySlot whole;
  private final CopiedRequest request;
  private final CommandTable commands;
  private final int target;
  private final Map<ByteBuf, Copy> copies = new LinkedHashMap<>(); // by key
  private @Nullable PartSet dumps;

  /** A key of another partition, and the name of its copy. */
  private record Copy(ByteBuf key, int partition, String name) {}

  RunOnCopies(CrossSlotContext context, ReplySlot whole, CopiedRequest request) {
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.whole = whole;
    this.request = request;
    this.commands = context.forward().clientContext().reader().servers().commands();
    this.target = targetOf(request);
  }

  /** The partition of the key that is written; if none is, that of the most keys. */
  private static int targetOf(CopiedRequest request) {
    List<Integer> all = List.copyOf(request.partitions().values());
    Across how = request.spec().across();
    if (how == Across.STORE_IN_FIRST) {
      return all.getFirst();
    }
    if (how == Across.STORE_IN_LAST || how == Across.SORT) {
      return all.getLast();
    }
    Map<Integer, Integer> counts = new LinkedHashMap<>();
    int most = all.getFirst();
    for (Integer partition : all) {
      int count = counts.merge(partition, 1, Integer::sum);
      most = count > counts.getOrDefault(most, 0) ? partition : most;
    }
    return most;
  }

  /** Sends the first step. */
  void begin() {
    for (var each : request.partitions().entrySet()) {
      ByteBuf key = request.frame().argument(each.getKey());
      if (each.getValue() != target && !copies.containsKey(key)) {
        String name = context.loop().names().next(target);
        if (name == null) {
          fail(CrossSlotErrors.NO_NAME, Outcome.REJECTED);
          return;
        }
        copies.put(key, new Copy(key, each.getValue(), name));
      }
    }
    var set = new PartSet(context.forward(), whole, copies.size(), context.loop().limit(), this);
    dumps = set;
    for (Copy copy : copies.values()) {
      context.backpressure().pauseIfBusy(set.send(dump(set, copy)));
    }
  }

  private Part dump(PartSet set, Copy copy) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(32 + copy.key().readableBytes());
    var writer = new ReplyWriter(bytes, Protocol.RESP2);
    writer.array(2);
    writer.bulk("DUMP");
    writer.bulk(copy.key(), copy.key().readerIndex(), copy.key().readableBytes());
    var part = new Part(set);
    part.setRequestBytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
    set.countPartBytes(bytes.readableBytes());
    part.prepare(commands.byName("dump"), copy.partition());
    return part;
  }

  /** The dumps are here. */
  @Override
  public void onReplies() {
    PartSet set = dumps;
    if (set == null) {
      return;
    }
    try {
      onDumps(set);
    } catch (Throwable e) { // the caller must not fail because of this client
      releaseDumps();
      client.fail(e);
    }
  }

  private void onDumps(PartSet set) {
    if (client.isClosed()) {
      releaseDumps();
      client.resume(whole);
      return;
    }
    if (set.isTooLarge()) {
      fail(CrossSlotErrors.valuesTooLarge(context.loop().limit().maxBytes()), Outcome.OVERLOADED);
      return;
    }
    ByteBuf[] values = set.replies();
    for (ByteBuf value : values) {
      if (Replies.isError(value)) {
        fail(ByteBufUtil.getBytes(value), set.outcome());
        return;
      }
    }
    try (var block = new CopyBlock()) {
      write(block, values);
      releaseDumps(); // the block has its own shares
      new TargetRun(context, whole, request.spec(), target).begin(block);
    }
  }

  private void write(CopyBlock block, ByteBuf[] values) {
    int next = 0;
    for (Copy copy : copies.values()) {
      ByteBuf value = values[next++];
      if (!ReplyStrings.isNil(value, value.readerIndex())) {
        context.loop().counts().countBytes(value.readableBytes());
        block.restore(copy.name(), value, request.spec().isWrite());
      }
    }
    int argc = request.frame().argc();
    block.beginCommand(argc);
    for (int i = 0; i < argc; i++) {
      ByteBuf argument = request.frame().argument(i);
      Copy copy = request.partitions().containsKey(i) ? copies.get(argument) : null;
      if (copy == null) {
        block.argument(argument);
      } else {
        block.argument(copy.name());
      }
    }
    block.end();
  }

  @Override
  public void onInternalError() {
    // The client is closed, and what was kept is released.
  }

  private void fail(byte[] error, Outcome outcome) {
    releaseDumps();
    client.resume(whole);
    whole.answer(error, outcome);
  }

  private void releaseDumps() {
    PartSet set = dumps;
    if (set != null) {
      dumps = null;
      set.release();
    }
  }
}
