package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandTable;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.forward.Part;
import io.penstock.core.forward.PartSet;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.steps.Replies;
import io.penstock.core.transaction.TransactionBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code SORT} with patterns whose keys are in any partition. One block dumps the sorted key
 * and reads its elements; then the values that the patterns name are read; then the command runs at
 * the target on copies, with patterns that name the copies. So the server itself sorts. Confined to
 * the client's event loop.
 */
final class SortOnCopies implements Block.Listener, PartSet.Listener {

  /** Approximate bytes of an element on the heap, apart from its length. */
  private static final int ELEMENT_BYTES = 64;

  private final CrossSlotContext context;
  private final Client client;
  private final Nodes nodes;
  private final ReplySlot whole;
  private final CopiedRequest request;
  private final CommandTable commands;
  private final int source;
  private final int target;
  private final List<SortPattern> patterns;
  private final List<String> elements = new ArrayList<>(); // distinct; characters are bytes
  private @Nullable Block sorted; // the dump of the sorted key and its elements
  private @Nullable PartSet values; // by element, for all patterns that are not constant

  SortOnCopies(
      CrossSlotContext context,
      ReplySlot whole,
      CopiedRequest request,
      List<SortPattern> patterns) {
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.nodes = context.forward().clientContext().nodes();
    this.whole = whole;
    this.request = request;
    this.commands = context.forward().clientContext().reader().servers().commands();
    List<Integer> partitions = List.copyOf(request.partitions().values());
    this.source = partitions.getFirst();
    this.target = partitions.getLast();
    this.patterns = patterns;
  }

  /** Reads the sorted key. */
  void begin() {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    TransactionBlock.writeMulti(bytes);
    var writer = new ReplyWriter(bytes, Protocol.RESP2);
    ByteBuf key = request.frame().argument(1);
    writer.array(2);
    writer.bulk("DUMP");
    writer.bulk(key, key.readerIndex(), key.readableBytes());
    writer.array(4);
    writer.bulk("SORT_RO");
    writer.bulk(key, key.readerIndex(), key.readableBytes());
    writer.bulk("BY");
    writer.bulk("nosort");
    var gathered = new GatheredBytes(context.forward().clientContext(), context.loop().limit());
    var block = new Block(context.forward().owner(), whole, gathered, this);
    block.prepare(commands.byName("exec"), source, bytes, 2);
    block.repeatable();
    if (!nodes.dispatch(block)) {
      context.backpressure().pauseIfBusy(block.sentTo());
    }
  }

  /** The sorted key is here. */
  @Override
  public void onRan(Block block) {
    sorted = block;
    guarded(() -> onSorted(block));
  }

  private void onSorted(Block block) {
    if (client.isClosed()) {
      end();
    } else if (block.isTooLarge()) {
      fail(tooLarge(), Outcome.OVERLOADED);
    } else {
      ByteBuf found = Replies.elements(block.reply()).get(1);
      if (!Replies.isError(found)) { // else the command gets this error, or another one
        readElements(found);
      }
      readValues();
    }
  }

  private void readElements(ByteBuf found) {
    Set<String> distinct = new LinkedHashSet<>();
    for (ByteBuf element : Replies.elements(found)) {
      distinct.add(Replies.content(element));
    }
    elements.addAll(distinct);
  }

  private void readValues() {
    long count = patterns.stream().filter(pattern -> !pattern.constant()).count() * elements.size();
    if (count > context.loop().settings().maxKeys()) {
      fail(CrossSlotErrors.tooManyKeys(context.loop().settings().maxKeys()), Outcome.OVERLOADED);
      return;
    }
    whole.addHeapBytes(elements.stream().mapToLong(each -> ELEMENT_BYTES + each.length()).sum());
    if (count == 0) {
      run(new ByteBuf[0]);
      return;
    }
    var set = new PartSet(context.forward(), whole, (int) count, context.loop().limit(), this);
    values = set;
    for (SortPattern pattern : patterns) {
      for (int i = 0; i < elements.size() && !pattern.constant(); i++) {
        context.backpressure().pauseIfBusy(set.send(read(set, pattern, elements.get(i))));
      }
    }
  }

  private Part read(PartSet set, SortPattern pattern, String element) {
    String key = pattern.key(element);
    String field = pattern.field();
    String command = field == null ? "GET" : "HGET";
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(64 + key.length());
    var writer = new ReplyWriter(bytes, Protocol.RESP2);
    writer.array(field == null ? 2 : 3);
    writer.bulk(command);
    writer.bulk(key);
    if (field != null) {
      writer.bulk(field);
    }
    var part = new Part(set);
    part.setRequestBytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
    set.countPartBytes(bytes.readableBytes());
    int partition =
        context.loop().partitioner().partitionOf(key.getBytes(StandardCharsets.ISO_8859_1));
    part.prepare(commands.byName(command.equals("GET") ? "get" : "hget"), partition);
    return part;
  }

  /** The values are here. */
  @Override
  public void onReplies() {
    PartSet set = values;
    if (set != null) {
      guarded(() -> onValues(set));
    }
  }

  private void onValues(PartSet set) {
    if (client.isClosed()) {
      end();
      return;
    }
    if (set.isTooLarge()) {
      fail(tooLarge(), Outcome.OVERLOADED);
      return;
    }
    ByteBuf[] found = set.replies();
    for (ByteBuf value : found) {
      if (Replies.isError(value) && !isWrongType(value)) {
        fail(ByteBufUtil.getBytes(value), set.outcome());
        return;
      }
    }
    run(found);
  }

  private static boolean isWrongType(ByteBuf error) {
    return ReplyStrings.startsWith(error, error.readerIndex(), error.writerIndex(), "-WRONGTYPE ");
  }

  private byte[] tooLarge() {
    return CrossSlotErrors.valuesTooLarge(context.loop().limit().maxBytes());
  }

  private void run(ByteBuf[] found) {
    List<String> names = new ArrayList<>(); // of the sorted key, then of each pattern
    for (int i = 0; i <= patterns.size(); i++) {
      String name = context.loop().names().nextPrefix(target);
      if (name == null) {
        fail(CrossSlotErrors.NO_NAME, Outcome.REJECTED);
        return;
      }
      names.add(name);
    }
    try (var block = new CopyBlock()) {
      write(block, names, found);
      release(); // the block has its own shares
      new TargetRun(context, whole, request.spec(), target).begin(block);
    }
  }

  private void write(CopyBlock block, List<String> names, ByteBuf[] found) {
    ByteBuf dump = Replies.elements(Objects.requireNonNull(sorted).reply(), 1).getFirst();
    if (!ReplyStrings.isNil(dump, dump.readerIndex())) {
      context.loop().counts().countBytes(dump.readableBytes());
      block.restore(names.getFirst(), dump, request.spec().isWrite());
    }
    int next = 0;
    for (int p = 0; p < patterns.size(); p++) {
      SortPattern pattern = patterns.get(p);
      for (int i = 0; i < elements.size() && !pattern.constant(); i++) {
        copyValue(block, pattern, names.get(p + 1) + elements.get(i), found[next++]);
      }
    }
    writeCommand(block, names);
    block.end();
  }

  private void copyValue(CopyBlock block, SortPattern pattern, String name, ByteBuf value) {
    if (Replies.isError(value) || ReplyStrings.isNil(value, value.readerIndex())) {
      return; // a key of another type counts as missing
    }
    context.loop().counts().countBytes(value.readableBytes());
    String field = pattern.field();
    if (field == null) {
      block.string(name, value);
    } else {
      block.hash(name, field, value);
    }
  }

  private void writeCommand(CopyBlock block, List<String> names) {
    RequestFrame frame = request.frame();
    block.beginCommand(frame.argc());
    int p = 0;
    for (int i = 0; i < frame.argc(); i++) {
      if (i == 1) {
        block.argument(names.getFirst());
      } else if (p < patterns.size() && patterns.get(p).argument() == i) {
        block.argument(patterns.get(p).with(names.get(p + 1)));
        p++;
      } else {
        block.argument(request.frame().argument(i));
      }
    }
  }

  @Override
  public void onError(byte[] error, Outcome outcome) {
    fail(error, outcome);
  }

  @Override
  public void onInternalError() {
    release(); // the client is closed
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) { // the caller must not fail because of this client
      release();
      client.fail(e);
    }
  }

  private void fail(byte[] error, Outcome outcome) {
    end();
    whole.answer(error, outcome);
  }

  /** Ends the call: the client's next requests are handled when the reply is complete. */
  private void end() {
    release();
    client.resume(whole);
  }

  private void release() {
    Block block = sorted;
    if (block != null) {
      sorted = null;
      block.release();
    }
    PartSet set = values;
    if (set != null) {
      values = null;
      set.release();
    }
  }
}
