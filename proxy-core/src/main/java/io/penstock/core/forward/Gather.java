package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.spec.Merge;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sends the parts of a request at once, and merges their replies when the last one has come. */
public final class Gather implements Part.Whole, Sliced {

  /** Replies with at least this many bytes in all are merged in slices. */
  private static final int SLICE_FROM = 128 * 1024;

  private final ReplySlot whole;
  private final ExchangeOwner owner;
  private final Client client;
  private final Allowance account;
  private final Nodes nodes;
  private final Loop loop;
  private final ForwardLoop forwardLoop;
  private final Merge merge;
  private final int[] detail;
  private Part[] parts = {};
  private int sent;
  private int outstanding;
  private int partBytes; // of small parts, counted for the client
  private @Nullable ReplyMerger merger; // once all replies are here
  private @Nullable PubsubCountRewriter countRewriter; // if the reply counts clients
  private Outcome outcome = Outcome.OK;
  private final GatheredBytes gathered;

  /**
   * @param detail see {@link ReplyMerger#begin}
   */
  public Gather(ForwardContext context, ReplySlot whole, Merge merge, int[] detail) {
    this.whole = whole;
    this.owner = context.owner();
    this.client = context.clientContext().client();
    this.account = context.clientContext().account();
    this.nodes = context.clientContext().nodes();
    this.loop = context.clientContext().loop();
    this.forwardLoop = context.forwardLoop();
    this.gathered = new GatheredBytes(context.clientContext(), forwardLoop.limit());
    this.merge = merge;
    this.detail = detail;
  }

  @Override
  public ExchangeOwner owner() {
    return owner;
  }

  @Override
  public @Nullable Timeline timeline() {
    return whole.timeline();
  }

  /**
   * Sends the parts, at least one.
   *
   * @return a node that cannot keep up, or null
   */
  public @Nullable Endpoint send(Part[] prepared) {
    expect(prepared.length);
    Endpoint busy = null;
    for (Part part : prepared) {
      Endpoint node = send(part);
      busy = node == null ? busy : node;
    }
    return busy;
  }

  /** Sets the number of parts, before the first one is sent. */
  void expect(int count) {
    parts = new Part[count];
    outstanding = count;
  }

  /** Sends the next part. Returns its node if that cannot keep up, else null. */
  public @Nullable Endpoint send(Part part) {
    parts[sent++] = part;
    return nodes.dispatch(part) ? null : part.sentTo();
  }

  /** Limits the bytes of all parts together: no reply can be delivered before all are here. */
  @Override
  public boolean addPending(int bytes) {
    if (gathered.overflowsOnAdd(bytes)) {
      releaseParts();
    }
    return !gathered.isTooLarge();
  }

  /**
   * Counts bytes of small parts for the client until the end. Those of a large part are counted
   * when it is made ({@link io.penstock.core.retry.ClientExchange#setRequestBytes}).
   */
  void countPartBytes(int bytes) {
    partBytes += bytes;
    account.addKept(bytes);
  }

  private void releaseParts() {
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
  public void onInternalError() {
    gathered.markTooLarge();
    releaseParts();
  }

  @Override
  public boolean needsSuccessReplies() {
    return merge != Merge.ALL_OK;
  }

  @Override
  public void onPartDone() {
    if (--outstanding > 0) {
      return;
    }
    try {
      if (begin()) {
        return; // the rest runs in slices
      }
      releaseParts();
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
    releaseParts();
  }

  /** Begins to merge. Returns true if merging continues in slices. */
  private boolean begin() {
    if (gathered.isTooLarge()) {
      whole.answer(ErrorReplies.MERGED_REPLY_TOO_LARGE, Outcome.ERROR);
      return false;
    }
    ByteBuf[] replies = new ByteBuf[parts.length];
    for (int i = 0; i < parts.length; i++) {
      replies[i] = parts[i].reply();
      if (outcome == Outcome.OK) {
        outcome = parts[i].outcome();
      }
    }
    PubsubCountRewriter rewriter =
        merge.countsClients()
            ? new PubsubCountRewriter(whole, merge, client, forwardLoop.hub())
            : null;
    ReplyMerger.Sink sink = rewriter == null ? this::pass : rewriter::add;
    ReplyMerger merging = new ReplyMerger(sink);
    countRewriter = rewriter;
    merger = merging;
    merging.begin(merge, replies, detail);
    if (gathered.size() >= SLICE_FROM) {
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
    Outcome how =
        merging.isSuccess() ? Outcome.OK : outcome == Outcome.OK ? Outcome.ERROR : outcome;
    PubsubCountRewriter rewriter = countRewriter;
    if (rewriter != null && !rewriter.deliver(how, Slices.STEPS_PER_SLICE)) {
      return true;
    }
    if (rewriter == null) {
      whole.complete(how);
    }
    releaseParts();
    return false;
  }
}
