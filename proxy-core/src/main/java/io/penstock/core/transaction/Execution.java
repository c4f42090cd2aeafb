package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.forward.Gathered;
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
public final class Execution extends Block {

  private final ReplySlot whole;
  private final TransactionParts made;
  private final Client client;
  private final Allowance account;
  private final Transaction transaction;
  private final @Nullable Watch watch; // whose connection this goes by
  private final PendingReply collected = new PendingReply();
  private @Nullable Replay replay;
  private @Nullable CalledScripts scripts; // once looked for
  private final Gathered held; // too large: only the own commands' effects are wanted

  /**
   * @param whole the {@code EXEC}
   * @param watch what the client watches; it ends with this
   */
  public Execution(
      TransactionParts made, ReplySlot whole, Transaction transaction, @Nullable Watch watch) {
    super(made.forward().owner());
    this.made = made;
    this.client = made.context().client();
    this.account = made.context().account();
    this.whole = whole;
    this.held = new Gathered(made.context(), made.forward().site().limit());
    this.transaction = transaction;
    this.watch = watch;
    whole.addHeapBytes(transaction.sizeOnHeap());
    if (watch != null || isSpliced()) {
      client.suspend(
          whole); // what comes behind must not overtake, and see what the own commands do
    }
  }

  @Override
  public void sendAhead(Consumer<Exchange> sender) {
    if (!transaction.mayLackScripts()) {
      return;
    }
    CalledScripts called = scripts;
    if (called == null) {
      called = new CalledScripts(reader(), made.forward().site().scripts());
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
      watch.lose();
      if (failure == Failure.NOT_SENT) {
        answer(client.nullArray(), Outcome.OK);
        return;
      }
    }
    super.onFailure(failure);
  }

  /** The node has answered: it watches no more. */
  private void replied() {
    settle();
    if (watch != null && ranWithoutMulti()) {
      watch.lose();
    } else if (watch != null) {
      watch.release();
    }
  }

  private boolean isSpliced() {
    return !transaction.own().isEmpty();
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (isSpliced() && outcome == Outcome.OK) {
      collect(buffer, from, to);
      splice();
    } else {
      replied();
      client.resume(whole);
      whole.deliver(buffer, from, to, outcome);
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    letGo();
    replied();
    client.resume(whole);
    whole.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (isSpliced()) {
      collect(buffer, from, to);
      if (last) {
        splice();
      }
      return;
    }
    if (last) {
      replied();
      client.resume(whole);
    }
    whole.deliverPart(buffer, from, to, last);
  }

  private void collect(ByteBuf buffer, int from, int to) {
    if (holds(to - from)) {
      collected.append(buffer, from, to, account.hasMuchPending());
    }
  }

  /**
   * So many more bytes of replies are to be held: they cannot be given before all are here.
   *
   * @return false when that is too much: they are dropped
   */
  boolean holds(int bytes) {
    if (held.overflowsWith(bytes)) {
      letGo();
      if (replay != null) {
        replay.dropReplies();
      }
    }
    return !held.isTooLarge();
  }

  private void letGo() {
    collected.clear();
    held.letGo();
  }

  @Override
  public void ranAlone(byte[] error, ByteBuf reply) {
    ran();
    answer(notAtomic(error), Outcome.ERROR);
  }

  @Override
  public void aborted(byte[] error) {
    answer(abortion(error), Outcome.ERROR);
  }

  @Override
  public void dropHeld() {
    collected.clear();
    held.beginAnew();
    whole.dropPending();
  }

  @Override
  public boolean hasBegun() {
    return whole.hasBegun();
  }

  /** Answers a transaction of nothing but own commands. */
  void spliceOwn() {
    byte[] none = header(0);
    deliver(Unpooled.wrappedBuffer(none), 0, none.length, Outcome.OK);
  }

  static byte[] header(int elements) {
    return ("*" + elements + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** Lets the own commands run and puts their replies between the node's. */
  private void splice() {
    replied();
    ByteBuf reply = collected.view();
    if (held.isTooLarge() || hasRun(reply)) {
      replay = new Replay(made, transaction.own(), this);
      replay.run();
    } else { // nothing ran
      client.resume(whole);
      whole.deliver(reply, reply.readerIndex(), reply.writerIndex(), Outcome.OK);
      letGo();
    }
  }

  private boolean hasRun(ByteBuf reply) {
    byte[] expected = header(transaction.sent());
    return reply.readableBytes() >= expected.length
        && reply
            .slice(reply.readerIndex(), expected.length)
            .equals(Unpooled.wrappedBuffer(expected));
  }

  @Override
  public void broke() {
    super.broke();
    if (watch != null) {
      watch.lose(); // nobody else knows of its connection
    }
  }

  /** The own commands could not be answered. */
  void broke(Throwable cause) {
    letGo();
    client.fail(cause);
  }

  /** All own commands are answered. */
  void compose() {
    Replay own = Objects.requireNonNull(replay);
    if (held.isTooLarge() || client.isClosing()) {
      own.close();
      client.resume(whole);
      whole.answer(ErrorReplies.EXEC_REPLY_TOO_LARGE, Outcome.ERROR);
      return;
    }
    int first = header(transaction.sent()).length;
    ByteBuf reply = collected.view();
    new Composition(whole, this, own, reply, reply.readerIndex() + first)
        .begin(made.context().loop().slices());
  }

  /** How many commands the client has queued. */
  int commands() {
    return transaction.queued();
  }

  /** The reply was put together; what comes behind may be taken up with its end. */
  void composed() {
    Objects.requireNonNull(replay).close();
    letGo();
    client.resume(whole);
  }
}
