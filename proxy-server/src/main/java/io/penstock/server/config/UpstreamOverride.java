package io.penstock.server.config;

/**
 * A bean that replaces the configured resource: the cluster of profile {@code demo}.
 *
 * @param resource a resource URL
 */
public record UpstreamOverride(String resource) {

  @Override
  public String toString() {
    return "UpstreamOverride"; // the resource may contain a password
  }
}
