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
 * Knows which nodes do not let Penstock ask them, and why. That a node does not answer is logged by
 * who watches the nodes' health. Confined to the topology thread but for {@link #failure}.
 */
public final class SurveyFailures {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSurvey.class);

  private final Map<Endpoint, String> reasons = new LinkedHashMap<>(); // for longest first
  private volatile @Nullable String failure;

  void failed(Endpoint node, @Nullable Throwable cause) {
    reasons.put(node, cause == null ? "no answer" : Outage.reason(cause));
    LOG.debug("{} did not say what it is", node, cause);
    publish();
  }

  void succeeded(Endpoint node) {
    reasons.remove(node);
    publish();
  }

  /** Other nodes are nobody's business any more. */
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

  /** Why a node does not answer: one that does not for longest; null when all do. Any thread. */
  @Nullable String failure() {
    return failure;
  }
}
