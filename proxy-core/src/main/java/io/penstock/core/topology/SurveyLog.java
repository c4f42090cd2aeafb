package io.penstock.core.topology;

import io.penstock.core.cluster.Node;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which nodes do not let Penstock ask them, and why: of each the first failure and then one in
 * a while, and the end. Confined to the topology thread but for {@link #failure}.
 */
final class SurveyLog {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSurvey.class);

  private final LongSupplier nanoTime;
  private final Map<Node, Outage> outages = new HashMap<>();
  private final Map<Node, String> reasons = new LinkedHashMap<>(); // of those outages
  private volatile @Nullable String failure;

  SurveyLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void failed(Node node, @Nullable Throwable cause) {
    String reason = cause == null ? "no answer" : Outage.reason(cause);
    reasons.put(node, reason);
    publish();
    Outage outage = outages.computeIfAbsent(node, _ -> new Outage(nanoTime));
    if (outage.failed()) {
      LOG.warn("Cannot ask {} what it is ({} tries so far): {}", node, outage.failures(), reason);
    } else {
      LOG.debug("{} did not say what it is", node, cause);
    }
  }

  void worked(Node node) {
    Outage outage = outages.remove(node);
    if (outage != null) {
      LOG.info("{} answers again after {} failed tries", node, outage.failures());
    }
    reasons.remove(node);
    publish();
  }

  /** Other nodes are nobody's business any more. */
  void keepOnly(Set<Node> nodes) {
    outages.keySet().retainAll(nodes);
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
