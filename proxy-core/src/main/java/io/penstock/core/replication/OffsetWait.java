package io.penstock.core.replication;

import io.penstock.core.blocking.BlockingParts;
import io.penstock.core.reply.WireRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT}. The master is asked ({@code INFO}) how far its stream was
 * when the call began, and then how far each replica has acknowledged it; {@code WAIT} for more
 * replicas than there can be makes them acknowledge at once. Nothing is written for it.
 */
final class OffsetWait extends ShardWait {

  private static final byte[] LOOK = WireRequest.of("INFO", "replication");
  private static final String TOO_MANY = Integer.toString(Integer.MAX_VALUE);
  private static final long SHORTEST_MILLIS = 2;

  private @Nullable ReplicationView first; // of the master that the call found
  private boolean blind; // it is lost, and nothing proves that its successor has all of it
  private long pause = SHORTEST_MILLIS;
  private boolean pausing; // the reply to come is to WAIT

  OffsetWait(BlockingParts made, WaitCall call, int partition) {
    super(made, call, partition);
  }

  @Override
  byte[] firstRequest() {
    pausing = false;
    return LOOK;
  }

  @Override
  void lost() {
    blind |= first == null;
  }

  @Override
  boolean isBlind() {
    return blind;
  }

  @Override
  void answered(List<String> reply) {
    if (pausing) {
      pausing = false;
      ask(LOOK, 0);
      return;
    }
    ReplicationView view = ReplicationView.of(reply.getFirst());
    if (view.isMaster()) {
      lookAt(view);
    } else {
      demoted();
    }
  }

  private void lookAt(ReplicationView view) {
    ReplicationView start = first == null ? view : first;
    first = start;
    if (!view.continues(start)) {
      blind = true;
      demoted();
      return;
    }
    long patience = look(new WaitCall.Acknowledged(0, view.replicasAt(start.offset())));
    if (patience == 0) {
      return;
    }
    pausing = true;
    long millis = Math.min(pause, patience);
    pause = Math.min(LONGEST_MILLIS, pause * 2);
    ask(WireRequest.of("WAIT", TOO_MANY, Long.toString(millis)), millis);
  }
}
