package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.spec.Merge;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends the parts of a request in one step, and merges their replies when the last one has come.
 */
public final class Gather implements PartSet.Listener, Sliced {

  /** Replies with at least this many bytes in all are merged in slices. */
  private static final int SLICE_FROM = 128 * 1024;

  private final ReplySlot whole;
  private final Client client;
  private final Loop loop;
  private final Hub hub;
  private final Merge merge;
  private final int[] detail;
  private final PartSet parts;
  private @Nullable ReplyMerger merger; // once all replies are here
  private @Nullable PubsubCountRewriter countRewriter; // if the reply counts clients

  /**
   * @param detail see {@link ReplyMerger#begin}
   * @param count how many parts will be sent, at least one
   */
  public Gather(ForwardContext context, ReplySlot whole, Merge merge, int[] detail, int count) {
    this.whole = whole;
    this.client = context.clientContext().client();
    this.loop = context.clientContext().loop();
    this.hub = context.forwardLoop().hub();
    this.merge = merge;
    this.detail = detail;
    this.parts = new PartSet(context, whole, count, this);
  }

  /** The parts, and their replies. */
  public PartSet parts() {
    return parts;
  }

  /**
   * Sends the parts, all of them.
   *
   * @return a node that cannot keep up, or null
   */
  public @Nullable Endpoint send(Part[] prepared) {
    Endpoint busy = null;
    for (Part part : prepared) {
      Endpoint node = parts.send(part);
      busy = node == null ? busy : node;
    }
    return busy;
  }

  @Override
  public void onInternalError() {
    // The client gets no reply.
  }

  @Override
  public boolean needsSuccessReplies() {
    return merge != Merge.ALL_OK;
  }

  @Override
  public void onReplies() {
    try {
      if (begin()) {
        return; // the rest runs in slices
      }
      parts.release();
    } catch (Throwable e) { // the caller must not fail because of this client
      onFailure(e);
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
    PubsubCountRewriter rewriter = countRewriter;
    if (rewriter != null) {
      rewriter.release();
    }
    parts.release();
  }

  /** Begins to merge. Returns true if merging continues in slices. */
  private boolean begin() {
    if (parts.isTooLarge()) {
      whole.answer(ErrorReplies.MERGED_REPLY_TOO_LARGE, Outcome.ERROR);
      return false;
    }
    PubsubCountRewriter rewriter =
        merge.countsClients() ? new PubsubCountRewriter(whole, merge, client, hub) : null;
    ReplyMerger.Sink sink = rewriter == null ? this::pass : rewriter::add;
    ReplyMerger merging = new ReplyMerger(sink);
    countRewriter = rewriter;
    merger = merging;
    merging.begin(merge, parts.replies(), detail);
    if (parts.size() >= SLICE_FROM) {
      loop.slices().start(this);
      return true;
    }
    while (step()) {
      // Short replies need few steps.
    }
    return false;
  }

  private void pass(ByteBuf buffer, int from, int to) {
    whole.deliverPart(buffer, from, to, false);
  }

  /** Merges as much of the replies as fits in a slice. */
  @Override
  public boolean step() {
    ReplyMerger merging = Objects.requireNonNull(merger);
    boolean closed = client.isClosed();
    if (!closed && merging.step(Slices.STEPS_PER_SLICE)) {
      return true;
    }
    Outcome how = Outcome.OK;
    if (!merging.isSuccess()) {
      how = parts.outcome() == Outcome.OK ? Outcome.ERROR : parts.outcome();
    }
    PubsubCountRewriter rewriter = countRewriter;
    if (rewriter != null && !rewriter.deliver(how, Slices.STEPS_PER_SLICE)) {
      return true;
    }
    if (rewriter == null) {
      whole.complete(how);
    }
    parts.release();
    return false;
  }
}
