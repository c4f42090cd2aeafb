package io.penstock.core.replication;

import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.reply.WireRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT}. The master is asked ({@code INFO}) how far its stream was
 * when the call began, and then how far each replica has acknowledged it; {@code WAIT} for more
 * replicas than there can be makes them acknowledge at once. Nothing is written for it.
 */
final class OffsetWait extends ShardWait {

  private static final byte[] INFO_REPLICATION = WireRequest.of("INFO", "replication");
  private static final String TOO_MANY = Integer.toString(Integer.MAX_VALUE);
  private static final long MIN_STEP_MILLIS = 2;

  private @Nullable ReplicationInfo first; // of the master that the call found
  private boolean lostTrack; // it is lost, and nothing proves that its successor has all of it
  private long stepMillis = MIN_STEP_MILLIS;
  private boolean waiting; // the reply to come is to WAIT

  OffsetWait(BlockingContext made, WaitCall call, int partition) {
    super(made, call, partition);
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
    ReplicationInfo view = ReplicationInfo.of(reply.getFirst());
    if (view.isMaster()) {
      onInfo(view);
    } else {
      onDemoted();
    }
  }

  private void onInfo(ReplicationInfo view) {
    ReplicationInfo start = first == null ? view : first;
    first = start;
    if (!view.continuesFrom(start)) {
      lostTrack = true;
      onDemoted();
      return;
    }
    long patience = update(new WaitCall.Acknowledged(0, view.replicasWithOffset(start.offset())));
    if (patience == 0) {
      return;
    }
    waiting = true;
    long millis = Math.min(stepMillis, patience);
    stepMillis = Math.min(MAX_STEP_MILLIS, stepMillis * 2);
    query(WireRequest.of("WAIT", TOO_MANY, Long.toString(millis)), millis);
  }
}
