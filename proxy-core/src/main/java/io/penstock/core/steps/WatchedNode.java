package io.penstock.core.steps;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the node of one partition, leased for one command: what the command watches there
 * stays watched until it ends. Confined to the client's loop.
 */
public final class WatchedNode {

  private static final ByteBuf MULTI =
      Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(WireRequest.of("MULTI"))).asReadOnly();

  /** What the replies of a call exceed the limit with. */
  private static final byte[] TOO_LARGE =
      ErrorReplies.encode("OVERLOADED the replies of nodes are too large to be kept");

  /** What becomes of a call. */
  public interface Listener {

    /**
     * All replies are here, in the order of the requests; none is an error that a later attempt may
     * not get.
     *
     * @param replies each borrowed until this returns
     */
    void onReplies(List<ByteBuf> replies);

    /**
     * The node did not run all of the requests, or it is unknown whether it did. The connection is
     * closed, and nothing is watched any more; but for a {@link #probe} that the node refused.
     *
     * @param failure what is known
     */
    void onFailed(CallFailure failure);
  }

  /** Counts the bytes of replies that are kept. */
  public interface KeptReplies {

    void add(int bytes);

    /** Returns whether they are too many: no more are kept. */
    boolean isTooLarge();
  }

  /** What is known of the requests of a call that failed. */
  public enum Extent {
    /** None of them ran, and a later attempt may succeed. */
    NOT_RUN,
    /** Some or all of them may have run. */
    UNKNOWN,
    /** None of them ran, and a later attempt would fail as well. */
    REFUSED
  }

  /**
   * Why a call failed.
   *
   * @param error the reply for a client whose command ends because of it
   */
  public record CallFailure(Extent extent, byte[] error, Outcome outcome) {}

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final int partition;
  private final ConnectionKey connections;
  private final KeptReplies gathered;
  private @Nullable Lease lease;
  private @Nullable Endpoint askTarget; // of the next attempt
  private boolean asking;
  private boolean watching;

  /**
   * Creates one without a connection.
   *
   * @param connections which of the node's are used
   * @param gathered counts the replies, whose call fails beyond its limit
   */
  public WatchedNode(
      ClientContext context,
      RetryableErrors retryableErrors,
      int partition,
      ConnectionKey connections,
      KeptReplies gathered) {
    this.connections = connections;
    this.gathered = gathered;
    this.client = context.client();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.retryableErrors = retryableErrors;
    this.partition = partition;
  }

  /** One call of several requests. */
  private final class Call {

    private final List<LeasedCall> calls = new ArrayList<>();
    private final Listener listener;
    private final boolean block;
    private final boolean probes;
    private int outstanding;
    private @Nullable Lease sentOn;

    Call(List<ByteBuf> requests, boolean probes, Listener listener) {
      this.listener = listener;
      this.probes = probes;
      this.block = ByteBufUtil.equals(requests.getFirst(), MULTI);
      long now = loop.tick();
      for (ByteBuf request : requests) {
        calls.add(
            new LeasedCall(client, nodes, connections, request, gathered, now, _ -> onDone()));
      }
      outstanding = calls.size();
    }

    /** A node applies {@code ASKING} to all of a block, and would queue another one in it. */
    void sendOn(Lease on) {
      sentOn = on;
      boolean ask = asking;
      for (LeasedCall call : calls) {
        on.send(call, ask);
        ask &= !block;
      }
    }

    /** Fails before anything was sent. */
    void refuse(CallFailure failure) {
      calls.forEach(LeasedCall::drop);
      listener.onFailed(failure);
    }

    LeasedCall first() {
      return calls.getFirst();
    }

    private void onDone() {
      if (--outstanding > 0) {
        return;
      }
      try {
        finish();
      } finally {
        calls.forEach(LeasedCall::release);
      }
    }

    private void finish() {
      CallFailure failed = failure();
      if (failed != null) {
        boolean answered = calls.stream().allMatch(call -> call.failure() == null);
        if (lease == sentOn && !(probes && answered)) { // else another call has closed it
          discard();
        }
        listener.onFailed(failed);
        return;
      }
      listener.onReplies(calls.stream().map(LeasedCall::reply).toList());
    }

    private @Nullable CallFailure failure() {
      for (LeasedCall call : calls) {
        Failure failure = call.failure();
        if (failure != null) {
          return of(failure);
        }
        if (call.isTooLarge()) {
          return new CallFailure(Extent.REFUSED, TOO_LARGE, Outcome.OVERLOADED);
        }
        ByteBuf reply = call.reply();
        byte[] reason = Replies.discardReason(reply, reply.readerIndex(), reply.writerIndex());
        reply = reason == null ? reply : Unpooled.wrappedBuffer(reason);
        RetryableError error =
            retryableErrors.parse(
                call, Scope.KEYS, reply, reply.readerIndex(), reply.writerIndex());
        if (error != null) {
          retryableErrors.applyToTopology(error);
          askTarget = error.isAsk() ? error.target() : null;
          return new CallFailure(Extent.NOT_RUN, ErrorReplies.SLOT_MIGRATING, Outcome.UNAVAILABLE);
        }
      }
      return null;
    }

    private CallFailure of(Failure failure) {
      return switch (failure) {
        case NOT_SENT, NO_OWNER, NO_REPLICA ->
            new CallFailure(Extent.NOT_RUN, ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
        case OVERLOADED ->
            new CallFailure(Extent.REFUSED, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
        case TIMEOUT ->
            new CallFailure(Extent.UNKNOWN, ErrorReplies.TIMEOUT_WRITE, Outcome.TIMEOUT);
        case CONNECTION_LOST ->
            new CallFailure(Extent.UNKNOWN, ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
      };
    }
  }

  /**
   * Sends requests one behind the other.
   *
   * @param requests each encoded; from {@code MULTI} at the beginning to {@code EXEC} at the end,
   *     they run together. Owned by this from now on
   * @param watches whether keys stay watched behind it
   */
  public void send(List<ByteBuf> requests, boolean watches, Listener listener) {
    watching = watches;
    var call = new Call(requests, false, listener);
    Lease on = lease;
    if (on == null) {
      Endpoint node = node();
      if (node == null) {
        nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
        call.refuse(new CallFailure(Extent.NOT_RUN, nodes.notServed(), Outcome.UNAVAILABLE));
        return;
      }
      on = nodes.lease(node, call.first());
      if (on == null) {
        call.refuse(new CallFailure(Extent.REFUSED, ErrorReplies.NO_LEASE, Outcome.OVERLOADED));
        return;
      }
      lease = on;
    }
    call.sendOn(on);
  }

  /**
   * Sends a request that changes nothing. What is watched stays so, also if the node refuses the
   * request for now. There must be a connection.
   */
  public void probe(ByteBuf request, Listener listener) {
    new Call(List.of(request), true, listener).sendOn(Objects.requireNonNull(lease));
  }

  private @Nullable Endpoint node() {
    Endpoint importing = askTarget;
    askTarget = null;
    asking = importing != null;
    if (importing != null) {
      return importing;
    }
    Shard owner = nodes.placement().shardOf(partition);
    return owner == null ? null : owner.master();
  }

  /** Returns whether there is a connection, from the first call on until it is lost. */
  public boolean isLeased() {
    return lease != null;
  }

  /** Returns whether keys are watched: since a call that watches, the connection was not lost. */
  public boolean isWatching() {
    return lease != null && watching;
  }

  /** Returns the connection; nothing is watched any more. */
  public void release() {
    Lease on = lease;
    if (on == null) {
      return;
    }
    if (!watching) {
      lease = null;
      on.release();
      return;
    }
    send(
        List.of(Unpooled.wrappedBuffer(WireRequest.of("UNWATCH"))),
        false,
        new Listener() {
          @Override
          public void onReplies(List<ByteBuf> replies) {
            release();
          }

          @Override
          public void onFailed(CallFailure failure) {
            // The connection is closed.
          }
        });
  }

  /** Closes the connection, if there is one; calls in flight fail. */
  public void discard() {
    Lease on = lease;
    lease = null;
    watching = false;
    if (on != null) {
      on.discard();
    }
  }
}
