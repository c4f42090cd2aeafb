package io.penstock.core.limit;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.SocketOutput;

/**
 * What one client may take.
 *
 * <p>It has to wait when it has asked for too much that it was not given: so many requests that
 * replies of the size it has had lately would come to a bounded number of bytes. A new client
 * begins with few that read, since nothing is known of its replies; a few small ones are enough for
 * many. While its replies are large, or may be, it also waits for room at the node, which it shares
 * with others.
 *
 * <p>It is closed when it leaves more unread than its {@link OutputLimit}, or when it keeps the
 * most of all in buffers and that is too much. Confined to its loop.
 */
public final class Allowance {

  /** Bytes that the replies to all unanswered requests may be expected to have. */
  private static final long MOST_EXPECTED = 4 * 1024 * 1024;

  /** From so many bytes on an expected reply is large. */
  private static final int LARGE = 32 * 1024;

  /**
   * What a reply is expected to have when nothing is known: eight requests are taken up at once.
   */
  private static final int UNKNOWN = (int) (MOST_EXPECTED / 8);

  /** Bytes of replies that wait behind an earlier one. */
  private static final long MOST_HELD = 1024 * 1024;

  private static final long MUCH_HELD = MOST_HELD / 4;

  /** From this length on it is looked at once what a client keeps; else when there is time. */
  private static final int NOTABLE = SocketOutput.SLICE_THRESHOLD;

  /** So many unanswered requests are worth a look. */
  private static final int MANY = 256;

  private static final int WEIGHT_SHIFT = 3; // the newest reply counts for an eighth
  private static final int FIRST_WEIGHT_SHIFT = 1; // the first ones for a half
  private static final int FIRST_REPLIES = 8;

  private final LimitedClient client;
  private final ClientLimits limits;
  private final LoopMemory memory;
  private final SlowClients slowClients;
  private final Loop loop;
  private long held;
  private long borne;
  private long borneOnHeap;
  private long expected; // bytes of replies to all unanswered requests
  private long usualReply = UNKNOWN; // to what reads
  private long usualOther;
  private int replies; // given so far, up to FIRST_REPLIES
  private boolean due; // something was taken up that is kept
  private long countedBytes; // bytes that the loop's memory has it down for
  private long countedHeapBytes; // among them
  private boolean slow; // above the soft limit
  private long slowSince; // if so
  private boolean ended; // for a limit
  private boolean delayed; // since an AUTH failed

  /**
   * @param memory of the client's loop
   * @param slowClients of the same
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

  /** The client is there, and counted from here on. */
  public void open() {
    memory.add(this);
  }

  /** So many more bytes of replies are held until their turn, or fewer if negative. */
  public void addPending(int bytes) {
    held += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /**
   * Whether replies that wait, for an earlier one or for other parts, should take no more memory
   * than they have bytes.
   */
  public boolean hasMuchPending() {
    return held + borne > MUCH_HELD;
  }

  /** So many more bytes of requests are kept until they are answered, or fewer if negative. */
  public void addKept(long bytes) {
    borne += bytes;
    due |= bytes > 0;
  }

  /** The same of what is kept in objects; it counts until then also if the client goes away. */
  public void addKeptOnHeap(long bytes) {
    borneOnHeap += bytes;
    due |= bytes > 0;
    if (client.isClosed()) {
      memory.addClosedHeapBytes(bytes);
    }
  }

  /** More may be kept than before: it is looked at when what has come is used up. */
  public void checkLater() {
    due = true;
  }

  /** So many more bytes of replies are being put together, or fewer if negative. */
  public void addGathered(long bytes) {
    borne += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /** Bytes have come and were used up as far as possible. */
  public void checkInput() {
    if (due || client.hasInput() || client.unanswered() > MANY) {
      due = false;
      check();
    }
  }

  /**
   * Bytes that the reply to a command is expected to have. What writes has most often short ones,
   * and they tell nothing of what the client reads.
   */
  public int expectedReply(CommandSpec command) {
    return (int) Math.min(tells(command) ? usualReply : usualOther, Integer.MAX_VALUE);
  }

  /** The same, 0 where it is not large. */
  public int expectedLargeReply(CommandSpec command) {
    int bytes = expectedReply(command);
    return bytes < LARGE ? 0 : bytes;
  }

  private static boolean tells(CommandSpec command) {
    return command.isReadOnly() || command.isScript();
  }

  /** So many more bytes of replies are expected, or fewer if negative. */
  public void addExpected(int bytes) {
    expected += bytes;
  }

  /** A reply of so many bytes was given. */
  public void recordReply(CommandSpec command, long bytes) {
    if (!tells(command)) {
      usualOther += (bytes - usualOther) >> WEIGHT_SHIFT;
    } else if (replies < FIRST_REPLIES) {
      replies++;
      usualReply += (bytes - usualReply) >> FIRST_WEIGHT_SHIFT;
    } else {
      usualReply += (bytes - usualReply) >> WEIGHT_SHIFT;
    }
  }

  /** So many bytes of a reply have come, and not its end: what comes next may be as large. */
  public void recordReplyPart(long bytes) {
    usualReply = Math.max(usualReply, bytes >> WEIGHT_SHIFT);
  }

  /** Whether one more request may be taken up behind {@code unanswered} others. */
  public boolean mayAcceptRequest(int unanswered) {
    return !delayed
        && unanswered < limits.inFlight()
        && expected < MOST_EXPECTED
        && held < MOST_HELD;
  }

  /** No request is taken up while it is delayed. */
  public void delayed(boolean on) {
    delayed = on;
  }

  /** The client is read from here on, or is not. */
  public void readingChanged(boolean reading, int unanswered) {
    if (!reading && unanswered >= limits.inFlight()) {
      client.pausedForInFlight();
    }
  }

  /** Whether Penstock can answer a request itself: it copies arguments to the heap. */
  public boolean fitsOnHeap(RequestFrame frame) {
    return frame.end() - frame.start() <= memory.maxHeapCopy();
  }

  /** Bytes that the client has not taken. */
  public long unreadBytes() {
    return held + client.unreadBytes();
  }

  /** Bytes that are kept for the client, in buffers and in objects. */
  public long keptBytes() {
    return keptInBuffers() + keptHeapBytes();
  }

  private long keptInBuffers() {
    return unreadBytes() + borne + client.bufferBytes();
  }

  /**
   * Bytes of objects that are kept for the client: of names, of commands that are queued, of
   * requests that are unanswered, and of the request that is arriving.
   */
  public long keptHeapBytes() {
    return borneOnHeap + client.heapBytes();
  }

  /** Bytes that the loop's memory has it down for; see {@link #recount}. */
  long countedBytes() {
    return countedBytes;
  }

  /** Those of them that are objects. */
  long countedHeapBytes() {
    return countedHeapBytes;
  }

  /** Counts what the client keeps now, for the loop's memory; nothing when it is closed. */
  void recount() {
    boolean gone = client.isClosed();
    countedHeapBytes = gone ? 0 : keptHeapBytes();
    countedBytes = gone ? 0 : countedHeapBytes + keptInBuffers();
  }

  /** Whether it was closed for a limit: what it keeps is on its way back. */
  public boolean isEnded() {
    return ended;
  }

  /** Closes the client if it takes more than it may. */
  public void check() {
    check(loop.now());
  }

  /** As {@link #check()} at a certain time. */
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
      forgive();
    } else if (!slow) {
      slow = true;
      slowSince = now;
      slowClients.add(this);
    } else if (now - slowSince > limit.softNanos()) {
      end(CloseReason.OUTPUT_SOFT_LIMIT);
    }
  }

  private void forgive() {
    if (slow) {
      slow = false;
      slowClients.remove(this);
    }
  }

  /** Whether the client has asked to be spared when there is too little memory. */
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
      leave();
    }
  }

  /** The client is gone. */
  public void close() {
    leave();
    memory.addClosedHeapBytes(borneOnHeap);
    memory.remove(this);
  }

  private void leave() {
    forgive();
    memory.changed(this);
  }
}
