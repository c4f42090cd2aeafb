package io.penstock.server.it;

import io.penstock.testkit.cluster.SentinelGroup;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides tests with a master, two replicas and three sentinels, started once for all classes of a
 * JVM and stopped after the last. Injected ready and empty; which node is the master differs.
 */
public final class SharedGroup implements ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedGroup.class);

  private record Holder(SentinelGroup group) implements AutoCloseable {
    @Override
    public void close() {
      group.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == SentinelGroup.class;
  }

  @Override
  public SentinelGroup resolveParameter(ParameterContext parameter, ExtensionContext context) {
    SentinelGroup group =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(getClass(), _ -> new Holder(builder().start()), Holder.class)
            .group();
    group.awaitReady();
    group.master().text("FLUSHALL");
    return group;
  }

  /**
   * A replica takes over a second after its master's last answer. The nodes permit {@code DEBUG}.
   */
  public static SentinelGroup.Builder builder() {
    var builder = SentinelGroup.builder().downAfter(Duration.ofSeconds(1));
    return ReferenceServer.isAtLeast(7, 0)
        ? builder.option("enable-debug-command", "yes")
        : builder;
  }
}
