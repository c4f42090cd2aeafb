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
  private static final int MUCH = 128 * 1024;

  private final ReplySlot whole;
  private final ExchangeOwner owner;
  private final Client client;
  private final Allowance account;
  private final Nodes nodes;
  private final Loop loop;
  private final ForwardSite site;
  private final Merge merge;
  private final int[] detail;
  private Part[] parts = {};
  private int sent;
  private int missing;
  private int carried; // bytes of parts that are counted
  private @Nullable ReplyMerger merger; // once all are here
  private @Nullable Census census; // where the reply is about clients
  private Outcome outcome = Outcome.OK;
  private final Gathered held;

  /**
   * Before anything is sent.
   *
   * @param detail as {@link ReplyMerger#merge} takes it
   */
  public Gather(ForwardParts made, ReplySlot whole, Merge merge, int[] detail) {
    this.whole = whole;
    this.owner = made.owner();
    this.client = made.context().client();
    this.account = made.context().account();
    this.nodes = made.context().nodes();
    this.loop = made.context().loop();
    this.site = made.site();
    this.held = new Gathered(made.context(), site.limit());
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
  public boolean holds(int bytes) {
    if (held.overflowsWith(bytes)) {
      letGo();
    }
    return !held.isTooLarge();
  }

  /**
   * Counts so many bytes of parts for the client until the end; of a large part it is counted
   * without this ({@link io.penstock.core.retry.ClientExchange#carry}).
   */
  void carries(int bytes) {
    carried += bytes;
    account.addKept(bytes);
  }

  private void letGo() {
    if (carried > 0) {
      account.addKept(-carried);
      carried = 0;
    }
    for (int i = 0; i < sent; i++) {
      parts[i].discard();
    }
    held.letGo();
  }

  @Override
  public void broke() {
    held.refuse();
    letGo();
  }

  @Override
  public boolean readsFine() {
    return merge != Merge.ALL_OK;
  }

  @Override
  public void partDone() {
    if (--missing > 0) {
      return;
    }
    try {
      if (begin()) {
        return; // the rest in slices
      }
      letGo();
    } catch (Throwable e) { // the caller must not fail because of this client
      onFailure(e);
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
    Census counts = census;
    if (counts != null) {
      counts.drop();
    }
    letGo();
  }

  /** Answers true when it has to be gone on with. */
  private boolean begin() {
    if (held.isTooLarge()) {
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
    Census counts = merge.countsClients() ? new Census(whole, merge, client, site.hub()) : null;
    ReplyMerger.Sink sink = counts == null ? this::pass : counts::add;
    ReplyMerger begun = new ReplyMerger(sink);
    census = counts;
    merger = begun;
    begun.begin(merge, replies, detail);
    if (held.size() >= MUCH) {
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
    Outcome how = begun.isFine() ? Outcome.OK : outcome == Outcome.OK ? Outcome.ERROR : outcome;
    Census counts = census;
    if (counts != null && !counts.deliver(how, Slices.STEPS_PER_SLICE)) {
      return true;
    }
    if (counts == null) {
      whole.complete(how);
    }
    letGo();
    return false;
  }
}
