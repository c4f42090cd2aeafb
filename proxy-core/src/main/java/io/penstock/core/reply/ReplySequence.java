package io.penstock.core.reply;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.SocketOutput;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's requests whose replies have not been given yet, in the order they came. The reply to
 * the first may be written at once; those behind it hold theirs until their turn.
 */
public final class ReplySequence {

  private static final int INITIAL = 8;
  private static final int KEPT = 256;

  private final ReplyOwner client;
  private final Activity activity;
  private final Allowance account;
  private final ReplySlots slots;
  private final SocketOutput output;
  private @Nullable ReplySlot[] ring = new ReplySlot[INITIAL];
  private int head;
  private int size;
  private boolean advancing;
  private boolean closed; // nobody gets what is to come

  /**
   * @param slots spare ones of the loop
   * @param output to the client
   */
  public ReplySequence(
      ReplyOwner client,
      Activity activity,
      Allowance account,
      ReplySlots slots,
      SocketOutput output) {
    this.client = client;
    this.activity = activity;
    this.account = account;
    this.slots = slots;
    this.output = output;
  }

  /**
   * Takes the next place among the replies, for the request that has come.
   *
   * @param spec its command; null for what is none
   */
  public ReplySlot begin(@Nullable CommandSpec spec) {
    activity.onRequest(spec);
    ReplySlot slot = slots.acquire();
    slot.begin(this, spec, client.isNextReplyMuted());
    add(slot);
    return slot;
  }

  /**
   * Makes a place whose reply the client does not get: {@code whenDone} runs with its end, and may
   * read it. The caller gives it back.
   */
  public ReplySlot capture(@Nullable CommandSpec spec, Consumer<ReplySlot> whenDone) {
    activity.onRequest(spec);
    ReplySlot slot = slots.acquire();
    slot.begin(this, spec, false);
    slot.capture(() -> whenDone.accept(slot));
    return slot;
  }

  /** Answers the request that has come with an error line; returns true: it is done with. */
  public boolean reject(@Nullable CommandSpec spec, String error) {
    return reject(spec, ErrorReplies.encode(error));
  }

  /** The same with an encoded error. */
  public boolean reject(@Nullable CommandSpec spec, byte[] error) {
    client.onLocalReply();
    begin(spec).answer(error, Outcome.REJECTED);
    return true;
  }

  /** The number of the newest request. */
  public long lastRequestNumber() {
    return activity.requests();
  }

  /** {@link System#nanoTime()} at which the newest request has come. */
  long arrivedAt() {
    return activity.lastBytesAt();
  }

  Allowance account() {
    return account;
  }

  public SocketOutput output() {
    return output;
  }

  boolean isClosed() {
    return closed;
  }

  void record(CommandSpec command, Outcome outcome, long since) {
    slots.record(command, outcome, since);
  }

  void countError(String prefix) {
    slots.countError(prefix);
  }

  void replyEnded() {
    client.onReplyEnded();
  }

  void releaseMessages(long place) {
    client.releaseMessages(place);
  }

  /** Takes back a place that was captured. */
  public void release(ReplySlot captured) {
    slots.release(captured);
  }

  /** A place that was captured may never be given back. */
  public void abandon(ReplySlot captured) {
    slots.abandon(captured);
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The {@code i}-th oldest. */
  public ReplySlot at(int i) {
    ReplySlot request = ring[(head + i) & (ring.length - 1)];
    if (request == null || i >= size) {
      throw new IllegalStateException("no request at " + i + " of " + size);
    }
    return request;
  }

  private void add(ReplySlot request) {
    if (size == ring.length) {
      grow();
    }
    ring[(head + size) & (ring.length - 1)] = request;
    size++;
    if (size == 1) {
      request.becomeFirst();
    }
  }

  /** The first is done: it leaves, and so do those behind it that were done already. */
  void advance() {
    if (advancing) {
      return;
    }
    advancing = true;
    try {
      while (size > 0 && at(0).isDone()) {
        ReplySlot done = at(0);
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        size--;
        slots.release(done);
        if (size > 0) {
          at(0).becomeFirst();
        }
      }
    } catch (Throwable e) {
      client.fail(e);
    } finally {
      advancing = false;
    }
    shrinkWhenIdle();
    client.onAdvanced();
  }

  /** The client is gone: what is yet to come for it is dropped. */
  public void close() {
    closed = true;
  }

  /** Drops what is held for it. */
  public void dropPending() {
    for (int i = 0; i < size; i++) {
      at(i).dropPending();
    }
  }

  /** None of them may ever be done. */
  public void abandon() {
    for (int i = 0; i < size; i++) {
      slots.abandon(at(i));
    }
  }

  private void shrinkWhenIdle() {
    if (size == 0 && ring.length > KEPT) {
      ring = new ReplySlot[INITIAL];
      head = 0;
    }
  }

  private void grow() {
    @Nullable ReplySlot[] larger = new ReplySlot[ring.length * 2];
    for (int i = 0; i < size; i++) {
      larger[i] = at(i);
    }
    ring = larger;
    head = 0;
  }
}
