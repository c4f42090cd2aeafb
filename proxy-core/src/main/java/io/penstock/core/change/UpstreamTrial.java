package io.penstock.core.change;

import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.UpstreamStatus.Gap;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a new upstream answers as well as the one that it replaces, and knows as much about
 * its nodes, before clients use it. An upstream that neither answers nor knows them may be replaced
 * by any. On the topology thread.
 */
public final class UpstreamTrial {

  private static final Duration PERIOD = Duration.ofMillis(20);
  private static final Duration LEAST_TIME = Duration.ofSeconds(5);

  /** Connecting, discovering the nodes and asking them may take a connect timeout each. */
  private static final int CONNECT_TIMEOUTS = 4;

  private static final int MOST_FAILURES = 3;

  private final TopologyThread thread;
  private final RespUpstream upstream;
  private final boolean mustBeComplete;
  private final boolean mustBeReady;
  private final boolean mustKnowNodes;
  private final CompletableFuture<Void> result = new CompletableFuture<>();
  private final Duration time;
  private final Set<String> failures = new LinkedHashSet<>(); // the first few that differ

  public UpstreamTrial(TopologyThread thread, RespUpstream upstream, RespUpstream earlier) {
    this.thread = thread;
    this.upstream = upstream;
    this.mustBeComplete = earlier.isComplete();
    this.mustBeReady = earlier.isReady();
    this.mustKnowNodes = earlier.topology().isFullyCovered();
    Duration limit = upstream.settings().backend().connectTimeout().multipliedBy(CONNECT_TIMEOUTS);
    this.time = limit.compareTo(LEAST_TIME) < 0 ? LEAST_TIME : limit;
  }

  /**
   * Completes when clients may use the new upstream; fails with the reason if it does not answer.
   */
  public CompletableFuture<Void> run() {
    thread.execute(() -> check(thread.nanoTime() + time.toNanos()));
    return result;
  }

  private void check(long deadline) {
    add(upstream.reachability().failure());
    if (isGood()) {
      result.complete(null);
    } else if (thread.nanoTime() - deadline < 0) {
      thread.runAfter(PERIOD, () -> check(deadline));
    } else if (upstream.isReady()) {
      result.complete(null); // a part of it, as after a start
    } else {
      result.completeExceptionally(new ChangeRejectedException(reason()));
    }
  }

  private void add(@Nullable String failure) {
    if (failure != null && failures.size() < MOST_FAILURES) {
      failures.add(failure);
    }
  }

  private boolean isGood() {
    return (!mustBeComplete || upstream.isComplete())
        && (!mustBeReady || upstream.isReady())
        && (!mustKnowNodes || upstream.topology().isFullyCovered());
  }

  private String reason() {
    for (Gap gap : upstream.status().gaps()) {
      if (gap.master() != null && gap.reason() != null) {
        add(gap.master() + ": " + gap.reason());
      }
    }
    return "upstream "
        + upstream.name()
        + ": no master of "
        + upstream.description()
        + " serves requests within "
        + time.toSeconds()
        + " s"
        + (failures.isEmpty() ? "" : ": " + String.join("; ", failures));
  }
}
