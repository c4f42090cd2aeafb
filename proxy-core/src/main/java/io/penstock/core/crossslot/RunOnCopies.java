package io.penstock.core.crossslot;

import io.penstock.core.steps.Replies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandTable;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.forward.Part;
import io.penstock.core.forward.PartSet;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.Across;
import io.penstock.core.transaction.TransactionBlock;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command at one partition, the target, on copies of its keys of other partitions. A copy
 * has a temporary name in the target, and is gone when the command has run.
 *
 * <p>The values of the other keys are dumped first. A command that only reads then runs in one
 * block with the copies. One that stores a result runs in a block of its own, when all copies are
 * known to be restored: else it could store a wrong result. Copies expire, in case Penstock ends in
 * between. Confined to the client's event loop.
 */
final class RunOnCopies implements PartSet.Listener, Block.Listener {

  /** Milliseconds after which a copy expires that nothing has removed. */
  private static final String EXPIRY = "60000";

  private static final byte[] NO_NAME =
      ErrorReplies.encode("ERR no key name belongs to the partition that a copy is needed in");

  private final CrossSlotContext context;
  private final Client client;
  private final Nodes nodes;
  private final Backpressure backpressure;
  private final ReplySlot whole;
  private final CopiedRequest request;
  private final CommandTable commands;
  private final int target;
  private final boolean stores;
  private final Map<ByteBuf, Copy> copies = new LinkedHashMap<>(); // by key
  private @Nullable PartSet dumps;
  private int restored; // copies that were, of keys that exist
  private Stage stage = Stage.DUMPING;

  private enum Stage {
    DUMPING,
    /** All copies, in a block of their own. */
    RESTORING,
    /** The command, in a block that restores the copies before if they were not yet. */
    RUNNING
  }

  /** A key of another partition, and the name of its copy. */
  private record Copy(ByteBuf key, int partition, String name) {}

  RunOnCopies(CrossSlotContext context, ReplySlot whole, CopiedRequest request) {
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.nodes = context.forward().clientContext().nodes();
    this.backpressure = context.backpressure();
    this.whole = whole;
    this.request = request;
    this.commands = context.forward().clientContext().reader().servers().commands();
    this.stores = request.spec().isWrite();
    this.target = targetOf(request);
  }

  /** The partition of the key that is written; if none is, that of the most keys. */
  private static int targetOf(CopiedRequest request) {
    List<Integer> all = List.copyOf(request.partitions().values());
    if (request.spec().across() == Across.STORE_IN_FIRST) {
      return all.getFirst();
    }
    if (request.spec().across() == Across.STORE_IN_LAST) {
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
      ByteBuf key = request.argument(each.getKey());
      if (each.getValue() != target && !copies.containsKey(key)) {
        String name = context.loop().names().next(target);
        if (name == null) {
          fail(NO_NAME, Outcome.REJECTED);
          return;
        }
        copies.put(key, new Copy(key, each.getValue(), name));
      }
    }
    var set =
        new PartSet(context.forward(), whole, copies.size(), context.loop().limit(), this);
    dumps = set;
    for (Copy copy : copies.values()) {
      backpressure.pauseIfBusy(set.send(dump(set, copy)));
    }
  }

  private Part dump(PartSet set, Copy copy) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(32 + copy.key().readableBytes());
    var writer = new ReplyWriter(bytes, Protocol.RESP2);
    writer.array(2);
    writer.bulk("DUMP");
    bulk(writer, copy.key());
    var part = new Part(set);
    part.setRequestBytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
    part.prepare(commands.byName("dump"), copy.partition());
    return part;
  }

  private static void bulk(ReplyWriter writer, ByteBuf bytes) {
    writer.bulk(bytes, bytes.readerIndex(), bytes.readableBytes());
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
      onDefect(e);
    }
  }

  private void onDumps(PartSet set) {
    if (client.isClosed()) {
      end();
      return;
    }
    if (set.isTooLarge()) {
      fail(ErrorReplies.MERGED_REPLY_TOO_LARGE, Outcome.OVERLOADED);
      return;
    }
    ByteBuf[] values = set.replies();
    for (ByteBuf value : values) {
      if (Replies.isError(value)) {
        fail(ByteBufUtil.getBytes(value), set.outcome());
        return;
      }
    }
    ByteBuf block = blockOfCopies(values);
    set.release();
    dumps = null;
    if (stores && restored > 0) {
      stage = Stage.RESTORING;
      send(block, restored, false);
    } else {
      run(block, restored);
    }
  }

  /** Begins a block with a RESTORE for each key that exists. */
  private ByteBuf blockOfCopies(ByteBuf[] values) {
    long size = 0;
    for (ByteBuf value : values) {
      size += value.readableBytes() + 256L;
    }
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer((int) Math.min(size, Integer.MAX_VALUE));
    TransactionBlock.writeMulti(block);
    var writer = new ReplyWriter(block, Protocol.RESP2);
    int next = 0;
    for (Copy copy : copies.values()) {
      ByteBuf value = values[next++];
      if (!ReplyStrings.isNil(value, value.readerIndex())) {
        restored++;
        context.loop().counts().countBytes(value.readableBytes());
        writer.array(5);
        writer.bulk("RESTORE");
        writer.bulk(copy.name());
        writer.bulk(EXPIRY);
        block.writeBytes(value, value.readerIndex(), value.readableBytes()); // as bulk string
        writer.bulk("REPLACE");
      }
    }
    return block;
  }

  /**
   * Sends the command, and what removes the copies, behind the commands that the block has.
   *
   * @param block this takes ownership
   */
  private void run(ByteBuf block, int before) {
    stage = Stage.RUNNING;
    var writer = new ReplyWriter(block, Protocol.RESP2);
    int argc = request.frame().argc();
    writer.array(argc);
    for (int i = 0; i < argc; i++) {
      ByteBuf argument = request.argument(i);
      Copy copy = request.partitions().containsKey(i) ? copies.get(argument) : null;
      if (copy == null) {
        bulk(writer, argument);
      } else {
        writer.bulk(copy.name());
      }
    }
    int count = before + 1;
    if (restored > 0) {
      writer.array(1 + copies.size());
      writer.bulk("UNLINK");
      copies.values().forEach(copy -> writer.bulk(copy.name()));
      count++;
    }
    send(block, count, !stores);
  }

  private void send(ByteBuf bytes, int count, boolean mayRepeat) {
    var gathered =
        new GatheredBytes(context.forward().clientContext(), context.loop().limit());
    var block = new Block(context.forward().owner(), whole, gathered, this);
    block.prepare(commands.byName("exec"), target, bytes, count);
    if (mayRepeat) {
      block.repeatable();
    }
    if (stores) {
      context.forward().order().noteOtherWrite(target);
    }
    if (!nodes.dispatch(block)) {
      backpressure.pauseIfBusy(block.sentTo());
    }
  }

  @Override
  public void onRan(Block block) {
    try {
      onReplies(block);
    } catch (Throwable e) { // the caller must not fail because of this client
      block.release();
      onDefect(e);
    }
  }

  private void onReplies(Block block) {
    if (block.isTooLarge()) {
      block.release();
      fail(ErrorReplies.MERGED_REPLY_TOO_LARGE, Outcome.OVERLOADED);
      return;
    }
    List<ByteBuf> replies = block.replies();
    int copied = stage == Stage.RUNNING && stores ? 0 : restored;
    for (int i = 0; i < copied; i++) {
      ByteBuf reply = replies.get(i);
      if (Replies.isError(reply)) {
        byte[] error = notRestored(reply);
        block.release();
        fail(error, Outcome.ERROR);
        return;
      }
    }
    if (stage == Stage.RESTORING) {
      block.release();
      ByteBuf next = ByteBufAllocator.DEFAULT.directBuffer();
      TransactionBlock.writeMulti(next);
      run(next, 0);
      return;
    }
    ByteBuf reply = replies.get(copied);
    boolean error = Replies.isError(reply);
    end();
    whole.deliver(
        reply, reply.readerIndex(), reply.writerIndex(), error ? Outcome.ERROR : Outcome.OK);
    block.release();
  }

  /** For example a node of an older version, or without a module that the value needs. */
  private static byte[] notRestored(ByteBuf error) {
    String text =
        error
            .toString(
                error.readerIndex() + 1, error.readableBytes() - 1, StandardCharsets.ISO_8859_1)
            .strip();
    return ErrorReplies.encode(
        "ERR the node of the other keys cannot use the value of a key: " + text);
  }

  @Override
  public void onError(byte[] error, Outcome outcome) {
    fail(error, outcome);
  }

  @Override
  public void onInternalError() {
    // The client is closed, and what was kept is released.
  }

  private void onDefect(Throwable cause) {
    client.fail(cause);
    releaseDumps();
  }

  private void fail(byte[] error, Outcome outcome) {
    end();
    whole.answer(error, outcome);
  }

  /** Ends the call: the client's next requests are handled when the reply is complete. */
  private void end() {
    releaseDumps();
    client.resume(whole);
  }

  private void releaseDumps() {
    PartSet set = dumps;
    if (set != null) {
      dumps = null;
      set.release();
    }
  }
}
