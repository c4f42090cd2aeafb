package io.penstock.core.replication;

import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.resp.WireRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAITAOF}. Only {@code WAITAOF} reports how far a server and its
 * replicas have synced their append-only files to disk, and it is about the last write of its
 * connection. Therefore the connection makes a write, after all of the client's, that changes
 * nothing: it restores a dump without functions, which servers put into their replication stream
 * and append-only file like any write.
 */
final class FsyncWait extends ShardWait {

  /** {@code FUNCTION DUMP} of a Redis 7.0 without functions; newer servers accept it, too. */
  private static final byte[] MARK =
      WireRequest.of("FUNCTION", "RESTORE", "\n\0]\u009b\\@\u000f\u007f\u00a2\u00da", "APPEND");

  private boolean marked;
  private boolean lost;

  FsyncWait(BlockingContext context, WaitCall call, int partition) {
    super(context, call, partition);
  }

  @Override
  byte[] firstRequest() {
    return MARK;
  }

  @Override
  void onMasterLost() {
    lost = true;
  }

  /**
   * Returns true once the mark is written, or after a loss: another master or connection reports on
   * another mark.
   */
  @Override
  boolean hasLostTrack() {
    return lost || marked;
  }

  @Override
  byte @Nullable [] replacementFor(String error) {
    // A server without WAITAOF or without functions should name the command that the client sent.
    return error.startsWith("-ERR unknown ") ? call().unknownCommandError() : null;
  }

  @Override
  void onSuccess(List<String> reply) {
    long remaining;
    if (marked) {
      long local = Long.parseLong(reply.get(0));
      remaining = update(new WaitCall.Acknowledged(local, Long.parseLong(reply.get(1))));
    } else {
      marked = true;
      remaining = Math.max(1, call().remainingMillis(this)); // at least one query
    }
    if (remaining > 0) {
      long millis = Math.min(MAX_STEP_MILLIS, remaining);
      WaitCall.Acknowledged wanted = call().wanted();
      query(
          WireRequest.of(
              "WAITAOF",
              Long.toString(wanted.local()),
              Long.toString(wanted.replicas()),
              Long.toString(millis)),
          millis);
    }
  }
}
