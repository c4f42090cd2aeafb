package io.penstock.core.topology;

import io.penstock.core.cluster.Node;
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
  private final Map<Node, Silence> silent = new LinkedHashMap<>(); // for longest first
  private volatile @Nullable String failure;

  /** A node that does not answer, and why not when it was last asked. */
  private record Silence(Outage outage, String reason) {}

  SurveyLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void failed(Node node, @Nullable Throwable cause) {
    String reason = cause == null ? "no answer" : Outage.reason(cause);
    Silence before = silent.get(node);
    Outage outage = before == null ? new Outage(nanoTime) : before.outage;
    silent.put(node, new Silence(outage, reason));
    publish();
    if (outage.failed()) {
      LOG.warn("Cannot ask {} what it is ({} tries so far): {}", node, outage.failures(), reason);
    } else {
      LOG.debug("{} did not say what it is", node, cause);
    }
  }

  void worked(Node node) {
    Silence over = silent.remove(node);
    if (over != null) {
      LOG.info("{} answers again after {} failed tries", node, over.outage.failures());
    }
    publish();
  }

  /** Other nodes are nobody's business any more. */
  void keepOnly(Set<Node> nodes) {
    silent.keySet().retainAll(nodes);
    publish();
  }

  private void publish() {
    failure =
        silent.entrySet().stream()
            .findFirst()
            .map(first -> first.getKey() + ": " + first.getValue().reason)
            .orElse(null);
  }

  /** Why a node does not answer: one that does not for longest; null when all do. Any thread. */
  @Nullable String failure() {
    return failure;
  }
}
