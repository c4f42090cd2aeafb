package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.dispatch.Destination;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client, or one part of a split one, that is sent to a node. Retryable errors go to
 * {@link Retries}; every other reply is delivered.
 */
public abstract class ClientExchange extends PlacedExchange {

  private @Nullable ExchangeOwner owner;
  private long requestNumber;
  private boolean readOnly;
  private boolean script;
  private boolean needsMaster; // a replica cannot serve it
  private @Nullable RequestTracker tracker; // that is told of this request's end
  private @Nullable CommandSpec spec;
  private @Nullable ReplyRelay relay; // until it passes the reply on

  /** Creates an exchange that is reused; {@link #setOwner} sets its client. */
  public ClientExchange() {}

  /** Creates an exchange of one client. */
  public ClientExchange(ExchangeOwner owner) {
    this.owner = owner;
  }

  /** Sets the client; null for none. */
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

  /** The accounting of the client's memory. */
  protected final Allowance account() {
    return owner().account;
  }

  /** The parser for requests that are read again. */
  protected final RequestReader reader() {
    return owner().reader;
  }

  /**
   * Records that the request ran: earlier requests that did not run may no longer be sent before
   * it.
   */
  protected final void markExecuted() {
    owner().retries.onAnswered(this);
  }

  /**
   * Delivers the client's reply, or a part of it.
   *
   * @param buffer borrowed
   */
  public abstract void deliver(ByteBuf buffer, int from, int to, Outcome outcome);

  /** Like {@link #deliver}, with a reply made by Penstock: usually an error, sometimes a nil. */
  public abstract void answer(byte[] reply, Outcome outcome);

  /** Delivers a part of a reply that is still arriving. */
  public abstract void deliverPart(ByteBuf buffer, int from, int to, boolean last);

  /** Drops the pending beginning of a reply that was cut off; a whole reply or an error follows. */
  public abstract void dropPending();

  /** Returns whether a part of the reply has gone to the client. */
  public abstract boolean hasStartedReply();

  /**
   * Sets the request's bytes.
   *
   * @param shared this exchange takes ownership of one share
   */
  public final void setRequestBytes(SharedBuffer shared, int offset, int length) {
    bytes(shared, offset, length);
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      owner().account.addKept(length);
    }
  }

  /**
   * Sends through {@code sender} what the node needs before this request. Called before each send.
   */
  public void sendPrerequisites(Consumer<PlacedExchange> sender) {
    // Most requests need nothing.
  }

  /**
   * Prepares for the first send.
   *
   * @param partition of the request's keys
   */
  public final void prepare(CommandSpec command, int partition) {
    targetPartition(partition);
    prepare(command);
  }

  /** Prepares for the first send, to any node. */
  public final void prepareForAnyNode(CommandSpec command) {
    targetAnyNode();
    prepare(command);
  }

  /** Prepares a request of which only parts are sent, each to its own destination. */
  public final void prepare(CommandSpec command) {
    ExchangeOwner from = owner();
    requestNumber = from.replies.lastRequestNumber();
    spec = command;
    needsMaster = false;
    readOnly = command.isReadOnly();
    script = command.isScript();
    long now = from.loop.now();
    sendOptions(
        from.client.protocol(),
        from.client.affinity(),
        now + from.nodes.commandTimeoutNanos(),
        now + from.nodes.retryWindowNanos());
    useConnections(from.client.connections());
    expectReplyBytes(from.account.expectedLargeReply(command));
  }

  /** Has the reply pass through {@code by}. After the exchange is prepared. */
  public final void relayThrough(ReplyRelay by) {
    relay = by;
  }

  /** Returns whether the reply will pass through a relay. */
  public final boolean isFollowed() {
    return relay != null;
  }

  /**
   * Sends what must come directly behind the exchange, which has just been dispatched.
   *
   * @param sender sends it the same way
   */
  public final void afterDispatch(Consumer<PlacedExchange> sender) {
    ReplyRelay by = relay;
    if (by != null) {
      by.onDispatched(this, sender);
    }
  }

  /** The request ends in another way than with the reply to it, or an answer of Penstock. */
  protected final void endRelay(boolean mayHaveRun) {
    ReplyRelay by = relay;
    if (by != null) {
      relay = null;
      by.onEnd(this, mayHaveRun);
    }
  }

  /** Drops the beginning of a reply that was cut off. */
  final void dropReply() {
    ReplyRelay by = relay;
    if (by != null) {
      by.onReplyDropped();
    }
    dropPending();
  }

  /** Ends it with Penstock's answer, which may pass through a relay. */
  final void end(byte[] reply, Outcome outcome) {
    ReplyRelay by = relay;
    if (by == null) {
      answer(reply, outcome);
    } else {
      relay = null;
      by.onAnswer(this, reply, outcome);
    }
  }

  /** Extends the deadline of a request that has waited and is sent, or sent again, now. */
  public final void extendDeadline() {
    extendDeadline(owner().loop.now(), owner().nodes.commandTimeoutNanos());
  }

  /** Returns the {@link System#nanoTime()} until which the request may be sent again. */
  final long sendDeadline() {
    return deadline() - holdDeadline() > 0 ? deadline() : holdDeadline();
  }

  /**
   * Returns whether the request may not be sent any more: it is too late, or the client is closed.
   */
  public final boolean isTooLateToSend() {
    return owner().client.isClosed() || owner().loop.now() - sendDeadline() >= 0;
  }

  /**
   * Returns false if the client sends no more: once its request has waited, the client counts as
   * disconnected, as in Redis when a client blocks.
   */
  @Override
  public final boolean isWanted() {
    return !owner().client.isInputEnded();
  }

  /**
   * Prepares for the first send to one shard.
   *
   * @param whole the prepared request that this is a part of; it may have waited since
   * @param master the shard's current master
   * @param partition a partition of the shard
   * @param separateConnection whether over a connection that carries nothing else
   */
  public final void prepareForShard(
      ClientExchange whole, Endpoint master, int partition, boolean separateConnection) {
    requestNumber = whole.requestNumber();
    readOnly = whole.isReadOnly();
    script = whole.isScript();
    targetShard(master, partition, separateConnection);
    sendOptions(whole.protocol(), whole.affinity(), whole.deadline(), whole.holdDeadline());
    useConnections(whole.connections());
    expectReplyBytes(whole.expectedReplyBytes());
  }

  /**
   * Treats the request as a read: it changes nothing, although servers do not flag its command as
   * one. It is sent again after a lost connection.
   */
  protected final void treatAsRead() {
    readOnly = true;
  }

  /** The number of the request among the client's requests; later requests have greater numbers. */
  public final long requestNumber() {
    return requestNumber;
  }

  public final boolean isReadOnly() {
    return readOnly;
  }

  /** Returns whether the request runs a script, so that the script's author chooses the reply. */
  public final boolean isScript() {
    return script;
  }

  /** Returns whether the request concerns every key of a shard. */
  final boolean isForShard() {
    return destination() == Destination.SHARD;
  }

  /**
   * Returns whether this request and {@code other} may concern the same key, according to {@code
   * placement}.
   */
  final boolean mayShareKeyWith(ClientExchange other, Placement placement) {
    if (!isForShard() && !other.isForShard()) {
      return hasSameDestination(other);
    }
    return destination() != Destination.ANY_NODE
        && other.destination() != Destination.ANY_NODE
        && shardIn(placement) == other.shardIn(placement);
  }

  /** Sets what is told when this request ends. */
  final void setTracker(RequestTracker told) {
    tracker = told;
  }

  /** What is told when this request ends; null for nothing, and after the end. */
  final @Nullable RequestTracker tracker() {
    return tracker;
  }

  /** The command; null before the exchange is prepared, and for a request to one shard. */
  final @Nullable CommandSpec spec() {
    return spec;
  }

  /**
   * Sends it to a replica from now on.
   *
   * @param replica its number; {@link #NO_REPLICA} if none may be read now
   */
  final void readFrom(int replica) {
    readAt(replica);
  }

  /** Notes that no replica may serve it. */
  final void needMaster() {
    needsMaster = true;
  }

  /** Returns whether no replica may serve it. */
  final boolean needsMaster() {
    return needsMaster;
  }

  /** Sends it to the master from now on. */
  final void readFromMaster() {
    readAtMaster();
  }

  /** Reads the request's keys again; only before {@link #releaseRequest}. */
  public RequestKeys keys() {
    return RequestKeys.of(command());
  }

  /** Parses the request again from its own bytes; only before {@link #releaseRequest}. */
  public final Command command() {
    return owner().reader.read(sharedBytes().buffer(), offset(), length());
  }

  /** Releases the request's bytes: it will not be sent again. */
  public final void releaseRequest() {
    endRelay(true);
    if (releaseBytes() && length() >= SocketOutput.SLICE_THRESHOLD) {
      owner().account.addKept(-length());
    }
    RequestTracker told = tracker;
    if (told != null) {
      tracker = null;
      told.onEnd(this);
    }
  }

  /**
   * Handles the error reply if it is retryable. Returns whether it is; if so, the caller must not
   * deliver it.
   */
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
    Outcome outcome = error ? Outcome.ERROR : Outcome.OK;
    ReplyRelay by = relay;
    if (by == null) {
      deliver(buffer, from, to, outcome);
    } else {
      relay = null;
      by.onReply(this, buffer, from, to, outcome);
    }
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      owner().retries.onAnswered(this);
    }
    ReplyRelay by = relay;
    if (by == null) {
      deliverPart(buffer, from, to, last);
    } else {
      relay = last ? null : by;
      by.onReplyPart(this, buffer, from, to, last);
    }
  }

  /** Called only before the exchange ends; what runs after its end handles its own failures. */
  @Override
  public final boolean recoverFrom(Throwable defect) {
    owner().client.fail(defect);
    owner().nodes.heldRequests().leave(this);
    releaseRequest();
    onInternalError();
    return true;
  }

  /** Handles an internal error. The client is closed, so what is pending for it is dropped. */
  public void onInternalError() {
    dropPending();
  }

  @Override
  public void onFailure(Failure failure) {
    if (hasStartedReply()) {
      owner().client.closeNow("a node's connection was lost in the middle of a reply");
      owner().retries.remove(this);
      end(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      return;
    }
    owner().retries.onFailure(this, failure);
  }
}
