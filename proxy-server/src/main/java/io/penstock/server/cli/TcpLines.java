package io.penstock.server.cli;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.observe.ShownTime;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpSettings;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** A TCP upstream, for people to read: one line for each server. */
final class TcpLines {

  private TcpLines() {}

  static String description(TcpSettings settings) {
    StringJoiner text = new StringJoiner(", ", "", ":");
    int servers = settings.servers().size();
    text.add(servers + " TCP " + (servers == 1 ? "server" : "servers"));
    text.add(settings.balance().key());
    if (settings.transport().tls() != null) {
      text.add("with TLS");
    }
    HAProxyProtocolVersion header = settings.transport().proxyProtocol();
    if (header != null) {
      text.add("PROXY protocol " + header.name().toLowerCase(Locale.ROOT));
    }
    if (settings.check() != null) {
      text.add("checked every " + ShownTime.seconds(settings.check().interval()));
    }
    return text.toString();
  }

  static List<String> of(TcpSettings settings) {
    boolean mayBeOut = settings.servers().size() > 1; // a single server is always tried
    return settings.servers().stream()
        .map(server -> "  " + server + traits(server, mayBeOut))
        .toList();
  }

  private static String traits(TcpServer server, boolean mayBeOut) {
    StringJoiner traits = new StringJoiner(", ", " (", ")").setEmptyValue("");
    if (server.weight() != 1) {
      traits.add("weight " + server.weight());
    }
    if (server.maxConnections() > 0) {
      traits.add("up to " + server.maxConnections() + " connections");
    }
    if (mayBeOut && server.maxFails() == 0) {
      traits.add("never out");
    } else if (mayBeOut && !hasDefaultFailures(server)) {
      traits.add(
          "out for %s after %d %s"
              .formatted(
                  ShownTime.seconds(server.failTimeout()),
                  server.maxFails(),
                  server.maxFails() == 1 ? "failure" : "failures"));
    }
    if (server.slowStart().isPositive()) {
      traits.add("slow start in " + ShownTime.seconds(server.slowStart()));
    }
    if (server.backup()) {
      traits.add("backup");
    }
    if (server.down()) {
      traits.add("down");
    }
    return traits.toString();
  }

  private static boolean hasDefaultFailures(TcpServer server) {
    return server.maxFails() == 1 && server.failTimeout().equals(TcpServer.FAIL_TIMEOUT);
  }
}
