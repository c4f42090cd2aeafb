package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;

/**
 * Gives tests a cluster of three masters without replicas, whose node timeout is longer than a test
 * stops a node: nobody takes it for dead. Shared as {@link SharedCluster} is, and empty whenever it
 * is handed out.
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
