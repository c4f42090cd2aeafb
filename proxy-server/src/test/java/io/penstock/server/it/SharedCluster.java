package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides tests with a cluster of three masters with a replica each, started once for all classes
 * of a JVM and stopped after the last. A test that changes its shape must restore it.
 */
public class SharedCluster implements ParameterResolver {

  /** {@code cluster-node-timeout} of the clusters in these tests. */
  public static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedCluster.class);

  private final Supplier<EmbeddedCluster> starter;

  private record Holder(EmbeddedCluster cluster) implements AutoCloseable {
    @Override
    public void close() {
      cluster.close();
    }
  }

  public SharedCluster() {
    this(SharedCluster::start);
  }

  /** For subclasses: each subclass shares another cluster. */
  SharedCluster(Supplier<EmbeddedCluster> starter) {
    this.starter = starter;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == EmbeddedCluster.class;
  }

  @Override
  public EmbeddedCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(getClass(), _ -> new Holder(starter.get()), Holder.class)
        .cluster();
  }

  public static EmbeddedCluster start() {
    return builder().start();
  }

  /**
   * The servers permit {@code DEBUG}. A busy machine can keep a master silent for the node timeout:
   * then its replica must not take over without the last writes.
   */
  public static EmbeddedCluster.Builder builder() {
    var builder =
        EmbeddedCluster.builder()
            .masters(3)
            .replicas(1)
            .nodeTimeout(NODE_TIMEOUT)
            .failoverOnRequest();
    return ReferenceServer.isAtLeast(7, 0)
        ? builder.option("enable-debug-command", "yes")
        : builder;
  }
}
