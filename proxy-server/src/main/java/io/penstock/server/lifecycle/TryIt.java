package io.penstock.server.lifecycle;

import io.penstock.testkit.cluster.SearchPath;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A shell command that sends requests to Penstock with programs that are installed. */
final class TryIt {

  private static final String REQUESTS = "set greeting hello\\r\\nget greeting\\r\\nquit\\r\\n";

  private TryIt() {}

  /**
   * Returns the shell command for a Unix socket.
   *
   * @param socket the path that Penstock listens on
   * @param path where to search for {@code redis-cli}
   */
  static String line(String socket, SearchPath path) {
    Path cli = path.find("redis-cli", "valkey-cli");
    return cli == null
        ? "printf '%s' | nc -U %s".formatted(REQUESTS, socket)
        : "%s -s %s set greeting hello".formatted(cli.getFileName(), socket);
  }

  /**
   * Returns the shell command.
   *
   * @param listening the address that Penstock listens on
   * @param authority file of the certificate that clients must trust; null without TLS
   * @param path where to search for {@code redis-cli} and {@code bash}
   */
  static String line(InetSocketAddress listening, @Nullable Path authority, SearchPath path) {
    InetAddress address = listening.getAddress();
    String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
    int port = listening.getPort();
    Path cli = path.find("redis-cli", "valkey-cli");
    if (cli != null) {
      String where = host.equals("127.0.0.1") ? "" : " -h " + host;
      String tls = authority == null ? "" : " --tls --cacert " + authority;
      return "%s%s -p %d%s set greeting hello".formatted(cli.getFileName(), where, port, tls);
    }
    if (authority != null) {
      return "printf '%s' | openssl s_client -quiet -CAfile %s -verify_return_error -connect %s:%d"
          .formatted(REQUESTS, authority, host, port);
    }
    return path.find("bash") == null
        ? "printf '%s' | nc %s %d".formatted(REQUESTS, host, port)
        : "bash -c 'exec 3<>/dev/tcp/%s/%d; printf \"%s\" >&3; cat <&3'"
            .formatted(host, port, REQUESTS);
  }
}
