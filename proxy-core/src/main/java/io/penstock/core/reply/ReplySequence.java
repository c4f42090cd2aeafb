package io.penstock.core.reply;

import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.spec.CommandSpec;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pending replies of one client, in the order of its requests. The reply to the first request
 * is written at once; those to later requests are buffered until all earlier ones are complete.
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
  private boolean closed; // later replies are dropped

  /**
   * @param slots of the loop
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
   * Begins the reply to the latest request and appends it to the sequence.
   *
   * @param spec the request's command; null if it is not a command
   */
  public ReplySlot begin(@Nullable CommandSpec spec) {
    activity.onRequest(spec);
    ReplySlot slot = slots.acquire();
    slot.begin(this, spec);
    add(slot); // before anything that may fail: the slot belongs to the client then
    client.onReplyBegins(slot, spec);
    slot.beginTimeline();
    return slot;
  }

  /**
   * Begins a reply that does not go to the client: {@code whenDone} runs when it is complete, and
   * may read it. The caller must {@link #release} the slot.
   */
  public ReplySlot capture(@Nullable CommandSpec spec, Consumer<ReplySlot> whenDone) {
    activity.onRequest(spec);
    ReplySlot slot = slots.acquire();
    slot.begin(this, spec);
    slot.beginTimeline();
    slot.capture(() -> whenDone.accept(slot));
    return slot;
  }

  /** Answers the latest request with an error line. Returns true: the request is handled. */
  public boolean reject(@Nullable CommandSpec spec, String error) {
    return reject(spec, ErrorReplies.encode(error));
  }

  /** Answers the latest request with an encoded error. Returns true: the request is handled. */
  public boolean reject(@Nullable CommandSpec spec, byte[] error) {
    client.onLocalReply();
    begin(spec).answer(error, Outcome.REJECTED);
    return true;
  }

  /** Returns the number of the latest request. */
  public long lastRequestNumber() {
    return activity.requests();
  }

  /** Returns the {@link System#nanoTime()} at which the latest request arrived. */
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

  /** Returns what keeps the times of the request that begins now; null if nobody wants them. */
  @Nullable Timeline timelineFor(CommandSpec command) {
    return slots.timelineFor(command, arrivedAt());
  }

  void record(
      CommandSpec command, Outcome outcome, long since, long bytes, @Nullable Timeline timeline) {
    slots.record(command, outcome, since, bytes, timeline);
  }

  void countError(String prefix) {
    slots.countError(prefix);
  }

  void replyEnded() {
    client.onReplyEnded();
  }

  void releaseMessages(long requestNumber) {
    client.releaseMessages(requestNumber);
  }

  /** Takes back a captured slot. */
  public void release(ReplySlot captured) {
    slots.release(captured);
  }

  /** Stops counting a captured slot as in use: it may never be released. */
  public void abandon(ReplySlot captured) {
    slots.abandon(captured);
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the {@code i}-th oldest reply. */
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

  /** Removes the first reply, which is complete, and those behind it that are complete. */
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

  /** The client is closed: later replies are dropped. */
  public void close() {
    closed = true;
  }

  /** Drops the buffered replies. */
  public void dropPending() {
    for (int i = 0; i < size; i++) {
      at(i).dropPending();
    }
  }

  /** Stops counting the slots as in use: their replies may never be complete. */
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
