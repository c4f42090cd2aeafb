package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.script.CalledScripts;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's transaction on its way. The node's reply goes to the client as it comes, unless
 * Penstock's own commands are among the client's: theirs have to stand between the others.
 */
public final class Execution extends TransactionBlock {

  private final ReplySlot whole;
  private final TransactionContext made;
  private final Client client;
  private final Allowance account;
  private final Transaction transaction;
  private final @Nullable Watch watch; // whose connection this goes by
  private final PendingReply nodeReply = new PendingReply();
  private @Nullable LocalCommandRun localRun;
  private @Nullable CalledScripts scripts; // once looked for
  private final GatheredBytes gathered; // too large: only the own commands' effects are wanted

  /**
   * @param whole the {@code EXEC}
   * @param watch what the client watches; it ends with this
   */
  public Execution(
      TransactionContext made, ReplySlot whole, Transaction transaction, @Nullable Watch watch) {
    super(made.forward().owner());
    this.made = made;
    this.client = made.clientContext().client();
    this.account = made.clientContext().account();
    this.whole = whole;
    this.gathered = new GatheredBytes(made.clientContext(), made.forward().forwardLoop().limit());
    this.transaction = transaction;
    this.watch = watch;
    whole.addHeapBytes(transaction.sizeOnHeap());
    if (watch != null || hasLocalCommands()) {
      client.suspend(
          whole); // what comes behind must not overtake, and see what the own commands do
    }
  }

  @Override
  public void sendPrerequisites(Consumer<Exchange> sender) {
    if (!transaction.mayNeedScripts()) {
      return;
    }
    CalledScripts called = scripts;
    if (called == null) {
      called = new CalledScripts(reader(), made.forward().forwardLoop().scripts());
      called.find(sharedBytes().buffer(), offset(), length());
      scripts = called;
    }
    called.load(this, sender);
  }

  /** A node that does not run what is watched for does so as if a key had changed. */
  @Override
  public boolean handleRetryableError(ByteBuf buffer, int from, int to) {
    if (watch == null) {
      return super.handleRetryableError(buffer, from, to);
    }
    RetryableError said = made.retryableErrors().parse(this, Scope.KEYS, buffer, from, to);
    if (said == null) {
      return false;
    }
    made.retryableErrors().applyToTopology(said);
    answer(client.nullArray(), Outcome.OK);
    return true;
  }

  @Override
  public void onFailure(Failure failure) {
    if (watch != null) {
      watch.invalidate();
      if (failure == Failure.NOT_SENT) {
        answer(client.nullArray(), Outcome.OK);
        return;
      }
    }
    super.onFailure(failure);
  }

  /** The node has answered: it watches no more. */
  private void onNodeReply() {
    releaseRequest();
    if (watch != null && ranWithoutMulti()) {
      watch.invalidate();
    } else if (watch != null) {
      watch.release();
    }
  }

  private boolean hasLocalCommands() {
    return !transaction.localRequests().isEmpty();
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (hasLocalCommands() && outcome == Outcome.OK) {
      collect(buffer, from, to);
      runLocalCommands();
    } else {
      onNodeReply();
      client.resume(whole);
      whole.deliver(buffer, from, to, outcome);
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    releaseReplies();
    onNodeReply();
    client.resume(whole);
    whole.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (hasLocalCommands()) {
      collect(buffer, from, to);
      if (last) {
        runLocalCommands();
      }
      return;
    }
    if (last) {
      onNodeReply();
      client.resume(whole);
    }
    whole.deliverPart(buffer, from, to, last);
  }

  private void collect(ByteBuf buffer, int from, int to) {
    if (addPending(to - from)) {
      nodeReply.append(buffer, from, to, account.hasMuchPending());
    }
  }

  /**
   * So many more bytes of replies are to be held: they cannot be given before all are here.
   *
   * @return false when that is too much: they are dropped
   */
  boolean addPending(int bytes) {
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

  /** Answers a transaction of nothing but own commands. */
  void answerLocally() {
    byte[] none = header(0);
    deliver(Unpooled.wrappedBuffer(none), 0, none.length, Outcome.OK);
  }

  static byte[] header(int elements) {
    return ("*" + elements + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** Lets the own commands run and puts their replies between the node's. */
  private void runLocalCommands() {
    onNodeReply();
    ByteBuf reply = nodeReply.view();
    if (gathered.isTooLarge() || hasRun(reply)) {
      localRun = new LocalCommandRun(made, transaction.localRequests(), this);
      localRun.run();
    } else { // nothing ran
      client.resume(whole);
      whole.deliver(reply, reply.readerIndex(), reply.writerIndex(), Outcome.OK);
      releaseReplies();
    }
  }

  private boolean hasRun(ByteBuf reply) {
    byte[] expected = header(transaction.nodeCommands());
    return reply.readableBytes() >= expected.length
        && reply
            .slice(reply.readerIndex(), expected.length)
            .equals(Unpooled.wrappedBuffer(expected));
  }

  @Override
  public void onInternalError() {
    super.onInternalError();
    if (watch != null) {
      watch.invalidate(); // nobody else knows of its connection
    }
  }

  /** The own commands could not be answered. */
  void onInternalError(Throwable cause) {
    releaseReplies();
    client.fail(cause);
  }

  /** All own commands are answered. */
  void onLocalCommandsDone() {
    LocalCommandRun own = Objects.requireNonNull(localRun);
    if (gathered.isTooLarge() || client.isClosing()) {
      own.close();
      client.resume(whole);
      whole.answer(ErrorReplies.EXEC_REPLY_TOO_LARGE, Outcome.ERROR);
      return;
    }
    int first = header(transaction.nodeCommands()).length;
    ByteBuf reply = nodeReply.view();
    new ExecReplyMerger(whole, this, own, reply, reply.readerIndex() + first)
        .begin(made.clientContext().loop().slices());
  }

  /** How many commands the client has queued. */
  int commands() {
    return transaction.queued();
  }

  /** The reply was put together; what comes behind may be taken up with its end. */
  void onReplyComplete() {
    Objects.requireNonNull(localRun).close();
    releaseReplies();
    client.resume(whole);
  }
}
