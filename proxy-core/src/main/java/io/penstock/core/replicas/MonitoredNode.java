package io.penstock.core.replicas;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import org.jspecify.annotations.Nullable;

/** What is known about one master or replica. Confined to the topology thread. */
final class MonitoredNode {

  /** Rounds that begin with a query unanswered after which a node counts as not answering. */
  static final int ROUNDS = 2;

  /** The same for one that does not answer already: it may still be connecting. */
  private static final int FIRST_ROUNDS = 10;

  /** The part of a new round trip in the smoothed one. */
  private static final double WEIGHT = 0.2;

  private final Endpoint node;
  private boolean waiting;
  private int roundsWaited;
  private boolean repeated;
  private boolean answers;
  private @Nullable ReplicationReport last;
  private @Nullable ReplicationReport masterBefore; // the master's answer before that query
  private @Nullable ReplicationReport masterNow; // the same for the query that is not answered yet
  private long latencyNanos = ReplicaStatus.UNKNOWN;
  private @Nullable String failure;
  private ReplicaState state = ReplicaState.UNREACHABLE; // as a replica, judged last
  private long timesLeftOut;

  MonitoredNode(Endpoint node) {
    this.node = node;
  }

  Endpoint node() {
    return node;
  }

  /** Returns whether a query is not answered yet. */
  boolean isWaiting() {
    return waiting;
  }

  /** Returns whether it has not answered a query of an earlier round yet. */
  boolean isOverdue() {
    return waiting && roundsWaited > 0;
  }

  /** Returns whether it answers in time. */
  boolean answers() {
    return answers;
  }

  /** Returns whether it has answered or failed since it is known. */
  boolean isKnown() {
    return last != null || failure != null;
  }

  /** Returns whether the first answers have come, of this replica after those of its master. */
  boolean isSettled(MonitoredNode master) {
    return isKnown()
        && master.isKnown()
        && (!answers || masterBefore != null || master.last == null);
  }

  long latencyNanos() {
    return latencyNanos;
  }

  @Nullable String zone() {
    return last == null ? null : last.zone();
  }

  @Nullable String failure() {
    return answers && last != null ? last.refusal() : failure;
  }

  /**
   * Decides whether this node may be read as a replica, and counts it if it may not any more.
   *
   * @param independent whether it is no replica of its shard's master: then it need only answer
   * @param maxLagBytes {@link ReadSettings#NO_LAG_LIMIT} for any
   */
  void judge(boolean independent, long maxLagBytes) {
    ReplicaState now = stateNow(maxLagBytes, independent);
    if (state == ReplicaState.READABLE && now != ReplicaState.READABLE) {
      timesLeftOut++;
    }
    state = now;
  }

  /** Returns what {@link #judge} decided last. */
  ReplicaState state() {
    return state;
  }

  /** Returns how often it was readable and then was not. */
  long timesLeftOut() {
    return timesLeftOut;
  }

  /** Forgets what it has answered as a master: it is a replica now. */
  void demoted() {
    last = null;
    failure = null;
    answers = false;
    state = ReplicaState.UNREACHABLE;
  }

  /** A new round begins. */
  void roundBegan() {
    if (waiting && ++roundsWaited >= (answers ? ROUNDS : FIRST_ROUNDS)) {
      answers = false;
      failure = "no answer in time";
    }
  }

  /**
   * A query is sent.
   *
   * @param master what the master of its shard has answered last, if this is a replica
   */
  void asked(@Nullable MonitoredNode master) {
    waiting = true;
    roundsWaited = 0;
    masterNow = master == null ? null : master.last;
  }

  /**
   * Takes the answer. Returns whether to ask again at once: the answer is late, so that it may tell
   * what was true before the node stopped.
   */
  boolean answered(ReplicationReport report) {
    waiting = false;
    repeated = false;
    if (roundsWaited >= ROUNDS) {
      return true;
    }
    answers = true;
    last = report;
    masterBefore = masterNow;
    failure = null;
    long took = report.roundTripNanos();
    latencyNanos =
        latencyNanos < 0 ? took : latencyNanos + Math.round(WEIGHT * (took - latencyNanos));
    return false;
  }

  /**
   * Takes a failure. Returns whether to ask again at once: the node did answer before, so that only
   * its connection may have been lost.
   */
  boolean failed(String reason) {
    waiting = false;
    if (answers && !repeated) {
      repeated = true;
      return true;
    }
    repeated = false;
    answers = false;
    failure = reason;
    return false;
  }

  /** Returns whether reads sent to this node as a master would be answered. */
  boolean isReadableMaster() {
    return answers && last != null && stateOfError(last.refusal()) == ReplicaState.UNREACHABLE;
  }

  private ReplicaState stateNow(long maxLagBytes, boolean independent) {
    ReplicationReport report = last;
    if (!answers || report == null) {
      return stateOfError(failure);
    }
    ReplicaState refused = stateOfError(report.refusal());
    if (refused != ReplicaState.UNREACHABLE) {
      return refused;
    }
    return independent ? stateAlone(report) : stateAsReplica(report, maxLagBytes);
  }

  private static ReplicaState stateAlone(ReplicationReport report) {
    return report.replica() && !report.linkUp() ? ReplicaState.LINK_DOWN : ReplicaState.READABLE;
  }

  private ReplicaState stateAsReplica(ReplicationReport report, long maxLagBytes) {
    if (!report.replica()) {
      return ReplicaState.OTHER_DATA;
    }
    if (!report.linkUp()) {
      return ReplicaState.LINK_DOWN;
    }
    if (masterBefore != null && !hasHistoryOf(report, masterBefore)) {
      return ReplicaState.OTHER_DATA;
    }
    if (maxLagBytes == ReadSettings.NO_LAG_LIMIT) {
      return ReplicaState.READABLE;
    }
    long lag = lagBytes();
    return lag == ReplicaStatus.UNKNOWN || lag > maxLagBytes
        ? ReplicaState.LAG
        : ReplicaState.READABLE;
  }

  /**
   * Returns what an error says about reads. {@link ReplicaState#UNREACHABLE} for one that says
   * nothing, as that the user may not run {@code PING} or that the server cannot save its data.
   */
  private static ReplicaState stateOfError(@Nullable String error) {
    if (error == null) {
      return ReplicaState.UNREACHABLE;
    }
    if (error.startsWith("LOADING")) {
      return ReplicaState.LOADING;
    }
    if (error.startsWith("BUSY")) {
      return ReplicaState.BUSY;
    }
    return error.startsWith("MASTERDOWN") ? ReplicaState.LINK_DOWN : ReplicaState.UNREACHABLE;
  }

  private static boolean hasHistoryOf(ReplicationReport replica, ReplicationReport master) {
    return replica.history().isEmpty() // a server before Redis 4.0
        || replica.history().equals(master.history());
  }

  /**
   * Returns how many bytes the replica was behind what its master had when the replica was asked,
   * or {@link ReplicaStatus#UNKNOWN}. The master is asked before its replicas, so that a replica
   * that has everything never seems to lag; what the master writes during the replica's round trip
   * is not counted.
   */
  long lagBytes() {
    if (last == null || masterBefore == null || !hasHistoryOf(last, masterBefore)) {
      return ReplicaStatus.UNKNOWN;
    }
    return Math.max(0, masterBefore.offset() - last.offset());
  }
}
