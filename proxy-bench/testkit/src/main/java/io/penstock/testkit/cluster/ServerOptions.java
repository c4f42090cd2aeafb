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
 * @param tls what the TLS port needs; null for a server without one
 * @param extra further lines of the configuration file
 */
record ServerOptions(
    String host,
    @Nullable String user,
    @Nullable String password,
    boolean sentinel,
    @Nullable TlsFiles tls,
    List<String> extra) {

  ServerOptions {
    extra = List.copyOf(extra);
  }

  static final ServerOptions PLAIN =
      new ServerOptions("127.0.0.1", null, null, false, null, List.of());

  /** With one more directive; its values are quoted as the configuration file needs it. */
  ServerOptions with(String directive, String... values) {
    StringBuilder line = new StringBuilder(directive);
    for (String value : values) {
      line.append(' ').append(quoted(value));
    }
    List<String> lines = new ArrayList<>(extra);
    lines.add(line.toString());
    return new ServerOptions(host, user, password, sentinel, tls, lines);
  }

  ServerOptions onHost(String newHost) {
    return new ServerOptions(newHost, user, password, sentinel, tls, extra);
  }

  ServerOptions protectedBy(@Nullable String newUser, String newPassword) {
    return new ServerOptions(host, newUser, newPassword, sentinel, tls, extra);
  }

  ServerOptions asSentinel() {
    return new ServerOptions(host, user, password, true, tls, extra);
  }

  /** With a TLS port, over which replicas and the cluster's nodes talk to each other too. */
  ServerOptions over(TlsFiles files) {
    return new ServerOptions(host, user, password, sentinel, files, extra);
  }

  /**
   * The configuration file of a server on {@code port}.
   *
   * @param tlsPort for TLS, if {@link #tls} is set
   */
  List<String> configuration(int port, int tlsPort) {
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
    if (tls != null) {
      lines.add("tls-port " + tlsPort);
      lines.add("tls-cert-file " + quoted(tls.certificate().toString()));
      lines.add("tls-key-file " + quoted(tls.key().toString()));
      lines.add("tls-ca-cert-file " + quoted(tls.authority().toString()));
      lines.add("tls-auth-clients optional");
      lines.add("tls-replication yes");
      lines.add("tls-cluster yes");
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
