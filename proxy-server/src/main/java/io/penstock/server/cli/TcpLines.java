package io.penstock.server.cli;

import io.penstock.core.observe.ShownTime;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpSettings;
import java.util.List;
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
    if (settings.check() != null) {
      text.add("checked every " + ShownTime.seconds(settings.check().interval()));
    }
    return text.toString();
  }

  static List<String> of(TcpSettings settings) {
    return settings.servers().stream().map(server -> "  " + server + traits(server)).toList();
  }

  private static String traits(TcpServer server) {
    StringJoiner traits = new StringJoiner(", ", " (", ")").setEmptyValue("");
    if (server.weight() != 1) {
      traits.add("weight " + server.weight());
    }
    if (server.maxConnections() > 0) {
      traits.add("up to " + server.maxConnections() + " connections");
    }
    if (server.backup()) {
      traits.add("backup");
    }
    if (server.down()) {
      traits.add("down");
    }
    return traits.toString();
  }
}
