package io.penstock.server.management;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/** Bounds the port by Tomcat's own keys, after Spring Boot has read them. */
final class ManagementPortCustomizer
    implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

  /** Besides {@code server.tomcat.threads.max}, which is for what is no probe. */
  private static final int PROBE_THREADS = 4;

  /** Connections that are shut down and not closed yet. */
  private static final int LEAVING = 16;

  private final ManagementPaths endpoints;
  private final Rejections refusals;

  ManagementPortCustomizer(ManagementPaths endpoints, Rejections refusals) {
    this.endpoints = endpoints;
    this.refusals = refusals;
  }

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    Connections connections = new Connections(refusals, System::nanoTime);
    RequestGuard guard = new RequestGuard(endpoints, refusals, connections);
    List<Valve> valves = new ArrayList<>(List.of(guard)); // before one that changes addresses
    valves.addAll(factory.getEngineValves());
    factory.setEngineValves(valves);
    factory.setProtocol(BoundedProtocol.class.getName());
    factory.addConnectorCustomizers(connector -> bound(connector, connections, guard));
  }

  private static void bound(Connector connector, Connections connections, RequestGuard guard) {
    if (connector.getProtocolHandler() instanceof BoundedProtocol protocol) {
      int most = protocol.getMaxConnections();
      if (most > 0) {
        connections.limit(most, Duration.ofMillis(protocol.getConnectionTimeout()));
        protocol.setMaxConnections(most + LEAVING);
      }
      protocol.bound(connections);
      guard.threadsForOthers(protocol.getMaxThreads());
      protocol.setMaxThreads(protocol.getMaxThreads() + PROBE_THREADS);
    }
  }
}
