package io.penstock.core.replication;

import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.resp.WireRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT}. {@code INFO} gives the master's offset when the call began,
 * and then the offset that each replica has acknowledged. {@code WAIT} for more replicas than can
 * exist makes them acknowledge at once. Nothing is written.
 */
final class OffsetWait extends ShardWait {

  private static final byte[] INFO_REPLICATION = WireRequest.of("INFO", "replication");
  private static final String MORE_THAN_ANY = Integer.toString(Integer.MAX_VALUE);
  private static final long MIN_STEP_MILLIS = 2;

  private @Nullable ReplicationInfo first; // of the master when the call began
  private boolean lostTrack; // the master is lost; its successor may lack writes
  private long stepMillis = MIN_STEP_MILLIS;
  private boolean waiting; // the next reply is to WAIT

  OffsetWait(BlockingContext context, WaitCall call, int partition) {
    super(context, call, partition);
  }

  @Override
  byte[] firstRequest() {
    waiting = false;
    return INFO_REPLICATION;
  }

  @Override
  void onMasterLost() {
    lostTrack |= first == null;
  }

  @Override
  boolean hasLostTrack() {
    return lostTrack;
  }

  @Override
  void onSuccess(List<String> reply) {
    if (waiting) {
      waiting = false;
      query(INFO_REPLICATION, 0);
      return;
    }
    ReplicationInfo info = ReplicationInfo.of(reply.getFirst());
    if (info.isMaster()) {
      onInfo(info);
    } else {
      onDemoted();
    }
  }

  private void onInfo(ReplicationInfo info) {
    ReplicationInfo start = first == null ? info : first;
    first = start;
    if (!info.continuesFrom(start)) {
      lostTrack = true;
      onDemoted();
      return;
    }
    long remaining = update(new WaitCall.Acknowledged(0, info.replicasWithOffset(start.offset())));
    if (remaining == 0) {
      return;
    }
    waiting = true;
    long millis = Math.min(stepMillis, remaining);
    stepMillis = Math.min(MAX_STEP_MILLIS, stepMillis * 2);
    query(WireRequest.of("WAIT", MORE_THAN_ANY, Long.toString(millis)), millis);
  }
}
