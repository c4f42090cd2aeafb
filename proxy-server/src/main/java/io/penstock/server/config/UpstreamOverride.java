package io.penstock.server.config;

/**
 * What commands are sent to whatever the configuration says, as a bean: the demo's own cluster.
 *
 * @param resource a resource URL
 */
public record UpstreamOverride(String resource) {

  @Override
  public String toString() {
    return "UpstreamOverride"; // the resource may hold a password
  }
}
