package io.penstock.core.replication;

import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.reply.WireRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAITAOF}. How far a server and its replicas have written their files
 * to disk is told by nothing but {@code WAITAOF}, which is about the connection's last write. So
 * the connection makes one, later than all of the client's, that changes nothing: it restores a
 * dump of no functions, and servers put that in their stream and their file like every write.
 */
final class FsyncWait extends ShardWait {

  /** {@code FUNCTION DUMP} of a Redis 7.0 without functions; what is newer takes it too. */
  private static final byte[] MARK =
      WireRequest.of("FUNCTION", "RESTORE", "\n\0]\u009b\\@\u000f\u007f\u00a2\u00da", "APPEND");

  private boolean marked;
  private boolean lost;

  FsyncWait(BlockingContext made, WaitCall call, int partition) {
    super(made, call, partition);
  }

  @Override
  byte[] firstRequest() {
    return MARK;
  }

  @Override
  void onMasterLost() {
    lost = true;
  }

  /** Another master, or connection, tells of another mark. */
  @Override
  boolean hasLostTrack() {
    return lost || marked;
  }

  @Override
  byte @Nullable [] replacementFor(String error) {
    // A server without WAITAOF, or without functions, should name what the client sent.
    return error.startsWith("-ERR unknown ") ? call().unknownCommandError() : null;
  }

  @Override
  void onSuccess(List<String> reply) {
    long patience;
    if (marked) {
      long local = Long.parseLong(reply.get(0));
      patience = update(new WaitCall.Acknowledged(local, Long.parseLong(reply.get(1))));
    } else {
      marked = true;
      patience = Math.max(1, call().remainingMillis(this)); // one look is always taken
    }
    if (patience > 0) {
      long millis = Math.min(MAX_STEP_MILLIS, patience);
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
