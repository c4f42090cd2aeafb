package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;

/**
 * Provides tests with a cluster of three masters without replicas. Its node timeout is longer than
 * any test freezes a node, so that no node is marked as failed. Shared like {@link SharedCluster},
 * and emptied each time it is injected.
 */
public final class SteadyCluster extends SharedCluster {

  public SteadyCluster() {
    super(() -> EmbeddedCluster.builder().masters(3).nodeTimeout(Duration.ofSeconds(60)).start());
  }

  @Override
  public EmbeddedCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    EmbeddedCluster cluster = super.resolveParameter(parameter, context);
    for (Member master : cluster.masters()) {
      master.text("FLUSHALL");
    }
    return cluster;
  }
}
