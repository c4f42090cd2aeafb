package io.penstock.core.session;

import io.penstock.core.cluster.Node;
import java.util.List;

/**
 * One shard's part of a {@code WAIT}. The master is asked ({@code ROLE}) how far its stream was
 * when the call began, and then how far each replica has acknowledged it; {@code WAIT} for more
 * replicas than there can be makes them acknowledge at once. Nothing is written for it.
 */
final class OffsetWait extends ShardWait {

  private static final byte[] ROLE = WireRequest.of("ROLE");
  private static final String TOO_MANY = Integer.toString(Integer.MAX_VALUE);
  private static final long SHORTEST_MILLIS = 2;
  private static final long UNKNOWN = -1;

  private long target = UNKNOWN;
  private long pause = SHORTEST_MILLIS;
  private boolean pausing; // the reply to come is to WAIT

  OffsetWait(Session session, WaitCall call, Node master) {
    super(session, call, master);
  }

  @Override
  byte[] firstRequest() {
    return ROLE;
  }

  @Override
  void answered(List<String> reply) {
    if (pausing) {
      pausing = false;
      ask(ROLE, 0);
    } else if (reply.getFirst().equals("master")) {
      lookAt(reply);
    } else {
      end(DEMOTED);
    }
  }

  /** {@code master offset [host port acknowledged]…}. */
  private void lookAt(List<String> role) {
    target = target == UNKNOWN ? Long.parseLong(role.get(1)) : target;
    long replicas = 0;
    for (int i = 4; i < role.size(); i += 3) {
      replicas += Long.parseLong(role.get(i)) >= target ? 1 : 0;
    }
    long patience = look(new WaitCall.Acknowledged(0, replicas));
    if (patience > 0) {
      pausing = true;
      long millis = Math.min(pause, patience);
      pause = Math.min(LONGEST_MILLIS, pause * 2);
      ask(WireRequest.of("WAIT", TOO_MANY, Long.toString(millis)), millis);
    }
  }
}
