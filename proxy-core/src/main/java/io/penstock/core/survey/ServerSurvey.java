package io.penstock.core.survey;

import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.output.Backoff;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries all nodes for their versions and commands: for those that Penstock's table lacks, and
 * which of the table's own no node has. Each master and replica is queried when it appears, again
 * until it has answered, and once per period; a few at a time. A report is kept while the topology
 * contains its node.
 *
 * <p>Confined to the topology thread, except the snapshot, which is immutable and behind a
 * volatile.
 */
public final class ServerSurvey {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSurvey.class);

  private static final int MAX_CONCURRENT = 4;
  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
  private static final int MAX_NAMES_LOGGED = 10;

  /**
   * Commands of servers before Redis 7.0 that later ones lack: a deprecated command, and two words
   * of HTTP that close the connection. They are learnt at each start in front of such servers and
   * are not worth a log line. Commands of modules and newer servers are.
   */
  private static final Set<String> NOT_LOGGED = Set.of("stralgo", "host:", "post");

  private final TopologyThread thread;
  private final ServerSource source;
  private final Topology topology;
  private final Duration period;
  private final LogPrefix prefix;
  private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, new SplittableRandom());
  private final Map<Endpoint, ServerReport> reports = new HashMap<>();
  private final Set<Endpoint> queue = new LinkedHashSet<>();
  private final Set<Endpoint> querying = new LinkedHashSet<>();
  private final SurveyFailures surveyFailures;
  private Consumer<ServerFacts> listener = facts -> {};
  private int failures;
  private boolean retryScheduled;
  private boolean missingPermissionLogged;
  private boolean closed;
  private volatile ServerFacts current;
  private volatile boolean reached;

  ServerSurvey(TopologyThread thread, ServerSource source, Topology topology, Settings settings) {
    this.thread = thread;
    this.source = source;
    this.topology = topology;
    this.period = settings.period;
    this.prefix = settings.logPrefix;
    this.current = settings.initial;
    this.surveyFailures = new SurveyFailures();
  }

  /**
   * Settings of a survey.
   *
   * @param period time between two queries of all nodes
   * @param initial the facts until a node has answered
   * @param logPrefix what log lines begin with
   */
  public record Settings(Duration period, ServerFacts initial, LogPrefix logPrefix) {

    /** For the only upstream. */
    Settings(Duration period, ServerFacts initial) {
      this(period, initial, LogPrefix.NONE);
    }
  }

  /** Creates a survey. Sends nothing before {@link #start}. */
  public static ServerSurvey create(ControlPlane control, Topology topology, Settings settings) {
    return new ServerSurvey(control.thread(), new LettuceServerSource(control), topology, settings);
  }

  /**
   * Starts to query nodes. Returns at once. Call once.
   *
   * @param onChange called with each new snapshot, on the topology thread; must not block
   */
  public void start(Consumer<ServerFacts> onChange) {
    thread.execute(() -> {
      listener = onChange;
      queryAll();
    });
  }

  /** Returns the latest snapshot. Any thread. */
  public ServerFacts current() {
    return current;
  }

  /** Returns whether any node has answered since the start, and why a node does not. Any thread. */
  public Reachability reachability() {
    return new Reachability(reached, surveyFailures.failure());
  }

  /** Queries new nodes and forgets removed ones. Any thread. */
  public void topologyChanged() {
    thread.execute(() -> {
      Set<Endpoint> nodes = nodes();
      surveyFailures.keepOnly(nodes);
      reports.keySet().retainAll(nodes);
      if (!reports.isEmpty()) {
        publish();
      }
      nodes.removeAll(reports.keySet());
      enqueue(nodes);
    });
  }

  /**
   * Applies other rules about which commands are allowed. Any thread. Completes on the topology
   * thread when the listener has been told, and never after {@link #close}.
   */
  public CompletableFuture<Void> adopt(CommandRules rules) {
    var told = new CompletableFuture<Void>();
    thread.execute(() -> {
      ServerFacts before = current;
      current = before.with(withLearnt(before.commands().withRules(rules), byVersion()));
      listener.accept(current);
      told.complete(null);
    });
    return told;
  }

  /** Stops querying. Returns at once. */
  public void close() {
    thread.execute(() -> closed = true);
  }

  private void queryAll() {
    thread.runAfter(
        period,
        () -> {
          if (!closed) {
            queryAll();
          }
        });
    enqueue(nodes());
  }

  /** Returns whether a node may be that of a Redis Cluster; of shards, some may be and some not. */
  private boolean expectsCluster(Endpoint node) {
    Placement placement = topology.current();
    return placement.hasSeparateSystems() ? topology.isInCluster(node) : placement.isOneCluster();
  }

  private Set<Endpoint> nodes() {
    return topology.current().nodes();
  }

  private void enqueue(Set<Endpoint> nodes) {
    queue.addAll(nodes);
    queue.removeAll(querying);
    queryNext();
  }

  private void queryNext() {
    while (!closed && querying.size() < MAX_CONCURRENT && !queue.isEmpty()) {
      Endpoint node = queue.iterator().next();
      queue.remove(node);
      querying.add(node);
      Stages.call(() -> source.query(node, reports.get(node)))
          .whenComplete((report, failure) -> thread.execute(() -> onReport(node, report, failure)));
    }
  }

  private void onReport(Endpoint node, @Nullable ServerReport report, @Nullable Throwable failure) {
    querying.remove(node);
    queryNext();
    boolean inTopology = nodes().contains(node);
    if (report == null) {
      if (inTopology) {
        surveyFailures.failed(node, failure);
      }
      failures++;
      retryLater();
    } else if (inTopology) {
      surveyFailures.succeeded(node);
      failures = 0;
      if (!reached) {
        reached = true;
        logServer(node, report);
      }
      ServerReport before = reports.put(node, report);
      if (!report.equals(before)) {
        logMismatch(node, report);
        logMissingPermission(node, report);
        publish();
      }
    }
  }

  /** Retries nodes that did not answer. The others are queried again in the next period. */
  private void retryLater() {
    if (!retryScheduled) {
      retryScheduled = true;
      thread.runAfter(
          backoff.delayAfter(failures),
          () -> {
            retryScheduled = false;
            Set<Endpoint> again = nodes();
            again.removeIf(node -> reports.containsKey(node) && !surveyFailures.contains(node));
            enqueue(again);
          });
    }
  }

  /** Logs the server of the first node that answers. */
  private void logServer(Endpoint node, ServerReport report) {
    LOG.info(
        "{}{} is {} {}{}",
        prefix,
        node,
        report.valkey() == null ? "Redis" : "Valkey",
        report.valkey() == null
            ? Objects.requireNonNullElse(report.version(), "(unknown version)")
            : report.valkey(),
        report.mode().isEmpty() ? "" : " in " + report.mode() + " mode");
  }

  /** Logs a node that does not match the URL. */
  private void logMismatch(Endpoint node, ServerReport report) {
    if (report.mode().equals("cluster") && !expectsCluster(node)) {
      LOG.warn(
          "{}{} is a node of a Redis Cluster, but the URL is for servers without cluster support:"
              + " clients receive its MOVED errors. For the cluster write redis-cluster://{}",
          prefix,
          node,
          node);
    } else if (report.mode().equals("sentinel")) {
      LOG.warn(
          "{}{} is a Sentinel, which holds no data. Write redis-sentinel://{}/NAME with the name of a"
              + " master that it monitors",
          prefix,
          node,
          node);
    }
  }

  private void logMissingPermission(Endpoint node, ServerReport report) {
    if (report.learnt() == null && !missingPermissionLogged) {
      missingPermissionLogged = true;
      LOG.warn(
          "{}Penstock's user has no permission to run COMMAND on {}: commands of this node that this"
              + " version of Penstock does not know are unknown commands to clients",
          prefix,
          node);
    }
  }

  /** Returns the reports, that of the newest server last. */
  private List<ServerReport> byVersion() {
    List<ServerReport> byVersion = new ArrayList<>(reports.values());
    byVersion.sort(
        Comparator.comparing(
            ServerReport::version, Comparator.nullsFirst(Comparator.naturalOrder())));
    return byVersion;
  }

  /** Returns a table with the commands that the reports tell. */
  private CommandTable withLearnt(CommandTable commands, List<ServerReport> byVersion) {
    List<LearntCommands> learnt = new ArrayList<>();
    for (ServerReport report : byVersion) {
      if (report.learnt() != null) {
        learnt.add(report.learnt());
      }
    }
    boolean ofAllNodes = learnt.size() == byVersion.size() && reports.keySet().containsAll(nodes());
    return commands.withLearnt(learnt, topology.current().isDivided(), ofAllNodes);
  }

  private void publish() {
    List<ServerReport> byVersion = byVersion();
    ServerVersion lowest = null;
    ServerVersion valkey = null;
    boolean allValkey = true;
    List<HelloFacts> hellos = new ArrayList<>();
    for (ServerReport report : byVersion) {
      lowest = lowest == null ? report.version() : lowest;
      allValkey &= report.valkey() != null;
      valkey = lower(valkey, report.valkey());
      hellos.add(report.hello());
    }
    ServerFacts before = current;
    CommandTable commands = withLearnt(before.commands(), byVersion);
    ServerFacts now =
        new ServerFacts(
            lowest == null ? before.version() : lowest,
            allValkey ? valkey : null,
            HelloFacts.common(hellos),
            commands);
    if (!now.equals(before)) {
      logLearnt(before.commands(), commands);
      current = now;
      listener.accept(now);
    }
  }

  private static @Nullable ServerVersion lower(
      @Nullable ServerVersion one, @Nullable ServerVersion other) {
    return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
  }

  private void logLearnt(CommandTable before, CommandTable now) {
    List<String> names = new ArrayList<>(now.namesNotIn(before));
    names.removeAll(NOT_LOGGED);
    if (!names.isEmpty()) {
      List<String> first = names.subList(0, Math.min(names.size(), MAX_NAMES_LOGGED));
      LOG.info(
          "{}Learnt {} from the nodes: {}{}",
          prefix,
          names.size() == 1 ? "1 command" : names.size() + " commands",
          String.join(", ", first),
          first.size() < names.size() ? ", ..." : "");
    }
  }
}
