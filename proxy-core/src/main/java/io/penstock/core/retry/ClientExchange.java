package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.transport.SocketOutput;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client, or one part of a divided one, on its way to a node. Refusals that mean "it
 * did not run" go to {@link Retries}; everything else is delivered.
 */
public abstract class ClientExchange extends Exchange {

  private @Nullable ExchangeOwner owner;
  private long requestNumber;
  private boolean readOnly;
  private boolean script;
  private @Nullable MultiKeyRequests tracker; // that it is one of

  /** For use again and again: {@link #setOwner} says whose it is. */
  public ClientExchange() {}

  /** An exchange of one client. */
  public ClientExchange(ExchangeOwner owner) {
    this.owner = owner;
  }

  /** Its client is this one from here on; null for none. */
  protected final void setOwner(@Nullable ExchangeOwner client) {
    owner = client;
  }

  protected final ExchangeOwner owner() {
    ExchangeOwner known = owner;
    if (known == null) {
      throw new IllegalStateException("an exchange was used after its end");
    }
    return known;
  }

  /** What is kept for the client. */
  protected final Allowance account() {
    return owner().account;
  }

  /** Reads requests once more. */
  protected final RequestReader reader() {
    return owner().reader;
  }

  /** It ran: earlier requests that did not may no longer go before it. */
  protected final void markExecuted() {
    owner().retries.onAnswered(this);
  }

  /**
   * Hands over what the client gets, or a part of it.
   *
   * @param buffer borrowed
   */
  public abstract void deliver(ByteBuf buffer, int from, int to, Outcome outcome);

  /** As {@link #deliver}, with Penstock's own words: most often an error, also a nil. */
  public abstract void answer(byte[] reply, Outcome outcome);

  /** Hands on a part of a reply that is still arriving. */
  public abstract void deliverPart(ByteBuf buffer, int from, int to, boolean last);

  /** Drops the beginning of a reply that was cut: there will be a whole one, or an error. */
  public abstract void dropPending();

  /** Whether a part of the reply has already gone to the client. */
  public abstract boolean hasStartedReply();

  /**
   * Sets the request's bytes.
   *
   * @param shared one share goes over
   */
  public final void setRequestBytes(SharedBuffer shared, int offset, int length) {
    bytes(shared, offset, length);
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      owner().account.addKept(length);
    }
  }

  /** Has {@code sender} send what its node needs first; to be called before each sending. */
  public void sendPrerequisites(Consumer<Exchange> sender) {
    // Most need nothing.
  }

  /**
   * Prepares for a first sending.
   *
   * @param partition of its keys
   */
  public final void prepare(CommandSpec command, int partition) {
    targetPartition(partition);
    prepare(command);
  }

  /** Prepares for a first sending to any node. */
  public final void prepareForAnyNode(CommandSpec command) {
    targetAnyNode();
    prepare(command);
  }

  /** Prepares a request of which only parts are sent, each with a destination of its own. */
  public final void prepare(CommandSpec command) {
    ExchangeOwner from = owner();
    requestNumber = from.replies.lastRequestNumber();
    readOnly = command.isReadOnly();
    script = command.isScript();
    long now = from.loop.now();
    sendOptions(
        from.client.protocol(),
        from.client.affinity(),
        now + from.nodes.commandTimeoutNanos(),
        now + from.nodes.retryWindowNanos());
    expectReplyBytes(from.account.expectedLargeReply(command));
  }

  /** It has waited, and is sent, or sent again, now. */
  public final void extendDeadline() {
    extendDeadline(owner().loop.now(), owner().nodes.commandTimeoutNanos());
  }

  /** {@link System#nanoTime()} until which it may be sent once more. */
  final long sendDeadline() {
    return deadline() - holdDeadline() > 0 ? deadline() : holdDeadline();
  }

  /** Whether it may not be sent any more. */
  public final boolean isTooLateToSend() {
    return owner().client.isClosed() || owner().loop.now() - sendDeadline() >= 0;
  }

  /**
   * A client that sends no more is taken for gone when its request has waited, as Redis does when
   * one blocks.
   */
  @Override
  public final boolean isClientConnected() {
    return !owner().client.isInputEnded();
  }

  /**
   * Prepares for a first sending to one shard.
   *
   * @param whole the prepared request that it is a part of, which may have waited since
   * @param master the shard's master now
   * @param partition a partition of the shard
   * @param aside whether over a connection that carries nothing else
   */
  public final void prepareForShard(
      ClientExchange whole, Endpoint master, int partition, boolean aside) {
    requestNumber = whole.requestNumber();
    readOnly = whole.isReadOnly();
    script = whole.isScript();
    targetShard(master, partition, aside);
    sendOptions(whole.protocol(), whole.affinity(), whole.deadline(), whole.holdDeadline());
    expectReplyBytes(whole.expectedReplyBytes());
  }

  /** Its place among the client's requests: later ones have a greater number. */
  public final long requestNumber() {
    return requestNumber;
  }

  public final boolean isReadOnly() {
    return readOnly;
  }

  /** Whether its reply is worded by the author of the script. */
  public final boolean isScript() {
    return script;
  }

  /** Whether every key of a shard is its concern. */
  final boolean isForShard() {
    return destination() == Destination.SHARD;
  }

  /** Whether it and {@code other} may be about one key, as far as {@code map} tells. */
  final boolean mayShareKeyWith(ClientExchange other, Placement map) {
    if (!isForShard() && !other.isForShard()) {
      return hasSameDestination(other);
    }
    return destination() != Destination.ANY_NODE
        && other.destination() != Destination.ANY_NODE
        && Dispatcher.shardOf(this, map) == Dispatcher.shardOf(other, map);
  }

  /** Later requests look at it there, until it has ended. */
  final void setTracker(MultiKeyRequests all) {
    tracker = all;
  }

  /** Reads the request's keys once more; only before {@link #releaseRequest}. */
  public RequestKeys keys() {
    return RequestKeys.of(command());
  }

  /** Reads the request once more, out of its own bytes; only before {@link #releaseRequest}. */
  public final Command command() {
    return owner().reader.read(sharedBytes().buffer(), offset(), length());
  }

  /** Gives the request's bytes back: it will not be sent again. */
  public final void releaseRequest() {
    if (releaseBytes() && length() >= SocketOutput.SLICE_THRESHOLD) {
      owner().account.addKept(-length());
    }
    MultiKeyRequests all = tracker;
    if (all != null) {
      tracker = null;
      all.remove(this);
    }
  }

  /** True when the error reply means "did not run, try again": then it is not delivered. */
  public boolean handleRetryableError(ByteBuf buffer, int from, int to) {
    return owner().retries.handleRetryableError(this, buffer, from, to);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean error = buffer.getByte(from) == '-';
    if (error && handleRetryableError(buffer, from, to)) {
      return;
    }
    owner().retries.onAnswered(this);
    deliver(buffer, from, to, error ? Outcome.ERROR : Outcome.OK);
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      owner().retries.onAnswered(this);
    }
    deliverPart(buffer, from, to, last);
  }

  /** Only before its end: what is done behind that sees to itself. */
  @Override
  public final boolean recoverFrom(Throwable defect) {
    owner().client.fail(defect);
    owner().nodes.heldRequests().leave(this);
    releaseRequest();
    onInternalError();
    return true;
  }

  /** It failed within Penstock, and its client is closed: what is held for it is dropped. */
  public void onInternalError() {
    dropPending();
  }

  @Override
  public void onFailure(Failure failure) {
    if (hasStartedReply()) {
      owner().client.closeNow("a node's connection was lost in the middle of a reply");
      owner().retries.remove(this);
      answer(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      return;
    }
    owner().retries.onFailure(this, failure);
  }
}
