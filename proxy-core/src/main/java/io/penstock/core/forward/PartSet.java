package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Nodes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * One step of a request: parts that are sent to their nodes, and their replies, which are kept
 * until the step is released. A request of several steps makes one set after the other. Confined to
 * the client's event loop.
 */
public final class PartSet implements Part.Whole {

  /** The request that the step belongs to. */
  public interface Listener {

    /** All replies are here. They can be read until {@link PartSet#release}. */
    void onReplies();

    /** Handles an internal error: the client is closed, and the replies are released. */
    void onInternalError();

    /** Returns whether replies that are not errors are read; if not, they need not be kept. */
    default boolean needsSuccessReplies() {
      return true;
    }
  }

  private final ReplySlot whole;
  private final ExchangeOwner owner;
  private final Allowance account;
  private final Nodes nodes;
  private final GatheredBytes gathered;
  private final Listener listener;
  private final Part[] parts;
  private int sent;
  private int outstanding;
  private int partBytes; // of small parts, counted for the client

  /**
   * @param whole where the reply to the request goes
   * @param count how many parts will be sent, at least one
   */
  PartSet(ForwardContext context, ReplySlot whole, int count, Listener listener) {
    this(context, whole, count, context.forwardLoop().limit(), listener);
  }

  /**
   * @param limit on the bytes of the replies
   */
  public PartSet(
      ForwardContext context, ReplySlot whole, int count, GatherLimit limit, Listener listener) {
    this.whole = whole;
    this.owner = context.owner();
    this.account = context.clientContext().account();
    this.nodes = context.clientContext().nodes();
    this.gathered = new GatheredBytes(context.clientContext(), limit);
    this.listener = listener;
    this.parts = new Part[count];
    this.outstanding = count;
  }

  /** Sends the next part. Returns its node if that cannot keep up, else null. */
  public @Nullable Endpoint send(Part part) {
    parts[sent++] = part;
    boolean keepsUp = nodes.dispatch(part);
    if (part.isFollowed()) {
      part.afterDispatch(nodes::dispatch);
    }
    return keepsUp ? null : part.sentTo();
  }

  /**
   * Counts bytes of small parts for the client until the end. Those of a large part are counted
   * when it is made ({@link io.penstock.core.retry.ClientExchange#setRequestBytes}).
   */
  public void countPartBytes(int bytes) {
    partBytes += bytes;
    account.addKept(bytes);
  }

  /** Returns whether the replies have more bytes than one request may gather: none is kept then. */
  public boolean isTooLarge() {
    return gathered.isTooLarge();
  }

  /** Returns how many bytes of replies are kept. */
  long size() {
    return gathered.size();
  }

  /** Returns the replies in the order in which the parts were sent; each borrowed until release. */
  public ByteBuf[] replies() {
    ByteBuf[] replies = new ByteBuf[parts.length];
    for (int i = 0; i < parts.length; i++) {
      replies[i] = parts[i].reply();
    }
    return replies;
  }

  /** Returns the outcome of the first part that did not succeed; {@link Outcome#OK} if all did. */
  public Outcome outcome() {
    for (Part part : parts) {
      if (part.outcome() != Outcome.OK) {
        return part.outcome();
      }
    }
    return Outcome.OK;
  }

  /** Releases the replies, and what was counted for the client. */
  public void release() {
    if (partBytes > 0) {
      account.addKept(-partBytes);
      partBytes = 0;
    }
    for (int i = 0; i < sent; i++) {
      parts[i].discard();
    }
    gathered.release();
  }

  @Override
  public ExchangeOwner owner() {
    return owner;
  }

  @Override
  public @Nullable Timeline timeline() {
    return whole.timeline();
  }

  /** Limits the bytes of all parts together: no reply can be delivered before all are here. */
  @Override
  public boolean addPending(int bytes) {
    if (gathered.overflowsOnAdd(bytes)) {
      release();
    }
    return !gathered.isTooLarge();
  }

  @Override
  public boolean needsSuccessReplies() {
    return listener.needsSuccessReplies();
  }

  @Override
  public void onPartDone() {
    if (--outstanding == 0) {
      listener.onReplies();
    }
  }

  @Override
  public void onInternalError() {
    gathered.markTooLarge();
    release();
    listener.onInternalError();
  }
}
