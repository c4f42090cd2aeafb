package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Merge;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The parts of a request: sends them at once and answers when the last reply has come. */
public final class Gather implements Part.Whole, Sliced {

  /** With so many bytes of replies they are put together in slices. */
  private static final int SLICE_ABOVE = 128 * 1024;

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
  private int missing;
  private int partBytes; // bytes of parts that are counted
  private @Nullable ReplyMerger merger; // once all are here
  private @Nullable PubsubCountRewriter countRewriter; // where the reply is about clients
  private Outcome outcome = Outcome.OK;
  private final GatheredBytes gathered;

  /**
   * Before anything is sent.
   *
   * @param detail as {@link ReplyMerger#merge} takes it
   */
  public Gather(ForwardContext made, ReplySlot whole, Merge merge, int[] detail) {
    this.whole = whole;
    this.owner = made.owner();
    this.client = made.clientContext().client();
    this.account = made.clientContext().account();
    this.nodes = made.clientContext().nodes();
    this.loop = made.clientContext().loop();
    this.forwardLoop = made.forwardLoop();
    this.gathered = new GatheredBytes(made.clientContext(), forwardLoop.limit());
    this.merge = merge;
    this.detail = detail;
  }

  @Override
  public ExchangeOwner owner() {
    return owner;
  }

  /**
   * Sends the parts, at least one.
   *
   * @return a node that does not keep up, or null
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

  /** Before the first is sent: how many parts there will be. */
  void expect(int count) {
    parts = new Part[count];
    missing = count;
  }

  /** Sends the next part; answers its node if that does not keep up. */
  public @Nullable Endpoint send(Part part) {
    parts[sent++] = part;
    return nodes.dispatch(part) ? null : part.sentTo();
  }

  /** There is a bound for them together: they cannot be given before all are here. */
  @Override
  public boolean addPending(int bytes) {
    if (gathered.overflowsOnAdd(bytes)) {
      releaseParts();
    }
    return !gathered.isTooLarge();
  }

  /**
   * Counts so many bytes of parts for the client until the end; of a large part it is counted
   * without this ({@link io.penstock.core.retry.ClientExchange#setRequestBytes}).
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
    if (--missing > 0) {
      return;
    }
    try {
      if (begin()) {
        return; // the rest in slices
      }
      releaseParts();
    } catch (Throwable e) { // the caller must not fail because of this client
      onFailure(e);
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
    PubsubCountRewriter counts = countRewriter;
    if (counts != null) {
      counts.release();
    }
    releaseParts();
  }

  /** Answers true when it has to be gone on with. */
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
    PubsubCountRewriter counts = merge.countsClients() ? new PubsubCountRewriter(whole, merge, client, forwardLoop.hub()) : null;
    ReplyMerger.Sink sink = counts == null ? this::pass : counts::add;
    ReplyMerger begun = new ReplyMerger(sink);
    countRewriter = counts;
    merger = begun;
    begun.begin(merge, replies, detail);
    if (gathered.size() >= SLICE_ABOVE) {
      loop.slices().start(this);
      return true;
    }
    while (step()) {
      // There is little of it.
    }
    return false;
  }

  private void pass(ByteBuf buffer, int from, int to) {
    whole.deliverPart(buffer, from, to, false);
  }

  /** Puts together as much of the replies as a slice takes. */
  @Override
  public boolean step() {
    ReplyMerger begun = Objects.requireNonNull(merger);
    boolean unheard = client.isClosed();
    if (!unheard && begun.step(Slices.STEPS_PER_SLICE)) {
      return true;
    }
    Outcome how = begun.isSuccess() ? Outcome.OK : outcome == Outcome.OK ? Outcome.ERROR : outcome;
    PubsubCountRewriter counts = countRewriter;
    if (counts != null && !counts.deliver(how, Slices.STEPS_PER_SLICE)) {
      return true;
    }
    if (counts == null) {
      whole.complete(how);
    }
    releaseParts();
    return false;
  }
}
