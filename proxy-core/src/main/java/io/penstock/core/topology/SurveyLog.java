package io.penstock.core.topology;

import io.penstock.core.cluster.Node;
import java.util.HashMap;
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
  private volatile @Nullable String failure;

  SurveyLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void failed(Node node, @Nullable Throwable cause) {
    String reason = cause == null ? "no answer" : Outage.reason(cause);
    failure = node + ": " + reason;
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
    forgetFailure();
  }

  /** Other nodes are nobody's business any more. */
  void keepOnly(Set<Node> nodes) {
    outages.keySet().retainAll(nodes);
    forgetFailure();
  }

  private void forgetFailure() {
    if (outages.isEmpty()) {
      failure = null;
    }
  }

  /** Why a node gave no answer last; null when all did. Any thread. */
  @Nullable String failure() {
    return failure;
  }
}
