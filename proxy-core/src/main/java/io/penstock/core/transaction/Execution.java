package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.script.CalledScripts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of a client's transaction. The node's reply goes to the client as it arrives, unless
 * the transaction has local commands, whose replies must be inserted, or selects databases.
 */
public final class Execution extends TransactionBlock implements LocalCommandRun.Owner {

  private final ReplySlot whole;
  private final TransactionContext context;
  private final Client client;
  private final Allowance account;
  private final Transaction transaction;
  private final @Nullable Watch watch; // this is sent over its connection
  private final PendingReply nodeReply = new PendingReply();
  private @Nullable LocalCommandRun localRun;
  private @Nullable CalledScripts scripts; // once searched
  private Transaction.@Nullable Selection selected; // the last one that succeeded
  private int nextSelection; // index of the next one whose reply comes
  private final GatheredBytes gathered; // if too large, local commands still run

  /**
   * @param whole where the reply to {@code EXEC} goes
   * @param watch what the client watches, which ends with this; null for nothing
   */
  public Execution(
      TransactionContext context, ReplySlot whole, Transaction transaction, @Nullable Watch watch) {
    super(context.forward().owner());
    this.context = context;
    this.client = context.clientContext().client();
    this.account = context.clientContext().account();
    this.whole = whole;
    this.gathered =
        new GatheredBytes(context.clientContext(), context.forward().forwardLoop().limit());
    this.transaction = transaction;
    this.watch = watch;
    timeline(whole.timeline());
    whole.addHeapBytes(transaction.sizeOnHeap());
    if (watch != null || mustCollect()) {
      // Later requests must not overtake, and must see the effects of local commands.
      client.suspend(whole);
    }
  }

  /**
   * Prepares for the first send. A block that selects databases uses connections of its own, on
   * which it first selects the client's database; or the one with the watched keys, which is on the
   * client's database.
   */
  void prepareBlock(CommandSpec exec, int partition) {
    if (!selectsFirst()) {
      prepare(exec, partition, transaction.takeBlock(), transaction.nodeCommands());
      return;
    }
    ByteBuf block = transaction.takeBlockSelecting(client.databaseNumber());
    prepare(exec, partition, block, nodeReplies());
    useConnections(client.connections().withAnyDatabase());
  }

  private boolean selectsFirst() {
    return watch == null && !transaction.selections().isEmpty();
  }

  /** The number of replies in the node's reply to {@code EXEC}. */
  private int nodeReplies() {
    return transaction.nodeCommands() + (selectsFirst() ? 1 : 0);
  }

  @Override
  public void sendPrerequisites(Consumer<PlacedExchange> sender) {
    if (!transaction.mayNeedScripts()) {
      return;
    }
    CalledScripts called = scripts;
    if (called == null) {
      called = new CalledScripts(reader(), context.forward().forwardLoop().scripts());
      called.find(sharedBytes().buffer(), offset(), length());
      scripts = called;
    }
    called.load(this, sender);
  }

  /** If keys are watched, a retryable error counts as a changed key: the reply is nil. */
  @Override
  public boolean handleRetryableError(ByteBuf buffer, int from, int to) {
    if (watch == null) {
      return super.handleRetryableError(buffer, from, to);
    }
    RetryableError error = context.retryableErrors().parse(this, Scope.KEYS, buffer, from, to);
    if (error == null) {
      return false;
    }
    context.retryableErrors().applyToTopology(error);
    endRelay(false);
    answer(client.nullArray(), Outcome.OK);
    return true;
  }

  @Override
  public void onFailure(Failure failure) {
    if (watch != null) {
      watch.invalidate();
      if (failure == Failure.NOT_SENT) {
        endRelay(false);
        answer(client.nullArray(), Outcome.OK);
        return;
      }
    }
    super.onFailure(failure);
  }

  /** Handles the node's reply, after which the node watches no keys. */
  private void onNodeReply() {
    releaseRequest();
    if (watch != null && !transaction.selections().isEmpty()) {
      watch.onMoved();
    }
    if (watch != null && ranWithoutMulti()) {
      watch.invalidate();
    } else if (watch != null) {
      watch.release();
    }
  }

  /** Returns whether the node's reply does not go to the client as it arrives. */
  private boolean mustCollect() {
    return !transaction.localRequests().isEmpty() || !transaction.selections().isEmpty();
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (mustCollect() && outcome == Outcome.OK) {
      collect(buffer, from, to);
      runLocalCommands();
    } else {
      onNodeReply();
      resume();
      whole.deliver(buffer, from, to, outcome);
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    releaseReplies();
    onNodeReply();
    resume();
    whole.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (mustCollect()) {
      collect(buffer, from, to);
      if (last) {
        runLocalCommands();
      }
      return;
    }
    if (last) {
      onNodeReply();
      resume();
    }
    whole.deliverPart(buffer, from, to, last);
  }

  private void resume() {
    if (!transaction.subscribing().isEmpty()) {
      context.localCommands().onTransactionEnd();
    }
    client.resume(whole);
  }

  private void collect(ByteBuf buffer, int from, int to) {
    if (addPending(to - from)) {
      nodeReply.append(buffer, from, to, account.hasMuchPending());
    }
  }

  /** No reply can be delivered before all are here. */
  @Override
  public boolean addPending(int bytes) {
    if (gathered.overflowsOnAdd(bytes)) {
      releaseReplies();
      if (localRun != null) {
        localRun.dropReplies();
      }
    }
    return !gathered.isTooLarge();
  }

  private void releaseReplies() {
    nodeReply.clear();
    gathered.release();
  }

  @Override
  public void onRanWithoutMulti(byte[] error, ByteBuf reply) {
    markExecuted();
    answer(notAtomicError(error), Outcome.ERROR);
  }

  @Override
  public void onAborted(byte[] error) {
    answer(abortError(error), Outcome.ERROR);
  }

  @Override
  public void dropPending() {
    nodeReply.clear();
    gathered.reset();
    whole.dropPending();
  }

  @Override
  public boolean hasStartedReply() {
    return whole.hasBegun();
  }

  /** Answers a transaction that has only local commands. */
  void answerLocally() {
    byte[] none = header(0);
    deliver(Unpooled.wrappedBuffer(none), 0, none.length, Outcome.OK);
  }

  static byte[] header(int elements) {
    return ("*" + elements + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** Runs the local commands, whose replies are then inserted between the node's. */
  private void runLocalCommands() {
    onNodeReply();
    ByteBuf reply = nodeReply.view();
    if (gathered.isTooLarge() || hasRun(reply)) {
      localRun = new LocalCommandRun(context, transaction.localRequests(), this);
      localRun.run();
    } else { // the node ran nothing
      resume();
      whole.deliver(reply, reply.readerIndex(), reply.writerIndex(), Outcome.OK);
      releaseReplies();
    }
  }

  private boolean hasRun(ByteBuf reply) {
    byte[] expected = header(nodeReplies());
    return reply.readableBytes() >= expected.length
        && reply
            .slice(reply.readerIndex(), expected.length)
            .equals(Unpooled.wrappedBuffer(expected));
  }

  @Override
  public void onInternalError() {
    super.onInternalError();
    if (watch != null) {
      watch.invalidate(); // nothing else releases its connection
    }
  }

  @Override
  public void onInternalError(Throwable cause) {
    releaseReplies();
    client.fail(cause);
  }

  @Override
  public void onLocalCommandsDone() {
    LocalCommandRun run = Objects.requireNonNull(localRun);
    if (gathered.isTooLarge() || client.isClosing()) {
      run.close();
      assumeSelected();
      resume();
      whole.answer(ErrorReplies.EXEC_REPLY_TOO_LARGE, Outcome.ERROR);
      return;
    }
    ByteBuf reply = nodeReply.view();
    int first = reply.readerIndex() + header(nodeReplies()).length;
    if (selectsFirst()) {
      first = new ReplyScanner().scan(reply, first, reply.writerIndex());
    }
    new ExecReplyMerger(whole, this, run, reply, first)
        .begin(context.clientContext().loop().slices());
  }

  /** Returns how many commands the client has queued. */
  int commands() {
    return transaction.queued();
  }

  /** Handles the node's reply to one command, of which this is the first byte. */
  void onCommandReply(int command, byte type) {
    List<Transaction.Selection> all = transaction.selections();
    if (nextSelection < all.size() && all.get(nextSelection).index() == command) {
      if (type == '+') {
        selected = all.get(nextSelection);
      }
      nextSelection++;
    }
  }

  /** The replies were dropped: the last {@code SELECT} has most likely succeeded. */
  private void assumeSelected() {
    if (!transaction.selections().isEmpty()) {
      client.select(transaction.selections().getLast().database());
    }
  }

  /** Handles the end of the merged reply, after which the client's next requests are handled. */
  void onReplyComplete() {
    Objects.requireNonNull(localRun).close();
    releaseReplies();
    Transaction.Selection last = selected;
    if (last != null) {
      context.clientContext().nodes().onDatabaseAccepted(last.database());
      client.select(last.database());
    }
    resume();
  }
}
