package io.penstock.testkit.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How the sentinels of a {@link SentinelGroup} are set up.
 *
 * @param name of the master
 * @param count number of sentinels
 * @param quorum how many must think that the master is down
 * @param downAfter without an answer, before a sentinel thinks so
 * @param failoverTimeout before a failover that got stuck is tried again
 * @param server address, credentials and further lines of the sentinels themselves
 */
record SentinelOptions(
    String name,
    int count,
    int quorum,
    Duration downAfter,
    Duration failoverTimeout,
    ServerOptions server) {

  static final SentinelOptions TRIO =
      new SentinelOptions(
          "mymaster",
          3,
          2,
          Duration.ofSeconds(1),
          Duration.ofSeconds(3),
          ServerOptions.PLAIN.asSentinel());

  SentinelOptions named(String newName) {
    return new SentinelOptions(newName, count, quorum, downAfter, failoverTimeout, server);
  }

  /** A majority is the quorum. */
  SentinelOptions numbering(int newCount) {
    return new SentinelOptions(
        name, newCount, newCount / 2 + 1, downAfter, failoverTimeout, server);
  }

  SentinelOptions agreeing(int newQuorum) {
    return new SentinelOptions(name, count, newQuorum, downAfter, failoverTimeout, server);
  }

  SentinelOptions waiting(Duration newDownAfter, Duration newFailoverTimeout) {
    return new SentinelOptions(name, count, quorum, newDownAfter, newFailoverTimeout, server);
  }

  SentinelOptions onServer(ServerOptions newServer) {
    return new SentinelOptions(name, count, quorum, downAfter, failoverTimeout, newServer);
  }

  /** The options of a sentinel that watches a master, a server with {@code node}'s options. */
  ServerOptions watching(String host, String port, ServerOptions node) {
    List<String[]> directives = new ArrayList<>();
    directives.add(words("announce-ip", server.host())); // else that of bind-source-addr
    directives.add(words("monitor", name, host, port, text(quorum)));
    directives.add(words("down-after-milliseconds", name, text(downAfter.toMillis())));
    directives.add(words("failover-timeout", name, text(failoverTimeout.toMillis())));
    if (node.user() != null) {
      directives.add(words("auth-user", name, node.user()));
    }
    if (node.password() != null) {
      directives.add(words("auth-pass", name, node.password()));
    }
    if (server.user() != null) {
      directives.add(words("sentinel-user", server.user()));
    }
    if (server.password() != null) {
      directives.add(words("sentinel-pass", server.password()));
    }
    ServerOptions options = server;
    for (String[] directive : directives) {
      options = options.with("sentinel", directive);
    }
    return options;
  }

  private static String[] words(String... words) {
    return words;
  }

  private static String text(long number) {
    return Long.toString(number);
  }
}
