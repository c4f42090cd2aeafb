package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.spec.Merge;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the reply to the {@code EXEC} of a transaction over several partitions from those of the
 * blocks. The commands of a block that did not run each have an error.
 */
final class SpreadReplyMerger extends ExecReplySlices {

  private static final String PARTIAL =
      "TXPARTIAL the commands of this slot did not run, those of other slots did: ";

  private static final byte[] CHANGED = ErrorReplies.encode(PARTIAL + "a watched key has changed");
  private static final byte[] LEFT_OUT =
      ErrorReplies.encode(PARTIAL + "those of a slot with watched keys did not all run");

  private final SpreadExecution execution;
  private final List<Transaction.Selection> selections;
  private final List<ReplySource> sources;
  private final Map<PartitionBlock, Replies> replies = new HashMap<>();
  private int source; // index of the next source
  private int nextSelection;
  private Transaction.@Nullable Selection selected;
  private @Nullable ReplyMerger merger; // of the command, if it takes several slices
  private boolean partial;

  /**
   * @param sources of the replies to the commands for nodes
   * @param runs which have ended, or will not run
   */
  SpreadReplyMerger(
      ReplySlot whole,
      SpreadExecution execution,
      LocalCommandRun localRun,
      Transaction transaction,
      List<ReplySource> sources,
      List<BlockRun> runs) {
    super(whole, localRun, transaction.queued());
    this.execution = execution;
    this.selections = transaction.selections();
    this.sources = sources;
    for (BlockRun run : runs) {
      replies.put(run.block(), replies(run));
      partial |= run.state() != BlockRun.State.RAN;
    }
  }

  private static Replies replies(BlockRun run) {
    if (run.state() == BlockRun.State.RAN) {
      return new Elements(run);
    }
    ByteBuf error = Unpooled.wrappedBuffer(error(run));
    return () -> error;
  }

  private static byte[] error(BlockRun run) {
    return switch (run.state()) {
      case UNKNOWN -> run.error();
      case FAILED ->
          ErrorReplies.encode(
              PARTIAL
                  + new String(
                      run.error(), 1, run.error().length - 3, StandardCharsets.ISO_8859_1));
      case LOST -> CHANGED;
      default -> LEFT_OUT;
    };
  }

  /** The replies of one block. */
  private interface Replies {

    /** Returns the next reply; borrowed. */
    ByteBuf next();
  }

  private static final class Elements implements Replies {

    private final ReplyScanner scanner = new ReplyScanner();
    private final ByteBuf reply;
    private int at;

    Elements(BlockRun run) {
      reply = run.reply();
      at = reply.indexOf(reply.readerIndex(), reply.writerIndex(), (byte) '\n') + 1;
      for (int i = 0; i < run.block().prefixed(); i++) {
        next();
      }
    }

    @Override
    public ByteBuf next() {
      int end = scanner.scan(reply, at, reply.writerIndex());
      ByteBuf element = reply.slice(at, end - at);
      at = end;
      return element;
    }
  }

  @Override
  boolean deliverNext(int command, int steps) {
    ReplyMerger merging = merger == null ? begin(sources.get(source++), command) : merger;
    if (merging == null) {
      return true;
    }
    boolean more = merging.step(steps);
    merger = more ? merging : null;
    return !more;
  }

  /** Begins the reply to a command. Returns what goes on with it; null if it is delivered. */
  private @Nullable ReplyMerger begin(ReplySource from, int command) {
    List<PartitionBlock> blocks = from.blocks();
    ByteBuf[] parts = new ByteBuf[blocks.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = replies(blocks.get(i)).next();
    }
    Merge how = from.merge();
    if (how != null) {
      var merging = new ReplyMerger(this::deliver);
      merging.begin(how, parts, from.detail());
      return merging;
    }
    ByteBuf chosen = parts[0];
    for (int i = parts.length - 1; i >= 0; i--) {
      chosen = replies(blocks.get(i)) instanceof Elements ? parts[i] : chosen;
    }
    onReply(command, chosen.getByte(chosen.readerIndex()));
    deliver(chosen);
    return null;
  }

  private Replies replies(PartitionBlock block) {
    Replies known = replies.get(block);
    if (known == null) {
      throw new IllegalStateException("a block without replies");
    }
    return known;
  }

  private void onReply(int command, byte type) {
    if (nextSelection < selections.size() && selections.get(nextSelection).index() == command) {
      if (type == '+') {
        selected = selections.get(nextSelection);
      }
      nextSelection++;
    }
  }

  @Override
  Outcome onComplete() {
    execution.onReplyComplete(selected);
    return partial ? Outcome.ERROR : Outcome.OK;
  }

  @Override
  void onInternalError(Throwable cause) {
    execution.onInternalError(cause);
  }
}
