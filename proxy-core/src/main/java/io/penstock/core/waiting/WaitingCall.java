package io.penstock.core.waiting;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.blocking.BlockingOperation;
import io.penstock.core.blocking.BlockingTimeout;
import io.penstock.core.client.Client;
import io.penstock.core.directory.BlockingKeyCount;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A call with keys in several partitions, from its start to its reply. It tries to get something;
 * if there is nothing and it may block, it waits in the queues of its keys, in which it keeps its
 * place while it tries again. The client's next requests wait for its end. Confined to the client's
 * event loop.
 */
public abstract class WaitingCall implements BlockingOperation {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");

  private final WaitingContext context;
  private final Client client;
  private final Loop loop;
  private final ReplySlot whole;
  private final CommandSpec spec;
  private final RequestFrame request;
  private final @Nullable BlockingTimeout timeout; // null if it does not block
  private @Nullable Future<?> timer;
  private boolean busy = true; // it tries to get something
  private boolean joined;
  private boolean ended;
  private boolean disconnected;
  private byte @Nullable [] denied; // the error, if the client may not call it any more
  private @Nullable IntConsumer unblocking; // told whether the call was unblocked
  private boolean unblockedWithError;

  /**
   * @param whole where the client's reply goes
   * @param request on the heap
   * @param timeout null if the call does not block
   */
  protected WaitingCall(
      WaitingContext context,
      ReplySlot whole,
      CommandSpec spec,
      RequestFrame request,
      @Nullable BlockingTimeout timeout) {
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.loop = context.forward().clientContext().loop();
    this.whole = whole;
    this.spec = spec;
    this.request = request;
    this.timeout = timeout;
  }

  /** Returns what the call waits for, in the order of its keys; the same until it ends. */
  protected abstract List<WaitedKey> keys();

  /** Returns the id that new entries of a group's stream will exceed. */
  protected String position(WaitedKey key) {
    return "0-0";
  }

  /** Tries again: the key seems to be there. Ends with {@link #await} or an answer. */
  protected abstract void onWoken(WaitedKey key);

  /** Makes it the call that the client waits in. */
  protected final void begin() {
    context.current().setCurrent(this);
  }

  protected final ReplySlot whole() {
    return whole;
  }

  protected final CommandSpec spec() {
    return spec;
  }

  protected final RequestFrame request() {
    return request;
  }

  final Client client() {
    return client;
  }

  /** Returns whether another call has waited for the key for longer. */
  protected final boolean isBehindOthers(WaitedKey key) {
    return context.waits().isBehindOthers(this, key);
  }

  /** Returns whether it may wait. */
  protected final boolean mayBlock() {
    return timeout != null;
  }

  /** Returns whether it has waited. */
  protected final boolean hasWaited() {
    return joined;
  }

  protected final boolean hasEnded() {
    return ended;
  }

  /** Returns whether nobody gets what the call takes. */
  protected final boolean isDisconnected() {
    return disconnected || !client.isConnected();
  }

  /** Returns whether the call is being tried, and must not be woken. */
  final boolean isBusy() {
    return busy;
  }

  final void wake(WaitedKey key) {
    if (busy) {
      return;
    }
    busy = true;
    try {
      onWoken(key);
    } catch (Throwable e) { // the caller must not fail because of this client
      client.fail(e);
    }
  }

  /** There is nothing: waits, if the call may block and nothing has ended it meanwhile. */
  protected final void await() {
    BlockingTimeout limit = timeout;
    if (limit == null) {
      answer(client.nullArray(), Outcome.OK);
    } else if (denied != null) {
      answer(denied, Outcome.REJECTED);
    } else if (unblocking != null) {
      answer(unblockedWithError ? UNBLOCKED : client.nullArray(), Outcome.OK);
    } else if (isUnwanted()) {
      end();
    } else if (limit.isExpired(loop.tick())) {
      answer(client.nullArray(), Outcome.OK);
    } else if (joined) {
      busy = false;
      context.waits().resume(this);
    } else {
      join(limit);
    }
  }

  private void join(BlockingTimeout limit) {
    busy = false;
    joined = true;
    if (!limit.isForever()) {
      setTimer(limit);
    }
    context.waits().join(this);
  }

  private void setTimer(BlockingTimeout limit) {
    long nanos = Math.max(0, limit.end() - loop.tick());
    timer = loop.executor().schedule(() -> onTimer(limit), nanos, TimeUnit.NANOSECONDS);
  }

  private void onTimer(BlockingTimeout limit) {
    if (ended || busy) {
      return; // seen when it has tried
    }
    if (limit.isExpired(loop.tick())) {
      answer(client.nullArray(), Outcome.OK);
    } else {
      setTimer(limit);
    }
  }

  /** The node of a key cannot be asked for long. */
  final void onUnreachable(byte[] error) {
    if (!busy) {
      answer(error, Outcome.UNAVAILABLE);
    }
  }

  /** Ends the call with a reply of Penstock; it took nothing. */
  public final void answer(byte[] reply, Outcome outcome) {
    leave(false);
    whole.answer(reply, outcome);
  }

  /**
   * Ends the call with a node's reply.
   *
   * @param buffer borrowed
   */
  public final void answer(ByteBuf buffer, int from, int to) {
    boolean error = buffer.getByte(from) == '-';
    leave(!error);
    whole.deliver(buffer, from, to, error ? Outcome.ERROR : Outcome.OK);
  }

  /** Ends the call without a result. */
  protected final void end() {
    leave(false);
    if (client.isInputEnded()) {
      client.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    } else {
      whole.answer(ErrorReplies.CLOSING, Outcome.UNAVAILABLE);
    }
  }

  /**
   * Ends everything but the reply.
   *
   * @param took whether the call took something
   */
  protected final void leave(boolean took) {
    if (ended) {
      return;
    }
    ended = true;
    busy = true;
    Future<?> pending = timer;
    if (pending != null) {
      pending.cancel(false);
    }
    context.current().end(whole);
    if (joined) {
      context.waits().leave(this, took);
    }
    IntConsumer told = unblocking;
    if (told != null) {
      unblocking = null;
      told.accept(took ? 0 : 1);
    }
  }

  private boolean isUnwanted() {
    return disconnected || client.isInputEnded() || client.isDraining();
  }

  @Override
  public final boolean isBlocked() {
    return joined && !ended;
  }

  @Override
  public final void countKeys(BlockingKeyCount count) {
    count.add(spec, request);
  }

  @Override
  public final void unblock(boolean error, IntConsumer done) {
    if (!isBlocked() || unblocking != null) {
      done.accept(0);
      return;
    }
    unblocking = done;
    unblockedWithError = error;
    if (!busy) {
      await();
    }
  }

  @Override
  public final void deny(byte[] error) {
    denied = error;
    if (!busy) {
      answer(error, Outcome.REJECTED);
    }
  }

  @Override
  public final void onInputEnded() {
    disconnected = true;
    if (!busy) {
      end();
    } else if (client.isClosed() && joined) { // others need not wait for what is under way
      joined = false;
      context.waits().leave(this, false);
    }
  }

  @Override
  public final void drain() {
    if (!busy) {
      end();
    }
  }
}
