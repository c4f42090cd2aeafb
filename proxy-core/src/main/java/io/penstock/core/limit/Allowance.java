package io.penstock.core.limit;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;

/**
 * The resources that one client uses, and their limits.
 *
 * <p>A client must wait while the replies to its unanswered requests, at the size of its recent
 * replies, would exceed a number of bytes. A new client starts with few requests that read, since
 * the size of its replies is not known; after a few small replies it may have many in flight. While
 * its replies are large, or may be, it also waits for room at the node, which it shares with
 * others.
 *
 * <p>A client is closed when its unread replies exceed its {@link OutputLimit}, or when the memory
 * of all clients exceeds its limit and this client uses the most. Confined to its loop.
 */
public final class Allowance {

  /** Limit of the expected bytes of replies to all unanswered requests. */
  private static final long MAX_EXPECTED = 4 * 1024 * 1024;

  /** In bytes. An expected reply of this size or more is large. */
  private static final int LARGE = 32 * 1024;

  /** Expected bytes of a reply when nothing is known: eight requests are handled at once. */
  private static final int UNKNOWN = (int) (MAX_EXPECTED / 8);

  /** Limit of the bytes of replies that wait behind an earlier one. */
  private static final long MAX_PENDING = 1024 * 1024;

  private static final long MUCH_PENDING = MAX_PENDING / 4;

  /**
   * The memory of a client is checked at once after changes of this size; after smaller ones later.
   */
  private static final int NOTABLE = SocketOutput.SLICE_THRESHOLD;

  /** The memory of a client is checked when more requests than this are unanswered. */
  private static final int MANY_UNANSWERED = 256;

  private static final int WEIGHT_SHIFT = 3; // the latest reply counts for an eighth
  private static final int FIRST_WEIGHT_SHIFT = 1; // the first ones count for a half
  private static final int FIRST_REPLIES = 8;

  private final LimitedClient client;
  private ClientLimits limits;
  private final LoopMemory memory;
  private final SlowClients slowClients;
  private final Loop loop;
  private long pending;
  private long kept;
  private long keptOnHeap;
  private long expected; // bytes of replies to all unanswered requests
  private long usualReply = UNKNOWN; // to commands that read
  private long usualOther;
  private int replies; // replies so far, up to FIRST_REPLIES
  private boolean due; // a check is due after the input is handled
  private long countedBytes; // bytes that the loop's memory has counted
  private long countedHeapBytes; // of these, bytes on the heap
  private boolean slow; // above the soft limit
  private long slowSince; // if so
  private boolean ended; // closed for a limit
  private boolean delayed; // since a failed AUTH

  /**
   * @param memory of the client's loop
   * @param slowClients of the client's loop
   */
  public Allowance(
      LimitedClient client,
      ClientLimits limits,
      LoopMemory memory,
      SlowClients slowClients,
      Loop loop) {
    this.client = client;
    this.limits = limits;
    this.memory = memory;
    this.slowClients = slowClients;
    this.loop = loop;
  }

  /** Replaces the limits. */
  public void limits(ClientLimits next) {
    limits = next;
  }

  /** Starts counting the client. */
  public void open() {
    memory.add(this);
  }

  /** Adds bytes of replies that wait for earlier ones; negative to subtract. */
  public void addPending(int bytes) {
    pending += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /**
   * Whether so much is pending that pending replies and parts of replies should be copied to take
   * no more memory than they have bytes.
   */
  public boolean hasMuchPending() {
    return pending + kept > MUCH_PENDING;
  }

  /** Adds bytes of requests that are kept until they are answered; negative to subtract. */
  public void addKept(long bytes) {
    kept += bytes;
    due |= bytes > 0;
  }

  /**
   * Adds bytes of objects that are kept; negative to subtract. They count until they are
   * subtracted, even if the client closes before.
   */
  public void addKeptOnHeap(long bytes) {
    keptOnHeap += bytes;
    due |= bytes > 0;
    if (client.isClosed()) {
      memory.addClosedHeapBytes(bytes);
    }
  }

  /**
   * Requests a check when the bytes that have arrived are handled, because the client may use more
   * memory.
   */
  public void checkLater() {
    due = true;
  }

  /** Adds bytes of replies that are being merged; negative to subtract. */
  public void addGathered(long bytes) {
    kept += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /** Checks the memory after arrived bytes have been handled as far as possible. */
  public void checkInput() {
    if (due || client.hasInput() || client.unanswered() > MANY_UNANSWERED) {
      due = false;
      check();
    }
  }

  /**
   * The expected bytes of the reply to a command. Commands that write usually have short replies,
   * which say nothing about the replies to commands that read.
   */
  public int expectedReply(CommandSpec command) {
    return (int) Math.min(isIndicative(command) ? usualReply : usualOther, Integer.MAX_VALUE);
  }

  /** The expected bytes of the reply to a command, or 0 if the reply is not large. */
  public int expectedLargeReply(CommandSpec command) {
    int bytes = expectedReply(command);
    return bytes < LARGE ? 0 : bytes;
  }

  private static boolean isIndicative(CommandSpec command) {
    return command.isReadOnly() || command.isScript();
  }

  /** Adds bytes of expected replies; negative to subtract. */
  public void addExpected(int bytes) {
    expected += bytes;
  }

  /** Records the length of a reply in bytes. */
  public void recordReply(CommandSpec command, long bytes) {
    if (!isIndicative(command)) {
      usualOther += (bytes - usualOther) >> WEIGHT_SHIFT;
    } else if (replies < FIRST_REPLIES) {
      replies++;
      usualReply += (bytes - usualReply) >> FIRST_WEIGHT_SHIFT;
    } else {
      usualReply += (bytes - usualReply) >> WEIGHT_SHIFT;
    }
  }

  /**
   * Records the length of a reply so far; its end has not arrived, and the next reply may be as
   * large.
   */
  public void recordReplyPart(long bytes) {
    usualReply = Math.max(usualReply, bytes >> WEIGHT_SHIFT);
  }

  /** Whether one more request may be handled behind {@code unanswered} others. */
  public boolean mayAcceptRequest(int unanswered) {
    return !delayed
        && unanswered < limits.inFlight()
        && expected < MAX_EXPECTED
        && pending < MAX_PENDING;
  }

  /** The number of patterns that the client may be subscribed to. */
  public int maxPatterns() {
    return limits.patterns();
  }

  /** Sets whether the client is delayed. No request is handled meanwhile. */
  public void delayed(boolean on) {
    delayed = on;
  }

  /** Reading from the client has been resumed or paused. */
  public void readingChanged(boolean reading, int unanswered) {
    if (!reading && unanswered >= limits.inFlight()) {
      client.pausedForInFlight();
    }
  }

  /** Whether Penstock may answer a request itself, which copies its arguments to the heap. */
  public boolean fitsOnHeap(RequestFrame frame) {
    return frame.end() - frame.start() <= memory.maxHeapCopy();
  }

  /** Bytes that the client has not read. */
  public long unreadBytes() {
    return pending + client.unreadBytes();
  }

  /** Bytes of memory for the client, in buffers and on the heap. */
  public long keptBytes() {
    return keptBufferBytes() + keptHeapBytes();
  }

  private long keptBufferBytes() {
    return unreadBytes() + kept + client.bufferBytes();
  }

  /**
   * Bytes of objects for the client: names, queued commands, unanswered requests, and the request
   * that is arriving.
   */
  public long keptHeapBytes() {
    return keptOnHeap + client.heapBytes();
  }

  /** Bytes that the loop's memory has counted; see {@link #recount}. */
  long countedBytes() {
    return countedBytes;
  }

  /** Bytes on the heap that the loop's memory has counted. */
  long countedHeapBytes() {
    return countedHeapBytes;
  }

  /** Counts the client's memory for the loop's memory; nothing if the client is closed. */
  void recount() {
    boolean closed = client.isClosed();
    countedHeapBytes = closed ? 0 : keptHeapBytes();
    countedBytes = closed ? 0 : countedHeapBytes + keptBufferBytes();
  }

  /** Whether the client was closed for a limit: its memory is being released. */
  public boolean isEnded() {
    return ended;
  }

  /** Closes the client if it exceeds a limit. */
  public void check() {
    check(loop.now());
  }

  /** As {@link #check()}, at the time {@code now}. */
  public void check(long now) {
    if (ended || client.isClosed()) {
      return;
    }
    checkOutput(now);
    memory.changed(this);
  }

  private void checkOutput(long now) {
    OutputLimit limit = client.isSubscriber() ? limits.subscribers() : limits.normal();
    long unread = unreadBytes();
    if (limit.isAboveHard(unread)) {
      end(CloseReason.OUTPUT_HARD_LIMIT);
    } else if (!limit.isAboveSoft(unread)) {
      clearSlow();
    } else if (!slow) {
      slow = true;
      slowSince = now;
      slowClients.add(this);
    } else if (now - slowSince > limit.softNanos()) {
      end(CloseReason.OUTPUT_SOFT_LIMIT);
    }
  }

  private void clearSlow() {
    if (slow) {
      slow = false;
      slowClients.remove(this);
    }
  }

  /** Whether the client has set {@code CLIENT NO-EVICT}. */
  boolean isNoEvict() {
    return client.isNoEvict();
  }

  /** Closes the client for a limit. */
  public void end(CloseReason reason) {
    if (!ended) {
      client.closing(reason);
      memory.startClosing(this);
      ended = true;
      client.close(reason);
      removeFromLoop();
    }
  }

  /** The client is closed: stops counting it. */
  public void close() {
    removeFromLoop();
    memory.addClosedHeapBytes(keptOnHeap);
    memory.remove(this);
  }

  private void removeFromLoop() {
    clearSlow();
    memory.changed(this);
  }
}
