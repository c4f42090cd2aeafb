package io.penstock.core.survey;

import io.penstock.core.control.Outage;
import io.penstock.core.upstream.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that the survey could not query, and why. Logs nothing above DEBUG: {@link HealthCheck}
 * reports nodes that do not answer. Confined to the topology thread, except {@link #failure}.
 */
public final class SurveyFailures {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSurvey.class);

  private final Map<Endpoint, String> reasons = new LinkedHashMap<>(); // the longest failing first
  private volatile @Nullable String failure;

  void failed(Endpoint node, @Nullable Throwable cause) {
    reasons.put(node, cause == null ? "no answer" : Outage.reason(cause));
    LOG.debug("{} did not answer the survey", node, cause);
    publish();
  }

  void succeeded(Endpoint node) {
    reasons.remove(node);
    publish();
  }

  /** Returns whether a node could not be queried the last time. */
  boolean contains(Endpoint node) {
    return reasons.containsKey(node);
  }

  /** Forgets all other nodes. */
  void keepOnly(Set<Endpoint> nodes) {
    reasons.keySet().retainAll(nodes);
    publish();
  }

  private void publish() {
    failure =
        reasons.entrySet().stream()
            .findFirst()
            .map(first -> first.getKey() + ": " + first.getValue())
            .orElse(null);
  }

  /**
   * Returns the failure of the node that has been failing for longest; null if all nodes answer.
   * Any thread.
   */
  @Nullable String failure() {
    return failure;
  }
}
