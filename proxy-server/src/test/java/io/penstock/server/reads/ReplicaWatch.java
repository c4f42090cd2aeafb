package io.penstock.server.reads;

import io.penstock.core.observe.ReplicaStatus;
import io.penstock.server.it.ProxyFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * When clients may change the node that they read from: while a replica is not readable, as
 * Penstock itself says, or during a fault. An event loop knows of a lost connection earlier than
 * that, and leaves the node out for a second.
 */
final class ReplicaWatch implements ReadChecker.Excuse, AutoCloseable {

  private static final long LEFT_OUT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration PERIOD = Duration.ofMillis(10);

  private final ProxyFixture proxy;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final Intervals changes = new Intervals();
  private volatile boolean disturbed;
  private long lookedAt = System.nanoTime();
  private long since; // of what goes on
  private boolean changing;
  private long timesLeftOut;

  ReplicaWatch(ProxyFixture proxy) {
    this.proxy = proxy;
    var _ = thread.scheduleWithFixedDelay(this::look, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Says whether there is a fault. */
  void disturb(boolean now) {
    disturbed = now;
  }

  private void look() {
    List<ReplicaStatus> replicas = proxy.proxy().upstreamStatus().replicas();
    long time = System.nanoTime();
    long leftOut = replicas.stream().mapToLong(ReplicaStatus::timesLeftOut).sum();
    boolean meanwhile = leftOut != timesLeftOut; // also if all are read again
    boolean now =
        disturbed || replicas.isEmpty() || !replicas.stream().allMatch(ReadsUnderFault::isReadable);
    if ((now || meanwhile) && !changing) {
      since = lookedAt - LEFT_OUT_NANOS;
      changing = true;
    }
    if (!now && changing) {
      changes.add(since, time + LEFT_OUT_NANOS);
      changing = false;
    }
    lookedAt = time;
    timesLeftOut = leftOut;
  }

  /** Returns whether a client may have changed its node; of what has ended only. */
  @Override
  public boolean between(long from, long until) {
    return changes.between(from, until);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
