package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.upstream.Digest;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * One call of a {@code SCAN} over all shards: which master is asked with which cursor, and what the
 * client's next cursor is. Nothing but the cursor and the placement is looked at, so that any proxy
 * can go on with it.
 *
 * <p>The shards come in the order of their first partitions. As long as partitions and masters are
 * what they were at the beginning, each is scanned once. From the first change on no order can tell
 * what was visited, so each run of partitions that follows is scanned where it is by then, and
 * begun again when it changes while it is scanned: a node's cursor means nothing to another node,
 * and partitions that came in the middle may lie where the node was looked at already. {@code
 * docs/adr/0008} says more.
 */
public final class ScanStep {

  private static final byte[] TOO_LONG =
      "-ERR the node's cursor is too long to be one over all nodes; scan the nodes one by one\r\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_SCAN_REPLY =
      "-ERR a node's reply to SCAN has no cursor\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Placement map;
  private final boolean changed;
  private final int partition;
  private final long nodeCursor;

  private ScanStep(Placement map, boolean changed, int partition, long nodeCursor) {
    this.map = map;
    this.changed = changed;
    this.partition = partition;
    this.nodeCursor = nodeCursor;
  }

  /**
   * What to do with a client's cursor.
   *
   * @param map fully covered, and with no more than {@link ScanCursor#MAX_PARTITIONS}
   */
  public static ScanStep of(long cursor, Placement map) {
    if (cursor == 0) {
      return new ScanStep(map, false, 0, 0);
    }
    ScanCursor given = ScanCursor.decode(cursor);
    int partition = given.partition() % map.partitions(); // the client may have made it up
    boolean changed = given.changed() || !ScanCursor.hasTag(cursor, tag(map, false, partition));
    boolean goesOn =
        changed == given.changed() && ScanCursor.hasTag(cursor, tag(map, changed, partition));
    return new ScanStep(map, changed, partition, goesOn ? given.node() : 0);
  }

  /** What a node's cursor holds for: the whole map, or the run of partitions that is scanned. */
  private static long tag(Placement map, boolean changed, int partition) {
    if (!changed) {
      return map.fingerprint();
    }
    Digest run = new Digest().add(master(map, partition).toString()).add(map.endOfRun(partition));
    return run.value();
  }

  private static Endpoint master(Placement map, int partition) {
    Shard shard = Objects.requireNonNull(map.shardOf(partition));
    return shard.master();
  }

  /** Who is to be asked. */
  public Endpoint master() {
    return master(map, partition);
  }

  /** A partition of the shard. */
  public int partition() {
    return partition;
  }

  /** The cursor to ask with. */
  public long nodeCursor() {
    return nodeCursor;
  }

  /**
   * Turns the node's reply into the client's.
   *
   * @param reply a whole one and no error; borrowed
   * @return false when the result is an error
   */
  public boolean toClientReply(ByteBuf reply, ReplyMerger.Sink sink) {
    var cursor = new ReplyCursor(reply);
    long next;
    try {
      if (cursor.elements() != 2) {
        throw new UnmergeableException();
      }
      next = next(Long.parseUnsignedLong(cursor.text()));
    } catch (UnmergeableException | ArithmeticException | NumberFormatException e) {
      sink.write(Unpooled.wrappedBuffer(NO_SCAN_REPLY), 0, NO_SCAN_REPLY.length);
      return false;
    }
    if (next == ScanCursor.DOES_NOT_FIT) {
      sink.write(Unpooled.wrappedBuffer(TOO_LONG), 0, TOO_LONG.length);
      return false;
    }
    String digits = Long.toString(next);
    String head = "*2\r\n$" + digits.length() + "\r\n" + digits + "\r\n";
    ByteBuf bytes = Unpooled.wrappedBuffer(head.getBytes(StandardCharsets.US_ASCII));
    sink.write(bytes, 0, bytes.readableBytes());
    sink.write(reply, cursor.position(), cursor.end());
    return true;
  }

  /** The client's next cursor when the node answers with {@code answered}; 0 at the end. */
  long next(long answered) {
    if (answered != 0) {
      return cursor(partition, answered);
    }
    int next = changed ? map.endOfRun(partition) + 1 : nextFirst();
    return next == map.partitions() ? 0 : cursor(next, 0);
  }

  private long cursor(int at, long node) {
    return new ScanCursor(changed, at, tag(map, changed, at), node).encode();
  }

  private int nextFirst() {
    int next = map.partitions();
    for (int first : map.firstPartitions()) {
      if (first > partition && first < next) {
        next = first;
      }
    }
    return next;
  }
}
