package io.penstock.bench.harness;

import io.penstock.testkit.cluster.EmbeddedCluster;
import java.util.Arrays;
import java.util.List;

/** What a load is sent to. */
public sealed interface Target {

  /** The name in tables and charts. */
  String name();

  /** The process that is measured; 0 if there is none or it is unknown. */
  long pid();

  /** The processes of the servers behind it, which are measured too; empty if they are unknown. */
  List<Long> servers();

  /**
   * One address: a proxy, or a server.
   *
   * @param host a Unix socket's path if it begins with a slash
   * @param port 0 for a Unix socket
   */
  record Address(String name, String host, int port, long pid, List<Long> servers)
      implements Target {

    /** How {@link #parse} takes them. */
    public static final String FORM =
        "name=host:port[:pid[:pid of a server+…]], or a Unix socket's path for host:port";

    public Address {
      servers = List.copyOf(servers);
    }

    /** One whose servers are unknown. */
    public Address(String name, String host, int port, long pid) {
      this(name, host, port, pid, List.of());
    }

    /**
     * From {@value #FORM}.
     *
     * @throws IllegalArgumentException when the text is nothing of that kind
     */
    public static Address parse(String text) {
      int equals = text.indexOf('=');
      String[] parts = text.substring(equals + 1).split(":", -1);
      int pid = parts[0].startsWith("/") ? 1 : 2; // index of what follows the address
      if (equals < 1 || parts[0].isEmpty() || parts.length < pid || parts.length > pid + 2) {
        throw new IllegalArgumentException(text + " is not " + FORM);
      }
      try {
        return new Address(
            text.substring(0, equals),
            parts[0],
            pid == 1 ? 0 : Integer.parseInt(parts[1]),
            parts.length == pid ? 0 : Long.parseLong(parts[pid]),
            parts.length < pid + 2
                ? List.of()
                : Arrays.stream(parts[pid + 1].split("\\+")).map(Long::valueOf).toList());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(text + " is not " + FORM, e);
      }
    }

    /** Whether it is a Unix socket, which only redis-benchmark can reach. */
    public boolean isUnixSocket() {
      return host.startsWith("/");
    }
  }

  /** The cluster itself, for clients that speak to clusters, without a proxy. */
  record Direct(String name, EmbeddedCluster cluster) implements Target {

    @Override
    public long pid() {
      return 0;
    }

    @Override
    public List<Long> servers() {
      return Servers.pids(cluster);
    }
  }
}
