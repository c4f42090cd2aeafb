package io.penstock.server.management;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/** Limits the port with Tomcat's own keys, after Spring Boot has applied them. */
final class ManagementPortCustomizer
    implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

  /** In addition to {@code server.tomcat.threads.max}, which limits requests other than probes. */
  private static final int PROBE_THREADS = 4;

  /** Room for connections that are shut down but not closed yet. */
  private static final int CLOSING = 16;

  private final ManagementPaths paths;
  private final Rejections rejections;
  private final ManagementAccess access;

  ManagementPortCustomizer(ManagementPaths paths, Rejections rejections, ManagementAccess access) {
    this.paths = paths;
    this.rejections = rejections;
    this.access = access;
  }

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    Connections connections = new Connections(rejections, System::nanoTime);
    RequestGuard guard = new RequestGuard(paths, rejections, connections, access);
    List<Valve> valves = new ArrayList<>(List.of(guard)); // before a valve that changes addresses
    valves.addAll(factory.getEngineValves());
    factory.setEngineValves(valves);
    factory.setProtocol(BoundedProtocol.class.getName());
    factory.addConnectorCustomizers(connector -> bound(connector, connections, guard));
  }

  private static void bound(Connector connector, Connections connections, RequestGuard guard) {
    if (connector.getProtocolHandler() instanceof BoundedProtocol protocol) {
      int max = protocol.getMaxConnections();
      if (max > 0) {
        connections.limit(max, Duration.ofMillis(protocol.getConnectionTimeout()));
        protocol.setMaxConnections(max + CLOSING);
      }
      protocol.bound(connections);
      guard.limitOtherRequests(protocol.getMaxThreads());
      protocol.setMaxThreads(protocol.getMaxThreads() + PROBE_THREADS);
    }
  }
}
