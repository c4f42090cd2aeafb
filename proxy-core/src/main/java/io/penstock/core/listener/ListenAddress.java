package io.penstock.core.listener;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a listener accepts clients: one port of one or several addresses of this machine.
 *
 * @param hosts host names or literal addresses, at least one, none twice
 * @param port TCP port of all; 0 selects a free one
 */
public record ListenAddress(List<String> hosts, int port) {

  public ListenAddress {
    hosts = List.copyOf(hosts);
  }

  /** A port of a single address. */
  public ListenAddress(String host, int port) {
    this(List.of(host), port);
  }

  /** Returns the addresses with another port: the one that was bound instead of 0. */
  public ListenAddress withPort(int bound) {
    return new ListenAddress(hosts, bound);
  }

  /** Returns each address with the port, as URLs have them. */
  @Override
  public String toString() {
    return hosts.stream()
        .map(host -> host.indexOf(':') < 0 ? host : "[" + host + "]")
        .map(host -> host + ":" + port)
        .collect(Collectors.joining(", "));
  }
}
