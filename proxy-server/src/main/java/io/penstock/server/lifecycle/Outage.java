package io.penstock.server.lifecycle;

import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.UpstreamStatus.Trouble;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One outage: of a node that does not answer or rejects requests, or of slots without a master. It
 * begins with the first evidence of trouble. The outage of a node is over when a health check finds
 * that it serves, later than the latest evidence, and when what failed has worked again:
 * connecting, if that failed; serving a held request, if the node rejected requests and health
 * checks did not see that. If nothing tries that any more, it is over after {@link #QUIET_NANOS}
 * without failures.
 *
 * <p>Times are of {@link System#nanoTime()}. Confined to the thread of the {@link OutageLog}.
 */
final class Outage {

  /** No failure for so long is a success: event loops connect again more often than that. */
  static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

  private final @Nullable Endpoint node;
  private final List<String> slots;
  private final Place place;
  private final String subject;
  private long beganAt;
  private @Nullable Trouble trouble; // the latest; null if it is unknown
  private Instant troubledTime = Instant.now(); // of the latest evidence
  private long troubledAt; // the same
  private boolean seenByHealthCheck;
  private boolean connectingFailed; // the latest attempt
  private boolean rejectsUnseen; // requests; health checks have not seen it
  private boolean isGood; // to a health check since the latest evidence
  private long goodAt; // only valid if good
  private boolean hasWorked; // a connection or a held request, since the latest evidence
  private long workedAt; // only valid if it has worked
  private int holding; // event loops with a failover hold
  private long held;
  private long served;
  private long failed;
  private boolean isLogged;
  private boolean loggedRejecting; // only valid if logged, like loggedAt
  private long loggedAt;

  /**
   * What the node served when its outage began.
   *
   * @param shard its index in the placement; negative if the node was no master
   */
  record Place(Placement placement, int shard) {

    /** Returns the one other node that serves now what the node served; null if there is none. */
    @Nullable Endpoint successor(Endpoint node, Placement now) {
      if (shard < 0 || now.indexOfMaster(node) >= 0 || now.partitions() != placement.partitions()) {
        return null;
      }
      Endpoint successor = null;
      for (int i = 0; i < placement.partitions(); i++) {
        if (placement.ownerOf(i) == shard) {
          Shard owner = now.shardOf(i);
          if (owner == null || (successor != null && !owner.master().equals(successor))) {
            return null;
          }
          successor = owner.master();
        }
      }
      return successor;
    }
  }

  /**
   * @param node null for slots without a master
   * @param subject of log lines
   * @param slots of the node, or those without a master
   */
  Outage(@Nullable Endpoint node, String subject, List<String> slots, Place place, long beganAt) {
    this.node = node;
    this.subject = subject;
    this.slots = slots;
    this.place = place;
    this.beganAt = beganAt;
    this.troubledAt = beganAt;
  }

  @Nullable Endpoint node() {
    return node;
  }

  String subject() {
    return subject;
  }

  /** The slots of the node when the outage began. */
  String slots() {
    return String.join(",", slots);
  }

  /** Returns the node that has taken over the slots; null if there is none. */
  @Nullable Endpoint successor(Placement now) {
    return node == null ? null : place.successor(node, now);
  }

  /** Returns whether the node answers, but rejects requests. */
  boolean isRejecting() {
    return trouble != null && trouble.answered();
  }

  /** Returns the latest reason in parentheses, or nothing. */
  String reason() {
    return trouble == null ? "" : " (" + trouble.reason() + ")";
  }

  private void troubled(@Nullable Trouble latest, long now) {
    trouble = latest == null ? trouble : latest;
    troubledAt = now;
    troubledTime = Instant.now();
    isGood = false;
    hasWorked = false;
  }

  private void worked(long now) {
    hasWorked = true;
    workedAt = now;
  }

  private void beganBefore(long at) {
    beganAt = at - beganAt < 0 ? at : beganAt;
  }

  /** An attempt to connect to the node failed, or a connection was lost. */
  void connectingFailed(Trouble latest, long now) {
    connectingFailed = true;
    troubled(latest, now);
  }

  /** A connection to the node is ready. */
  void connected(long now) {
    if (connectingFailed) {
      connectingFailed = false;
      worked(now);
    }
  }

  /** Replies of the node are pending, and nothing comes. */
  void silent(Trouble latest, long now) {
    troubled(trouble == null ? latest : null, now);
  }

  /**
   * An event loop holds requests.
   *
   * @param latest null if the reason is unknown
   */
  void holdBegan(@Nullable Trouble latest, long now) {
    holding++;
    rejectsUnseen |= latest != null && latest.answered() && !seenByHealthCheck;
    troubled(latest, now);
  }

  /** An event loop holds no more requests. */
  void holdEnded(FailoverHoldReport report, long now) {
    holding = Math.max(0, holding - 1);
    beganBefore(now - report.lasted().toNanos());
    held += report.requests();
    served += report.served();
    failed += report.failed();
    if (report.served() > 0) {
      rejectsUnseen = false;
      worked(now);
    } else if (report.failed() > 0) {
      String rejection = report.rejection();
      troubled(rejection == null ? null : new Trouble(rejection, true), now);
    }
  }

  boolean isHolding() {
    return holding > 0;
  }

  /**
   * A health check found that the node does not serve.
   *
   * @param latest null if it has not answered yet
   * @param since for how long at least
   */
  void foundByHealthCheck(@Nullable Trouble latest, Duration since, long now) {
    seenByHealthCheck = true;
    rejectsUnseen = false;
    troubled(latest, now);
    beganBefore(now - since.toNanos());
  }

  /** A health check found that the node serves. */
  void served(@Nullable Instant at, long now) {
    if (!isGood && at != null && at.isAfter(troubledTime)) {
      isGood = true;
      goodAt = now;
    }
  }

  /** Returns whether the node serves again. */
  boolean isServedAgain(long now) {
    return isGood && ((!connectingFailed && !rejectsUnseen) || now - troubledAt > QUIET_NANOS);
  }

  /** Returns how long the outage lasted if the node serves again. */
  long lastedUntilServed() {
    return (hasWorked ? workedAt : goodAt) - beganAt;
  }

  /** Returns how long the outage has lasted. */
  long lasted(long now) {
    return now - beganAt;
  }

  boolean hasFailures() {
    return failed > 0;
  }

  /** Returns the counts of the failover hold, or nothing if no request was held. */
  String counts() {
    return held == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "; failover hold: %d request%s, %d served, %d failed",
            held,
            held == 1 ? "" : "s",
            served,
            failed);
  }

  boolean isLogged() {
    return isLogged;
  }

  /** Returns whether the line that was logged last says that the node rejects requests. */
  boolean wasLoggedRejecting() {
    return isLogged && loggedRejecting;
  }

  /** Returns whether the line that was logged last says something else about the node. */
  boolean hasChangedSinceLogged() {
    return isLogged && loggedRejecting != isRejecting();
  }

  /** Returns the time since it was logged; only valid if it was. */
  long sinceLogged(long now) {
    return now - loggedAt;
  }

  /** Records that it was logged as it is. */
  void logged(long now) {
    isLogged = true;
    loggedRejecting = isRejecting();
    loggedAt = now;
  }
}
