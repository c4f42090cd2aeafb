package io.penstock.bench.load;

import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Sample;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What the nodes of a cluster, or a single server, say about patterns.
 *
 * @param all with replicas
 * @param masters those that clients subscribe at
 */
public record PatternNodes(Servers servers, List<ServerProcess> all, List<ServerProcess> masters) {

  /** Patterns that other clients may have. */
  private static final int FEW = 200;

  private static final int QUIET_MICROS = 5_000; // in a second
  private static final Pattern PATTERNS_OF_CONNECTION = Pattern.compile(" psub=(\\d+) ");

  /** Of a cluster. */
  public static PatternNodes of(EmbeddedCluster cluster) {
    return new PatternNodes(
        Servers.of(cluster),
        cluster.members().stream().map(Member::server).toList(),
        cluster.masters().stream().map(Member::server).toList());
  }

  /** Of a server on its own. */
  public static PatternNodes of(ServerProcess server) {
    return new PatternNodes(Servers.of(server), List.of(server), List.of(server));
  }

  /** The masters as targets, without a proxy. */
  public List<Target.Address> direct() {
    return masters.stream()
        .map(
            master -> new Target.Address("direct", master.host(), master.port(), 0, servers.pids()))
        .toList();
  }

  /** The time that the nodes have spent in a command so far, in µs. */
  public long micros(String command) {
    Pattern usec = Pattern.compile("(?m)^cmdstat_" + command + ":.*?usec=(\\d+)");
    return sum(all, usec, "INFO", "commandstats");
  }

  /** The newest configuration epoch; 0 if the server has none. */
  public long epoch() {
    if (all.size() == 1) {
      return 0;
    }
    Pattern epoch = Pattern.compile("cluster_current_epoch:(\\d+)");
    return all.stream()
        .mapToLong(node -> sum(List.of(node), epoch, "CLUSTER", "INFO"))
        .max()
        .orElse(0);
  }

  /** How many connections of a node have patterns, and how many the one with most has. */
  public Sample connections() {
    long connections = 0;
    long most = 0;
    for (ServerProcess master : masters) {
      List<Long> patterns =
          numbers(master, PATTERNS_OF_CONNECTION, "CLIENT", "LIST", "TYPE", "pubsub").stream()
              .filter(count -> count > 0)
              .toList();
      connections = Math.max(connections, patterns.size());
      most = Math.max(most, patterns.stream().mapToLong(Long::longValue).max().orElse(0));
    }
    return Sample.EMPTY
        .with(Measure.PATTERN_CONNECTIONS, (double) connections)
        .with(Measure.MOST_PATTERNS, (double) most);
  }

  /** Returns when the nodes do next to nothing about patterns for a second. */
  public void awaitQuiet(Duration atMost) throws InterruptedException {
    LongSupplier spent = () -> micros("psubscribe") + micros("punsubscribe");
    long deadline = System.nanoTime() + atMost.toNanos();
    long before = spent.getAsLong();
    while (true) {
      TimeUnit.SECONDS.sleep(1);
      long now = spent.getAsLong();
      if (now - before < QUIET_MICROS) {
        return;
      }
      before = now;
      requireBefore(deadline, "the nodes are busy with patterns all the time");
    }
  }

  /** Returns when the nodes have no patterns but those of other clients. */
  public void awaitFewPatterns(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (masters.stream().mapToLong(each -> Long.parseLong(each.text("PUBSUB", "NUMPAT"))).sum()
        >= FEW) {
      TimeUnit.MILLISECONDS.sleep(50);
      requireBefore(deadline, "the nodes have patterns of clients that are gone");
    }
  }

  private static void requireBefore(long deadline, String otherwise) {
    if (System.nanoTime() - deadline > 0) {
      throw new LoadFailure(otherwise);
    }
  }

  private static long sum(List<ServerProcess> nodes, Pattern number, String... command) {
    return nodes.stream()
        .flatMap(node -> numbers(node, number, command).stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  private static List<Long> numbers(ServerProcess node, Pattern number, String... command) {
    List<MatchResult> found = number.matcher(node.text(command)).results().toList();
    return found.stream().map(each -> Long.valueOf(each.group(1))).toList();
  }
}
