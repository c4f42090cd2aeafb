package io.penstock.testkit.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a server is set up, beyond what every embedded server has (no persistence, no protected
 * mode).
 *
 * @param host address to listen on and to be reached at
 * @param user a user with all permissions; null for the default user
 * @param password of that user; null for no authentication
 * @param extra further lines of the configuration file
 */
record ServerOptions(
    String host, @Nullable String user, @Nullable String password, List<String> extra) {

  ServerOptions {
    extra = List.copyOf(extra);
  }

  static final ServerOptions PLAIN = new ServerOptions("127.0.0.1", null, null, List.of());

  /** With one more directive; its values are quoted as the configuration file needs it. */
  ServerOptions with(String directive, String... values) {
    StringBuilder line = new StringBuilder(directive);
    for (String value : values) {
      line.append(' ').append(quoted(value));
    }
    List<String> lines = new ArrayList<>(extra);
    lines.add(line.toString());
    return new ServerOptions(host, user, password, lines);
  }

  ServerOptions onHost(String newHost) {
    return new ServerOptions(newHost, user, password, extra);
  }

  ServerOptions protectedBy(@Nullable String newUser, String newPassword) {
    return new ServerOptions(host, newUser, newPassword, extra);
  }

  /** The configuration file of a server on {@code port}. */
  List<String> configuration(int port) {
    List<String> lines = new ArrayList<>();
    lines.add("port " + port);
    lines.add("bind " + host);
    lines.add("protected-mode no");
    lines.add("daemonize no");
    lines.add("save \"\"");
    lines.add("appendonly no");
    lines.add("repl-diskless-sync yes");
    lines.add("repl-diskless-sync-delay 0");
    if (password != null && user == null) {
      lines.add("requirepass " + quoted(password));
      lines.add("masterauth " + quoted(password));
    } else if (password != null && user != null) {
      lines.add("user default off");
      lines.add("user " + user + " on " + quoted(">" + password) + " ~* &* +@all");
      lines.add("masteruser " + user);
      lines.add("masterauth " + quoted(password));
    }
    lines.addAll(extra);
    return lines;
  }

  private static String quoted(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
