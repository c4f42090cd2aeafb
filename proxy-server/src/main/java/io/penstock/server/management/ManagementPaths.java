package io.penstock.server.management;

import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;

/** Knows which paths are probes, and which endpoints read a request body. */
class ManagementPaths {

  private static final String HEALTH = "health";

  private final String base;
  private final String health;
  private final ObjectProvider<WebEndpointsSupplier> exposed;

  ManagementPaths(WebEndpointProperties properties, ObjectProvider<WebEndpointsSupplier> exposed) {
    this.base = properties.getBasePath() + "/";
    this.health = base + properties.getPathMapping().getOrDefault(HEALTH, HEALTH);
    this.exposed = exposed;
  }

  /** Returns whether the path is a health probe: cheap to answer, must never wait for others. */
  boolean isProbe(String path) {
    return isAtOrUnder(health, path) || path.equals("/livez") || path.equals("/readyz");
  }

  boolean readsBody(String method, String path) {
    return exposed.stream()
        .flatMap(supplier -> supplier.getEndpoints().stream())
        .filter(endpoint -> isAtOrUnder(base + endpoint.getRootPath(), path))
        .flatMap(endpoint -> endpoint.getOperations().stream())
        .map(operation -> operation.getRequestPredicate())
        .flatMap(predicate ->
            predicate.getConsumes().isEmpty()
                ? Stream.empty()
                : Stream.of(predicate.getHttpMethod().name()))
        .anyMatch(method::equals);
  }

  private static boolean isAtOrUnder(String parent, String path) {
    return path.startsWith(parent)
        && (path.length() == parent.length() || path.charAt(parent.length()) == '/');
  }
}
