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
 * @param sentinel whether it is a sentinel, which has no data
 * @param extra further lines of the configuration file
 */
record ServerOptions(
    String host,
    @Nullable String user,
    @Nullable String password,
    boolean sentinel,
    List<String> extra) {

  ServerOptions {
    extra = List.copyOf(extra);
  }

  static final ServerOptions PLAIN = new ServerOptions("127.0.0.1", null, null, false, List.of());

  /** With one more directive; its values are quoted as the configuration file needs it. */
  ServerOptions with(String directive, String... values) {
    StringBuilder line = new StringBuilder(directive);
    for (String value : values) {
      line.append(' ').append(quoted(value));
    }
    List<String> lines = new ArrayList<>(extra);
    lines.add(line.toString());
    return new ServerOptions(host, user, password, sentinel, lines);
  }

  ServerOptions onHost(String newHost) {
    return new ServerOptions(newHost, user, password, sentinel, extra);
  }

  ServerOptions protectedBy(@Nullable String newUser, String newPassword) {
    return new ServerOptions(host, newUser, newPassword, sentinel, extra);
  }

  ServerOptions asSentinel() {
    return new ServerOptions(host, user, password, true, extra);
  }

  /** The configuration file of a server on {@code port}. */
  List<String> configuration(int port) {
    List<String> lines = new ArrayList<>();
    lines.add("port " + port);
    lines.add("bind " + host);
    lines.add("protected-mode no");
    lines.add("daemonize no");
    if (password != null && user == null) {
      lines.add("requirepass " + quoted(password));
    } else if (password != null && user != null) {
      lines.add("user default off");
      lines.add("user " + user + " on " + quoted(">" + password) + " ~* &* +@all");
    }
    if (!sentinel) {
      lines.addAll(replication());
    }
    lines.addAll(extra);
    return lines;
  }

  private List<String> replication() {
    List<String> lines = new ArrayList<>();
    lines.add("save \"\"");
    lines.add("appendonly no");
    lines.add("repl-diskless-sync yes");
    lines.add("repl-diskless-sync-delay 0");
    if (user != null) {
      lines.add("masteruser " + user);
    }
    if (password != null) {
      lines.add("masterauth " + quoted(password));
    }
    return lines;
  }

  private static String quoted(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
