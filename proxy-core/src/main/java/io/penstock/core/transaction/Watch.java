package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.WireRequest;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one partition that a client watches, and the connection that it has for itself
 * meanwhile. Lost, with its connection or because the partition is served elsewhere, it counts as a
 * key that changed. Confined to its loop.
 */
public final class Watch {

  private static final byte[] UNWATCH = WireRequest.of("UNWATCH");

  private final ClientContext context;
  private final Nodes nodes;
  private final RetryableErrors retryableErrors;
  private final Runnable onFirstWatchFailed;
  private final int partition;
  private @Nullable Lease lease;
  private boolean asking; // the connection is to where the partition is being moved
  private @Nullable WatchCall waiting; // for another attempt
  private int keys;
  private boolean invalidated;
  private boolean closed;

  /**
   * @param nothingWatched runs when the first {@code WATCH} has failed
   */
  public Watch(
      ClientContext context, RetryableErrors refusals, int partition, Runnable nothingWatched) {
    this.context = context;
    this.nodes = context.nodes();
    this.retryableErrors = refusals;
    this.onFirstWatchFailed = nothingWatched;
    this.partition = partition;
  }

  int partition() {
    return partition;
  }

  /** How many keys were given; one that was given twice counts twice. */
  int keys() {
    return keys;
  }

  /** Whether a transaction must not run any more. */
  boolean isInvalidated() {
    Lease on = lease;
    return invalidated || on == null || !on.isOpen() || !(asking || isOwner(on));
  }

  private boolean isOwner(Lease on) {
    Shard owner = nodes.placement().shardOf(partition);
    return owner != null && owner.master().equals(on.node());
  }

  /** Whether keys were never watched yet. */
  boolean isNew() {
    return lease == null && !invalidated;
  }

  /** Watches more keys: those of the request, whose place among the replies this is. */
  void add(ReplySlot place, IncomingRequest request) {
    keys += request.frame().argc() - 1;
    new WatchCall(context, this, place, request).send();
  }

  /** Has this connection from now on. */
  public void setLease(Lease taken, boolean onTheMove) {
    lease = taken;
    asking = onTheMove;
    if (closed) {
      close(); // the client went away meanwhile
    }
  }

  /** What a node's error says; see {@link RetryableErrors}. */
  RetryableErrors retryableErrors() {
    return retryableErrors;
  }

  /** The first call has failed: nothing is watched. */
  void onFirstWatchFailed() {
    onFirstWatchFailed.run();
  }

  /** This one will try again, or null: none does. */
  void waiting(@Nullable WatchCall call) {
    waiting = call;
  }

  /** Sends by the connection; once something was watched. */
  void send(Exchange exchange) {
    Lease on = lease;
    if (on == null) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      on.send(exchange, asking);
    }
  }

  /** Sends what {@link #send} needs there first, and that names no key. */
  void sendWithoutAsking(Exchange exchange) {
    Lease on = lease;
    if (on == null) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      on.send(exchange, false);
    }
  }

  /** What was watched is not any more: a transaction must not run. */
  void invalidate() {
    invalidated = true;
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.discard();
    }
  }

  /** Gives the connection back after {@code EXEC}, with which a node stops watching. */
  void release() {
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.release();
    }
  }

  /** Stops watching and gives the connection back. */
  void close() {
    closed = true;
    WatchCall call = waiting;
    waiting = null;
    if (call != null) {
      call.cancel();
    }
    Lease on = lease;
    lease = null;
    if (on != null && on.isOpen()) {
      on.send(new End(context, on), false);
    }
  }

  /** {@code UNWATCH}: when it is answered the connection is as it was. */
  private static final class End extends Exchange {

    private final Lease lease;

    End(ClientContext context, Lease lease) {
      this.lease = lease;
      bytes(new SharedBuffer(Unpooled.wrappedBuffer(UNWATCH)), 0, UNWATCH.length);
      long deadline = context.loop().tick() + context.nodes().commandTimeoutNanos();
      Client client = context.client();
      targetEndpoint();
      sendOptions(client.protocol(), client.affinity(), deadline);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      if (buffer.getByte(from) == '+') {
        lease.release();
      } else {
        lease.discard();
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("UNWATCH was answered with a large reply");
    }

    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      lease.discard();
    }
  }
}
