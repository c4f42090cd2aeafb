package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.script.ScriptLoad;
import io.penstock.core.steps.Replies;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The block of one partition while a transaction over several partitions runs. It has a connection
 * of its own, on which the commands are queued at the node, and later run or discarded. If keys of
 * the partition are watched, whatever says that others may have changed them is a loss: nothing of
 * the block runs. Confined to the client's loop.
 */
final class BlockRun {

  private static final byte[] EXEC = WireRequest.of("EXEC");
  private static final byte[] DISCARD = WireRequest.of("DISCARD");
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
  private static final byte[] NOT_QUEUED =
      ErrorReplies.encode("TIMEOUT a node did not answer in time; none of the transaction ran");

  /** What became of the commands. */
  enum State {
    /** They did not run so far. */
    WAITING,
    /** They are queued at the node. */
    QUEUED,
    RAN,
    /** They did not run: a watched key has changed, or may have changed. */
    LOST,
    /** They did not run, because of {@link BlockRun#error}. */
    FAILED,
    /** They may have run; {@link BlockRun#error} says why it is unknown. */
    UNKNOWN
  }

  /** The transaction. */
  interface Listener {

    /** The commands are queued at the node, or the block has ended without that. */
    void onQueued();

    /** The block has ended. */
    void onExecuted();

    /**
     * Adds bytes to the pending ones of all replies.
     *
     * @return false if there are too many: these must be dropped
     */
    boolean addPending(int bytes);

    /** Handles an internal error of a block. */
    void onInternalError(Throwable cause);
  }

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final PartitionBlock block;
  private final @Nullable Watch watch;
  private final boolean overWatch; // the connection that watches runs the block
  private final boolean selects;
  private final @Nullable Timeline timeline;
  private final Listener listener;
  private final SharedBuffer requests;
  private final List<byte[]> scripts;
  private final List<byte[]> watching; // requests that watch the same keys
  private final PendingReply reply = new PendingReply();
  private @Nullable Lease lease;
  private @Nullable Endpoint askTarget; // of the next attempt
  private State state = State.WAITING;
  private byte[] error = ErrorReplies.UNAVAILABLE;
  private Outcome outcome = Outcome.UNAVAILABLE;
  private @Nullable QueueCall waiting; // for its next attempt
  private long attemptsUntil; // System.nanoTime()
  private boolean executing; // EXEC follows as soon as the commands are queued
  private boolean ended;

  /**
   * @param block this takes ownership of its buffer
   * @param watch of the same partition; null for none
   * @param overWatch whether the block uses the connection that watches; else it watches the same
   *     keys over another one
   * @param scripts that the node may lack
   * @param selects whether commands select a database
   */
  BlockRun(
      TransactionContext context,
      PartitionBlock block,
      @Nullable Watch watch,
      boolean overWatch,
      List<byte[]> scripts,
      boolean selects,
      @Nullable Timeline timeline,
      Listener listener) {
    ClientContext clientContext = context.clientContext();
    this.client = clientContext.client();
    this.nodes = clientContext.nodes();
    this.loop = clientContext.loop();
    this.retryableErrors = context.retryableErrors();
    this.block = block;
    this.watch = watch;
    this.overWatch = overWatch;
    this.selects = selects;
    this.timeline = timeline;
    this.listener = listener;
    this.scripts = scripts;
    this.watching = watch == null || overWatch ? List.of() : watch.requests();
    this.requests = new SharedBuffer(block.bytes());
  }

  PartitionBlock block() {
    return block;
  }

  boolean isWatched() {
    return watch != null;
  }

  State state() {
    return state;
  }

  /** The reply to a client whose transaction ends because of this block. */
  byte[] error() {
    return error;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Returns the reply to {@code EXEC}; borrowed until {@link #close}. */
  ByteBuf reply() {
    return reply.view();
  }

  /** Drops the reply. */
  void dropReply() {
    reply.clear();
  }

  /** Queues the commands at the node; again later, if the node cannot take them now. */
  void queue() {
    attemptsUntil = loop.tick() + nodes.retryWindowNanos();
    new QueueCall().send();
  }

  /** Ends waiting for the next attempt to queue the commands: nobody needs them any more. */
  void cancel() {
    QueueCall call = waiting;
    if (call != null && !executing && client.isClosed()) {
      call.send();
    }
  }

  /** Runs the commands, which are queued. A block that the node does not run is queued again. */
  void execute() {
    executing = true;
    attemptsUntil = loop.tick() + nodes.retryWindowNanos();
    new ExecCall().send();
  }

  /** Releases everything; discards the commands at the node if they are queued there. */
  void close() {
    if (ended) {
      return;
    }
    ended = true;
    requests.release();
    reply.clear();
    if (state == State.QUEUED) {
      discard();
    }
  }

  /** Releases everything after an internal error. */
  void abort() {
    state = State.FAILED;
    close();
    dropConnection();
  }

  private void discard() {
    Lease on = lease;
    lease = null;
    send(new DiscardCall(on), on);
  }

  private void send(Exchange exchange, @Nullable Lease on) {
    if (overWatch && watch != null) {
      watch.sendWithoutAsking(exchange); // ASKING before MULTI is enough
    } else if (on != null) {
      on.send(exchange, false);
    } else {
      exchange.onFailure(Failure.NOT_SENT);
    }
  }

  /** Gives the connection back, on which nothing is queued and no key is watched. */
  private void giveBack() {
    if (overWatch && watch != null) {
      if (selects) {
        watch.onMoved();
      }
      watch.release();
      return;
    }
    Lease on = lease;
    lease = null;
    if (on != null && selects) {
      on.discard(); // it may be on another database
    } else if (on != null) {
      on.release();
    }
  }

  private void dropConnection() {
    if (overWatch && watch != null) {
      watch.invalidate();
    }
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.discard();
    }
  }

  private void refuse(byte[] why, Outcome how) {
    error = why;
    outcome = how;
    end(State.FAILED);
  }

  private void end(State last) {
    if (ended) {
      return;
    }
    state = last;
    if (executing) {
      notifyListener(Listener::onExecuted);
    } else {
      notifyListener(Listener::onQueued);
    }
  }

  private void notifyListener(Consumer<Listener> event) {
    try {
      event.accept(listener);
    } catch (Throwable e) { // the connection must not fail because of this client
      listener.onInternalError(e);
    }
  }

  private void onQueued() {
    state = State.QUEUED;
    if (executing) {
      new ExecCall().send();
    } else {
      notifyListener(Listener::onQueued);
    }
  }

  /** Queues the commands. It finds the node, and is sent again until its deadline. */
  private final class QueueCall extends LeasedExchange {

    private final QueuedReplies queuedReplies = new QueuedReplies();
    private byte @Nullable [] notWatched; // the error
    private boolean done; // the client has left while it waited

    QueueCall() {
      super(BlockRun.this.client);
      timeline(timeline);
      bytes(requests.share(), 0, requests.buffer().readableBytes());
      interimReplies(queuedReplies, block.commands());
      long now = loop.tick();
      sendOptions(
          client.protocol(),
          client.affinity(),
          now + nodes.commandTimeoutNanos(),
          attemptsUntil - now > nodes.commandTimeoutNanos()
              ? attemptsUntil
              : now + nodes.commandTimeoutNanos());
      useConnections(client.connections());
    }

    void send() {
      if (done) {
        return; // it was sent before its time
      }
      waiting = null;
      if (nodes.heldRequests().leave(this)) {
        extendDeadline(loop.tick(), nodes.commandTimeoutNanos());
      }
      notWatched = null;
      if (ended) {
        releaseBytes();
      } else if (client.isClosed() && !executing) {
        done = true;
        finish(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
      } else if (watch == null) {
        sendToOwner();
      } else {
        sendWatched(watch);
      }
    }

    private void sendWatched(Watch watched) {
      Endpoint node = watched.node();
      if (overWatch) {
        scripts.forEach(script -> watched.sendWithoutAsking(load(script)));
        watched.send(this);
      } else if (node == null) {
        lose();
      } else {
        sendTo(node, watched.isAsking());
      }
    }

    private Exchange load(byte[] script) {
      return new EarlierCall(ScriptLoad.request(script), _ -> {}); // EXEC will tell
    }

    private void sendToOwner() {
      Endpoint importing = askTarget;
      askTarget = null;
      Shard owner = nodes.placement().shardOf(block.partition());
      if (importing != null) {
        sendTo(importing, true);
      } else if (owner != null) {
        sendTo(owner.master(), false);
      } else {
        nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
        retry(nodes.notServed(), Outcome.UNAVAILABLE, null, null);
      }
    }

    private void sendTo(Endpoint node, boolean asking) {
      Lease taken = nodes.lease(node, this);
      if (taken == null) {
        finish(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
        return;
      }
      lease = taken;
      scripts.forEach(script -> taken.send(load(script), false));
      for (byte[] request : watching) {
        taken.send(
            new EarlierCall(Unpooled.wrappedBuffer(request), line -> notWatched = line), asking);
      }
      taken.send(this, asking);
    }

    void retry(byte[] why, Outcome how, @Nullable Endpoint node, byte @Nullable [] rejection) {
      long now = loop.tick();
      boolean late = now - attemptsUntil >= 0;
      if (late || (client.isInputEnded() && !executing)) {
        finish(why, how);
      } else if (nodes.heldRequests().tryEnter(this, node, rejection)) {
        waiting = this;
        loop.executor().schedule(this::send, DELAY_NANOS, TimeUnit.NANOSECONDS);
      } else {
        finish(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      }
    }

    private void finish(byte[] why, Outcome how) {
      releaseBytes();
      refuse(why, how);
    }

    private void lose() {
      releaseBytes();
      end(State.LOST);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      queuedReplies.onReply(buffer, from, to);
      onAnswered();
    }

    /** The node has run a command although it should have queued it. */
    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      if (last) {
        onAnswered();
      }
    }

    private void onAnswered() {
      byte[] unqueued = queuedReplies.takeError();
      byte[] line = notWatched == null ? unqueued : notWatched;
      if (ended) {
        releaseBytes();
      } else if (line == null) {
        releaseBytes();
        onQueued();
      } else if (unqueued != null && queuedReplies.ranWithoutMulti()) {
        releaseBytes();
        dropConnection();
        error = TransactionBlock.notAtomicError(unqueued);
        outcome = Outcome.ERROR;
        end(State.UNKNOWN);
      } else {
        discard();
        onRejected(line);
      }
    }

    private void onRejected(byte[] line) {
      RetryableError found =
          retryableErrors.parse(this, Scope.KEYS, Unpooled.wrappedBuffer(line), 0, line.length);
      if (found == null) {
        finish(TransactionBlock.abortError(line), Outcome.ERROR);
        return;
      }
      retryableErrors.applyToTopology(found);
      if (watch != null) {
        lose();
        return;
      }
      retry(found, line, sentTo());
    }

    /** Sends it again later, because the node has answered with this error. */
    void retry(RetryableError found, byte[] line, @Nullable Endpoint node) {
      askTarget = found.isAsk() ? found.target() : null;
      if (found.isMoved() || found.isAsk()) {
        retry(ErrorReplies.SLOT_MIGRATING, Outcome.UNAVAILABLE, node, found.rejection(line));
      } else {
        retry(line, Outcome.ERROR, node, line);
      }
    }

    @Override
    public void onFailure(Failure failure) {
      dropConnection();
      queuedReplies.takeError();
      if (ended) {
        releaseBytes();
        return;
      }
      HandshakeError rejected = nodes.handshakeError(sentTo());
      byte[] unavailable = ErrorReplies.unavailable(rejected);
      if (failure == Failure.TIMEOUT) {
        finish(NOT_QUEUED, Outcome.TIMEOUT);
      } else if (watch != null) {
        lose();
      } else if (rejected != null && rejected.permanent()) {
        finish(unavailable, Outcome.UNAVAILABLE);
      } else {
        retry(unavailable, Outcome.UNAVAILABLE, sentTo(), null);
      }
    }
  }

  /** One short request over the connection. */
  private abstract class ShortCall extends LeasedExchange {

    ShortCall(ByteBuf request) {
      super(BlockRun.this.client);
      bytes(new SharedBuffer(request), 0, request.readableBytes());
      long deadline = loop.tick() + nodes.commandTimeoutNanos();
      sendOptions(client.protocol(), client.affinity(), deadline);
      useConnections(client.connections());
    }
  }

  /** A request before {@code MULTI}. If there is no reply, there is none to what follows. */
  private final class EarlierCall extends ShortCall {

    private final Consumer<byte[]> onError;

    EarlierCall(ByteBuf request, Consumer<byte[]> onError) {
      super(request);
      this.onError = onError;
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      if (buffer.getByte(from) == '-') {
        onError.accept(ByteBufUtil.getBytes(buffer, from, to - from));
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("a request before MULTI was answered with a large reply");
    }

    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
    }
  }

  private final class ExecCall extends ShortCall {

    ExecCall() {
      super(Unpooled.wrappedBuffer(EXEC));
      timeline(timeline);
    }

    void send() {
      BlockRun.this.send(this, lease);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      if (buffer.getByte(from) == '-') {
        giveBack();
        onError(buffer, from, to);
      } else if (ReplyStrings.isNil(buffer, from)) {
        giveBack();
        end(State.LOST);
      } else {
        keep(buffer, from, to);
        giveBack();
        end(State.RAN);
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      keep(buffer, from, to);
      if (last) {
        releaseBytes();
        giveBack();
        end(State.RAN);
      }
    }

    private void keep(ByteBuf buffer, int from, int to) {
      if (ended) {
        return;
      }
      try {
        if (listener.addPending(to - from)) {
          reply.append(buffer, from, to);
        }
      } catch (Throwable e) { // for example if memory cannot be allocated
        listener.onInternalError(e);
      }
    }

    private void onError(ByteBuf buffer, int from, int to) {
      byte[] reason = Replies.discardReason(buffer, from, to);
      byte[] line = ByteBufUtil.getBytes(buffer, from, to - from);
      byte[] judged = reason == null ? line : reason;
      RetryableError found =
          retryableErrors.parse(this, Scope.KEYS, Unpooled.wrappedBuffer(judged), 0, judged.length);
      if (found == null) {
        refuse(line, Outcome.ERROR);
      } else {
        retryableErrors.applyToTopology(found);
        queueAgain(call -> call.retry(found, judged, sentTo()));
      }
    }

    private void queueAgain(Consumer<QueueCall> later) {
      if (watch != null || ended) {
        end(State.LOST);
      } else {
        state = State.WAITING;
        later.accept(new QueueCall());
      }
    }

    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      reply.clear();
      dropConnection();
      if (failure == Failure.TIMEOUT || failure == Failure.CONNECTION_LOST) {
        boolean late = failure == Failure.TIMEOUT;
        error = late ? ErrorReplies.TIMEOUT_WRITE : ErrorReplies.CONNLOST_WRITE;
        outcome = late ? Outcome.TIMEOUT : Outcome.CONNLOST;
        end(State.UNKNOWN);
      } else {
        queueAgain( // it was not sent
            call -> call.retry(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE, sentTo(), null));
      }
    }
  }

  /** A {@code DISCARD}, after which nothing is watched either. */
  private final class DiscardCall extends ShortCall {

    private final @Nullable Lease on;

    DiscardCall(@Nullable Lease on) {
      super(Unpooled.wrappedBuffer(DISCARD));
      this.on = on;
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      if (buffer.getByte(from) != '+') {
        onFailure(Failure.NOT_SENT);
      } else if (on != null) {
        on.release();
      } else if (watch != null) {
        watch.release();
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("DISCARD was answered with a large reply");
    }

    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      if (on != null) {
        on.discard();
      } else if (watch != null) {
        watch.invalidate();
      }
    }
  }
}
