package io.penstock.core.replicas;

import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Shard;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a replica is not read any more, and when it is read again: at most one such pair of
 * lines per replica in ten seconds. Confined to the topology thread.
 */
final class ReplicaLog {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaMonitor.class);
  private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long NANOS_PER_MILLI = Duration.ofMillis(1).toNanos();

  private final LogPrefix prefix;
  private final ReadSettings settings;
  private final LongSupplier nanoTime;
  private final Map<Endpoint, Absence> absences = new HashMap<>();
  private final Map<Endpoint, Long> nothingReadableAt = new HashMap<>(); // last line, by master

  /** That a replica was left out; kept afterwards to limit the lines. */
  private static final class Absence {
    ReplicaState state = ReplicaState.READABLE; // as logged, or skipped
    long since;
    long loggedAt;
    boolean isLogged; // the line that it was left out, for the present absence
    int skipped;
  }

  ReplicaLog(LogPrefix prefix, ReadSettings settings, LongSupplier nanoTime) {
    this.prefix = prefix;
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  /** Forgets all other nodes. */
  void keepOnly(Set<Endpoint> nodes) {
    absences.keySet().retainAll(nodes);
    nothingReadableAt.keySet().retainAll(nodes);
  }

  /** Logs that reads of a shard have to wait, once a minute. */
  void nothingReadable(Shard shard) {
    long time = nanoTime.getAsLong();
    Long last = nothingReadableAt.get(shard.master());
    if (last == null || time - last >= REPEAT_NANOS) {
      nothingReadableAt.put(shard.master(), time);
      LOG.warn(
          "{}None of {} replicas of {} may be read, and the policy forbids reads from the master:"
              + " reads wait",
          prefix,
          shard.replicas().size(),
          shard.master());
    }
  }

  /** Logs a change of a replica's state. */
  void judged(ReplicaStatus now) {
    boolean readable = now.state() == ReplicaState.READABLE;
    Absence absence = absences.get(now.node());
    if (absence == null && readable) {
      return;
    }
    if (absence == null) {
      absence = new Absence();
      absence.loggedAt = nanoTime.getAsLong() - QUIET_NANOS;
      absences.put(now.node(), absence);
    }
    if (absence.state != now.state()) {
      if (readable) {
        ended(absence, now);
      } else if (absence.state == ReplicaState.READABLE) {
        began(absence, now);
      }
      absence.state = now.state(); // another reason of one absence is not logged
    }
  }

  private void began(Absence absence, ReplicaStatus now) {
    long time = nanoTime.getAsLong();
    absence.since = time;
    absence.isLogged = time - absence.loggedAt >= QUIET_NANOS;
    if (!absence.isLogged) {
      absence.skipped++;
      return;
    }
    absence.loggedAt = time;
    LOG.warn(
        "{}Replica {} is not read: it {}{}{}",
        prefix,
        now.node(),
        now.state().description(),
        details(now),
        absence.skipped == 0 ? "" : "; left out " + absence.skipped + " more times since the last");
    absence.skipped = 0;
  }

  private String details(ReplicaStatus now) {
    return switch (now.state()) {
      case LAG ->
          now.lagBytes() == ReplicaStatus.UNKNOWN
              ? " (lag unknown)"
              : " ("
                  + now.lagBytes()
                  + " bytes; max-replica-lag is "
                  + settings.maxLagBytes()
                  + ")";
      case OTHER_DATA -> " (" + now.master() + ")";
      default -> now.failure() == null ? "" : " (" + now.failure() + ")";
    };
  }

  private void ended(Absence absence, ReplicaStatus now) {
    if (absence.isLogged) {
      LOG.info(
          "{}Replica {} is read again after {} ms",
          prefix,
          now.node(),
          (nanoTime.getAsLong() - absence.since) / NANOS_PER_MILLI);
    }
  }
}
