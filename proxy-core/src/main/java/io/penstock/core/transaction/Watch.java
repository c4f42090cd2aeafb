package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.Lease;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one partition that a client watches, and the connection leased for that. If the
 * connection is lost or another node takes over the partition, the watch is invalid, which counts
 * as a changed key. Confined to its loop.
 */
public final class Watch {

  private static final byte[] UNWATCH = WireRequest.of("UNWATCH");

  private final ClientContext context;
  private final Nodes nodes;
  private final RetryableErrors retryableErrors;
  private final Consumer<Watch> onFirstWatchFailed;
  private final int partition;
  private @Nullable Lease lease;
  private boolean asking; // the connection is to the node that the partition is being moved to
  private @Nullable WatchCall waiting; // for its next attempt
  private final List<byte[]> repeatable = new ArrayList<>(0);
  private int keys;
  private boolean invalidated;
  private boolean moved; // the connection is on another database than when it was leased
  private boolean closed;

  /**
   * @param onFirstWatchFailed runs when the first {@code WATCH} has failed
   */
  public Watch(
      ClientContext context,
      RetryableErrors retryableErrors,
      int partition,
      Consumer<Watch> onFirstWatchFailed) {
    this.context = context;
    this.nodes = context.nodes();
    this.retryableErrors = retryableErrors;
    this.onFirstWatchFailed = onFirstWatchFailed;
    this.partition = partition;
  }

  int partition() {
    return partition;
  }

  /** The number of keys given; a key that was given twice counts twice. */
  int keys() {
    return keys;
  }

  /** Returns whether a transaction must not run any more. */
  boolean isInvalidated() {
    Lease on = lease;
    return invalidated || on == null || !on.isOpen() || !(asking || isOwner(on));
  }

  private boolean isOwner(Lease on) {
    Shard owner = nodes.placement().shardOf(partition);
    return owner != null && owner.master().equals(on.node());
  }

  /** Returns whether no keys were watched yet. */
  boolean isNew() {
    return lease == null && !invalidated;
  }

  /** Watches the keys of the request, too; its reply goes to {@code slot}. */
  void add(ReplySlot slot, IncomingRequest request) {
    keys += request.frame().argc() - 1;
    WatchCall.of(context, this, slot, request).send();
  }

  /**
   * Watches more keys.
   *
   * @param request of {@code count} keys
   * @param slot of the client's request
   * @param whenDone takes the reply
   */
  void add(byte[] request, int count, ReplySlot slot, WatchCall.Target whenDone) {
    keys += count;
    new WatchCall(context, this, request, slot, whenDone).send();
  }

  /** Keeps a request, so that its keys can be watched over another connection as well. */
  void keep(byte[] request) {
    repeatable.add(request);
  }

  /** The requests that were kept. */
  List<byte[]> requests() {
    return repeatable;
  }

  /** Bytes of the requests that were kept. */
  long sizeOnHeap() {
    long bytes = 0;
    for (byte[] request : repeatable) {
      bytes += request.length + 32L;
    }
    return bytes;
  }

  /** Returns whether the connection is on another database than when keys were watched. */
  boolean hasMoved() {
    return moved;
  }

  /** The node that watches; null for none. */
  @Nullable Endpoint node() {
    Lease on = lease;
    return on == null ? null : on.node();
  }

  /** Returns whether the partition is being moved to that node. */
  boolean isAsking() {
    return asking;
  }

  /**
   * Sets the connection.
   *
   * @param importing whether it is to the node that the partition is being moved to
   */
  public void setLease(Lease taken, boolean importing) {
    lease = taken;
    asking = importing;
    if (closed) {
      close(); // the client stopped watching meanwhile
    }
  }

  /** Parses errors of nodes. */
  RetryableErrors retryableErrors() {
    return retryableErrors;
  }

  /** Handles the failure of the first call: nothing is watched. */
  void onFirstWatchFailed() {
    onFirstWatchFailed.accept(this);
  }

  /** Sets the call that waits for its next attempt; null for none. */
  void setWaiting(@Nullable WatchCall call) {
    waiting = call;
  }

  /** Sends over the connection. Called only after keys were watched. */
  void send(Exchange exchange) {
    Lease on = lease;
    if (on == null) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      on.send(exchange, asking);
    }
  }

  /** Sends over the connection a prerequisite of {@link #send} that names no key. */
  void sendWithoutAsking(Exchange exchange) {
    Lease on = lease;
    if (on == null) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      on.send(exchange, false);
    }
  }

  /** Invalidates the watch: a transaction must not run. */
  void invalidate() {
    invalidated = true;
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.discard();
    }
  }

  /** Notes that the connection is on another database: it is not given to other clients. */
  void onMoved() {
    moved = true;
  }

  private void giveBack(Lease on) {
    if (moved) {
      on.discard();
    } else {
      on.release();
    }
  }

  /** Releases the connection after {@code EXEC}, which ends the watching at the node. */
  void release() {
    Lease on = lease;
    lease = null;
    if (on != null) {
      giveBack(on);
    }
  }

  /** Stops watching and releases the connection. */
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
      on.send(new Unwatch(context, on), false);
    }
  }

  /** An {@code UNWATCH}; after its reply the connection can be released. */
  private final class Unwatch extends Exchange {

    private final Lease lease;

    Unwatch(ClientContext context, Lease lease) {
      this.lease = lease;
      bytes(new SharedBuffer(Unpooled.wrappedBuffer(UNWATCH)), 0, UNWATCH.length);
      long deadline = context.loop().tick() + context.nodes().commandTimeoutNanos();
      Client client = context.client();
      sendOptions(client.protocol(), client.affinity(), deadline);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      if (buffer.getByte(from) == '+') {
        giveBack(lease);
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
