package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.script.CalledScripts;
import io.penstock.core.transport.Loop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The {@code EXEC} of a transaction over several partitions, or one that watches keys of several.
 * Each partition's commands are a block of their own:
 *
 * <ol>
 *   <li>All blocks are queued at their nodes. If one cannot be queued, none runs.
 *   <li>If keys of several partitions are watched, the blocks watch the same keys again, and then
 *       each connection that has watched so far tells whether a key has changed. If only one
 *       partition is watched, its block runs over that connection.
 *   <li>The blocks of watched partitions run. If none does, no other does.
 *   <li>The other blocks run.
 * </ol>
 *
 * <p>Later requests of the client wait. Confined to the client's loop.
 */
final class SpreadExecution implements LocalCommandRun.Owner, BlockRun.Listener {

  private static final byte[] CHECK =
      "*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n".getBytes(StandardCharsets.US_ASCII);

  private final TransactionContext context;
  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final Allowance account;
  private final ReplySlot whole;
  private final Transaction transaction;
  private final PartitionBlocks blocks;
  private final List<BlockRun> runs = new ArrayList<>();
  private final List<Watch> guards = new ArrayList<>(); // asked before the blocks run
  private final GatheredBytes gathered;
  private final long kept;
  private final boolean mayRepeatWatch;
  private final Runnable onEnd;
  private @Nullable LocalCommandRun localRun;
  private int outstanding;
  private boolean changed; // a watched key
  private boolean over;

  /**
   * @param whole where the reply to {@code EXEC} goes; the client is suspended for it
   * @param watches of the client, which end with this
   * @param onEnd runs when the reply is complete, or the client has failed
   */
  SpreadExecution(
      TransactionContext context,
      ReplySlot whole,
      Transaction transaction,
      List<Watch> watches,
      Runnable onEnd) {
    this.onEnd = onEnd;
    this.context = context;
    this.client = context.clientContext().client();
    this.nodes = context.clientContext().nodes();
    this.loop = context.clientContext().loop();
    this.account = context.clientContext().account();
    this.whole = whole;
    this.transaction = transaction;
    this.gathered =
        new GatheredBytes(context.clientContext(), context.forward().forwardLoop().limit());
    this.blocks = transaction.takeBlocks();
    this.kept = blocks.size();
    this.mayRepeatWatch = watches.size() < 2 || watches.stream().noneMatch(Watch::hasMoved);
    account.addKept(kept);
    whole.addHeapBytes(blocks.sizeOnHeap() + transaction.sizeOnHeap());
    for (PartitionBlock block : blocks.all()) {
      Watch watch = find(watches, block.partition());
      runs.add(run(block, watch, watches.size() == 1 && watch != null));
    }
    for (Watch watch : watches) {
      if (watches.size() > 1 || runs.stream().noneMatch(BlockRun::isWatched)) {
        guards.add(watch);
      }
    }
  }

  private static @Nullable Watch find(List<Watch> watches, int partition) {
    for (Watch watch : watches) {
      if (watch.partition() == partition) {
        return watch;
      }
    }
    return null;
  }

  private BlockRun run(PartitionBlock block, @Nullable Watch watch, boolean overWatch) {
    List<byte[]> scripts = List.of();
    if (transaction.mayNeedScripts()) {
      var called =
          new CalledScripts(
              context.clientContext().reader(), context.forward().forwardLoop().scripts());
      ByteBuf bytes = block.bytes();
      called.find(bytes, bytes.readerIndex(), bytes.readableBytes());
      scripts = called.bodies();
    }
    boolean selects = !transaction.selections().isEmpty();
    return new BlockRun(context, block, watch, overWatch, scripts, selects, whole.timeline(), this);
  }

  /** Queues the blocks. */
  void begin() {
    if (!mayRepeatWatch) {
      end(client.nullArray(), Outcome.OK);
      return;
    }
    outstanding = runs.size();
    if (runs.isEmpty()) {
      check();
    } else {
      List.copyOf(runs).forEach(BlockRun::queue);
    }
  }

  /** The client has left: nothing waits any more that is not running. */
  void onClientLeft() {
    List.copyOf(runs).forEach(BlockRun::cancel);
  }

  @Override
  public void onQueued() {
    if (--outstanding > 0 || over) {
      return;
    }
    BlockRun failed = firstThat(run -> hasState(run, BlockRun.State.UNKNOWN));
    failed = failed == null ? firstThat(run -> hasState(run, BlockRun.State.FAILED)) : failed;
    if (failed != null) {
      end(failed.error(), failed.outcome());
    } else if (firstThat(run -> hasState(run, BlockRun.State.LOST)) != null) {
      end(client.nullArray(), Outcome.OK);
    } else if (client.isClosed()) {
      end(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
    } else {
      check();
    }
  }

  private @Nullable BlockRun firstThat(Predicate<BlockRun> condition) {
    return runs.stream().filter(condition).findFirst().orElse(null);
  }

  private static boolean hasState(BlockRun run, BlockRun.State state) {
    return run.state() == state;
  }

  /** Asks each connection that watches whether a key has changed. The watching ends with that. */
  private void check() {
    if (guards.isEmpty()) {
      execute(BlockRun::isWatched);
      return;
    }
    if (guards.stream().anyMatch(Watch::isInvalidated)) {
      end(client.nullArray(), Outcome.OK);
      return;
    }
    List<Watch> asked = List.copyOf(guards);
    guards.clear();
    outstanding = asked.size();
    for (Watch watch : asked) {
      watch.send(new Check(watch));
    }
  }

  private void onChecked(boolean hasChanged) {
    changed |= hasChanged;
    if (--outstanding > 0 || over) {
      return;
    }
    if (changed) {
      end(client.nullArray(), Outcome.OK);
    } else {
      execute(BlockRun::isWatched);
    }
  }

  /** An empty transaction on a connection that watches: it is nil if a key has changed. */
  private final class Check extends LeasedExchange {

    private final Watch watch;

    Check(Watch watch) {
      super(SpreadExecution.this.client);
      this.watch = watch;
      bytes(new SharedBuffer(Unpooled.wrappedBuffer(CHECK)), 0, CHECK.length);
      interimReplies(new QueuedReplies(), 1);
      long deadline = loop.tick() + nodes.commandTimeoutNanos();
      sendOptions(client.protocol(), client.affinity(), deadline);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      boolean unchanged = buffer.getByte(from) == '*' && !ReplyStrings.isNil(buffer, from);
      releaseBytes();
      if (buffer.getByte(from) == '-') {
        watch.invalidate();
      } else {
        watch.release();
      }
      done(!unchanged);
    }

    private void done(boolean hasChanged) {
      try {
        onChecked(hasChanged);
      } catch (Throwable e) { // the connection must not fail because of this client
        onInternalError(e);
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("an empty transaction was answered with a large reply");
    }

    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      watch.invalidate();
      done(true);
    }
  }

  /** Runs those blocks that are queued and fulfil the condition, all at once. */
  private void execute(Predicate<BlockRun> which) {
    List<BlockRun> now =
        runs.stream().filter(run -> hasState(run, BlockRun.State.QUEUED)).filter(which).toList();
    outstanding = now.size();
    if (now.isEmpty()) {
      onAllExecuted();
      return;
    }
    for (BlockRun run : now) {
      context.forward().order().noteOtherWrite(run.block().partition());
    }
    now.forEach(BlockRun::execute);
  }

  @Override
  public void onExecuted() {
    if (--outstanding == 0 && !over) {
      onAllExecuted();
    }
  }

  private void onAllExecuted() {
    boolean asWished =
        runs.stream()
            .allMatch(
                run -> hasState(run, BlockRun.State.RAN) || hasState(run, BlockRun.State.QUEUED));
    if (asWished && firstThat(run -> hasState(run, BlockRun.State.QUEUED)) != null) {
      execute(_ -> true);
    } else if (runs.isEmpty() || firstThat(run -> hasState(run, BlockRun.State.RAN)) != null) {
      runLocalCommands();
    } else {
      endWithoutReplies();
    }
  }

  /** No block is known to have run. */
  private void endWithoutReplies() {
    BlockRun reason = firstThat(run -> hasState(run, BlockRun.State.UNKNOWN));
    reason = reason == null ? firstThat(run -> hasState(run, BlockRun.State.FAILED)) : reason;
    if (reason == null) {
      end(client.nullArray(), Outcome.OK);
    } else {
      end(reason.error(), reason.outcome());
    }
  }

  @Override
  public boolean addPending(int bytes) {
    if (gathered.overflowsOnAdd(bytes)) {
      runs.forEach(BlockRun::dropReply);
      gathered.release();
      if (localRun != null) {
        localRun.dropReplies();
      }
    }
    return !gathered.isTooLarge();
  }

  private void runLocalCommands() {
    var run = new LocalCommandRun(context, transaction.localRequests(), this);
    localRun = run;
    run.run();
  }

  @Override
  public void onLocalCommandsDone() {
    LocalCommandRun run = Objects.requireNonNull(localRun);
    if (gathered.isTooLarge() || client.isClosing()) {
      run.close();
      if (!transaction.selections().isEmpty()) {
        client.select(transaction.selections().getLast().database());
      }
      end(ErrorReplies.EXEC_REPLY_TOO_LARGE, Outcome.ERROR);
      return;
    }
    new SpreadReplyMerger(whole, this, run, transaction, blocks.sources(), runs)
        .begin(loop.slices());
  }

  /** The reply is complete: the client's next requests are handled. */
  void onReplyComplete(Transaction.@Nullable Selection selected) {
    Objects.requireNonNull(localRun).close();
    if (selected != null) {
      nodes.onDatabaseAccepted(selected.database());
      client.select(selected.database());
    }
    release();
  }

  private void end(byte[] reply, Outcome outcome) {
    release();
    whole.answer(reply, outcome);
  }

  private void release() {
    over = true;
    onEnd.run();
    runs.forEach(BlockRun::close);
    guards.forEach(Watch::close);
    guards.clear();
    gathered.release();
    account.addKept(-kept);
    if (!transaction.subscribing().isEmpty()) {
      context.localCommands().onTransactionEnd();
    }
    client.resume(whole);
  }

  @Override
  public void onInternalError(Throwable cause) {
    client.fail(cause);
    if (over) {
      return;
    }
    over = true;
    onEnd.run();
    runs.forEach(BlockRun::abort);
    guards.forEach(Watch::invalidate);
    guards.clear();
    gathered.release();
    account.addKept(-kept);
  }
}
