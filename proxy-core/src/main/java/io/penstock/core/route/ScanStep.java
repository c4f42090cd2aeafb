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
 * One call of a {@code SCAN} over all shards: the master and the cursor to send to it, and the
 * client's next cursor. It depends on nothing but the cursor and the placement, so that any
 * instance of Penstock can continue the scan.
 *
 * <p>Shards are scanned in the order of their first partitions. While partitions and masters do not
 * change, each shard is scanned once. After the first change, the order of shards does not show any
 * more what was visited. Then each run of partitions that follows is scanned at its current master,
 * and again from the start if the run changes during its scan: a node's cursor means nothing to
 * another node, and partitions that arrive during the scan may lie where the node was scanned
 * already. See {@code docs/adr/0008}.
 */
public final class ScanStep {

  private static final byte[] TOO_LONG =
      "-ERR the node's cursor is too long for a scan over all nodes; scan the nodes one by one\r\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_SCAN_REPLY =
      "-ERR a node's reply to SCAN has no cursor\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Placement placement;
  private final boolean changed;
  private final int partition;
  private final long nodeCursor;

  private ScanStep(Placement placement, boolean changed, int partition, long nodeCursor) {
    this.placement = placement;
    this.changed = changed;
    this.partition = partition;
    this.nodeCursor = nodeCursor;
  }

  /**
   * Returns the step for a client's cursor.
   *
   * @param placement fully covered, with no more partitions than {@link ScanCursor#MAX_PARTITIONS}
   */
  public static ScanStep of(long cursor, Placement placement) {
    if (cursor == 0) {
      return new ScanStep(placement, false, 0, 0);
    }
    ScanCursor given = ScanCursor.decode(cursor, placement.partitions());
    int partition = given.partition() % placement.partitions(); // the client may have made it up
    boolean changed = given.changed() || !hasTag(cursor, placement, false, partition);
    boolean continues = changed == given.changed() && hasTag(cursor, placement, changed, partition);
    return new ScanStep(placement, changed, partition, continues ? given.node() : 0);
  }

  private static boolean hasTag(long cursor, Placement placement, boolean changed, int partition) {
    return ScanCursor.hasTag(cursor, tag(placement, changed, partition), placement.partitions());
  }

  /**
   * Returns the tag of what a node's cursor is valid for: the whole placement, or the run of
   * partitions that is scanned.
   */
  private static long tag(Placement placement, boolean changed, int partition) {
    if (!changed) {
      return placement.fingerprint();
    }
    Digest run =
        new Digest()
            .add(master(placement, partition).toString())
            .add(placement.endOfRun(partition));
    return run.value();
  }

  private static Endpoint master(Placement placement, int partition) {
    Shard shard = Objects.requireNonNull(placement.shardOf(partition));
    return shard.master();
  }

  /** The master to send to. */
  public Endpoint master() {
    return master(placement, partition);
  }

  /** A partition of the shard. */
  public int partition() {
    return partition;
  }

  /** The cursor to send to the master. */
  public long nodeCursor() {
    return nodeCursor;
  }

  /**
   * Turns the node's reply into the client's.
   *
   * @param reply a whole reply that is not an error; borrowed
   * @return false if the result is an error
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

  /** Returns the client's next cursor after the node returned {@code answered}; 0 at the end. */
  long next(long answered) {
    if (answered != 0) {
      return cursor(partition, answered);
    }
    int next = changed ? placement.endOfRun(partition) + 1 : nextFirst();
    return next == placement.partitions() ? 0 : cursor(next, 0);
  }

  private long cursor(int at, long node) {
    return new ScanCursor(changed, at, tag(placement, changed, at), node)
        .encode(placement.partitions());
  }

  private int nextFirst() {
    int next = placement.partitions();
    for (int first : placement.firstPartitions()) {
      if (first > partition && first < next) {
        next = first;
      }
    }
    return next;
  }
}
