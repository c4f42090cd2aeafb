package io.penstock.core.survey;

import io.penstock.core.command.CommandTable;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.transport.Backoff;
import io.penstock.core.upstream.Endpoint;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows what the nodes are: which version, and which commands that Penstock does not come with.
 * Masters and replicas are asked when they appear, until they have answered, and each period again;
 * a few at a time. What a node said holds while the topology names it.
 *
 * <p>Confined to the topology thread but for the snapshot, which is immutable and behind a
 * volatile.
 */
public final class ServerSurvey {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSurvey.class);

  private static final int AT_ONCE = 4;
  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
  private static final int NAMES_LOGGED = 10;

  /**
   * What servers before Redis 7.0 have and later ones do not: a deprecated command, and two words
   * of HTTP that end a connection. Each start in front of such servers learns them, which tells
   * nobody anything; what modules and newer servers bring is worth a line.
   */
  private static final Set<String> FORMER = Set.of("stralgo", "host:", "post");

  private final TopologyThread thread;
  private final ServerSource source;
  private final Topology topology;
  private final Duration period;
  private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, new SplittableRandom());
  private final Map<Endpoint, ServerReport> reports = new HashMap<>();
  private final Set<Endpoint> toAsk = new LinkedHashSet<>();
  private final Set<Endpoint> asking = new LinkedHashSet<>();
  private final SurveyFailures unanswered;
  private Consumer<ServerFacts> listener = facts -> {};
  private int failures;
  private boolean retryArmed;
  private boolean refusalSaid;
  private boolean foundSaid;
  private boolean closed;
  private volatile ServerFacts current;
  private volatile boolean heard;

  ServerSurvey(TopologyThread thread, ServerSource source, Topology topology, Scope scope) {
    this.thread = thread;
    this.source = source;
    this.topology = topology;
    this.period = scope.period;
    this.current = scope.initial;
    this.unanswered = new SurveyFailures();
  }

  /**
   * What a survey is about.
   *
   * @param period between two looks at all nodes
   * @param initial what holds until nodes have answered
   */
  public record Scope(Duration period, ServerFacts initial) {}

  /** Makes a survey that has not asked anybody yet. */
  public static ServerSurvey create(ControlPlane control, Topology topology, Scope scope) {
    return new ServerSurvey(control.thread(), new LettuceServerSource(control), topology, scope);
  }

  /**
   * Begins to ask; returns at once. Call once.
   *
   * @param onChange told of each new snapshot on the topology thread: do not block
   */
  public void start(Consumer<ServerFacts> onChange) {
    thread.execute(() -> {
      listener = onChange;
      lookAtAll();
    });
  }

  /** What is known now. Any thread. */
  public ServerFacts current() {
    return current;
  }

  /** Whether any node has let Penstock in and answered, and why one does not. Any thread. */
  public Reachability reachability() {
    return new Reachability(heard, unanswered.failure());
  }

  /** Asks nodes that have come, forgets those that have gone. Any thread. */
  public void topologyChanged() {
    thread.execute(() -> {
      Set<Endpoint> nodes = nodes();
      unanswered.keepOnly(nodes);
      if (reports.keySet().retainAll(nodes)) {
        publish();
      }
      nodes.removeAll(reports.keySet());
      ask(nodes);
    });
  }

  /** Asks nobody any more; returns at once. */
  public void close() {
    thread.execute(() -> closed = true);
  }

  private void lookAtAll() {
    thread.runAfter(
        period,
        () -> {
          if (!closed) {
            lookAtAll();
          }
        });
    ask(nodes());
  }

  /** Whether commands must find the node of their keys. */
  private boolean isDivided() {
    return topology.current().partitions() > 1;
  }

  private Set<Endpoint> nodes() {
    return topology.current().nodes();
  }

  private void ask(Set<Endpoint> nodes) {
    toAsk.addAll(nodes);
    toAsk.removeAll(asking);
    askNext();
  }

  private void askNext() {
    while (!closed && asking.size() < AT_ONCE && !toAsk.isEmpty()) {
      Endpoint node = toAsk.iterator().next();
      toAsk.remove(node);
      asking.add(node);
      Stages.call(() -> source.query(node, reports.get(node)))
          .whenComplete((report, failure) -> thread.execute(() -> answered(node, report, failure)));
    }
  }

  private void answered(Endpoint node, @Nullable ServerReport report, @Nullable Throwable failure) {
    asking.remove(node);
    askNext();
    boolean wanted = nodes().contains(node);
    if (report == null) {
      if (wanted) {
        unanswered.failed(node, failure);
      }
      failures++;
      retryLater();
    } else if (wanted) {
      unanswered.succeeded(node);
      failures = 0;
      heard = true;
      ServerReport before = reports.put(node, report);
      if (!report.equals(before)) {
        sayWhatItIs(node, report);
        sayIfRefused(node, report);
        publish();
      }
    }
  }

  /** Who has answered once is asked again in the next period only. */
  private void retryLater() {
    if (!retryArmed) {
      retryArmed = true;
      thread.runAfter(
          backoff.delayAfter(failures),
          () -> {
            retryArmed = false;
            Set<Endpoint> unknown = nodes();
            unknown.removeAll(reports.keySet());
            ask(unknown);
          });
    }
  }

  /** Of the first node that answers, and of each that is not what the URL says. */
  private void sayWhatItIs(Endpoint node, ServerReport report) {
    if (!foundSaid) {
      foundSaid = true;
      LOG.info(
          "{} is {} {}{}",
          node,
          report.valkey() == null ? "Redis" : "Valkey",
          report.valkey() == null
              ? Objects.requireNonNullElse(report.version(), "of a version it does not tell")
              : report.valkey(),
          report.mode().isEmpty() ? "" : " in " + report.mode() + " mode");
    }
    if (!isDivided() && report.mode().equals("cluster")) {
      LOG.warn(
          "{} is a node of a Redis Cluster, but the URL begins with redis://, which is for a single"
              + " server: its MOVED errors reach the clients. For the cluster write"
              + " redis-cluster://{}",
          node,
          node);
    } else if (report.mode().equals("sentinel")) {
      LOG.warn(
          "{} is a Sentinel: it keeps no data. Write the URL of the master that it watches,"
              + " redis://host:port",
          node);
    }
  }

  private void sayIfRefused(Endpoint node, ServerReport report) {
    if (report.learnt() == null && !refusalSaid) {
      refusalSaid = true;
      LOG.warn(
          "{} does not let Penstock's user run COMMAND: of what it has, commands that this version"
              + " of Penstock does not know are unknown to clients",
          node);
    }
  }

  private void publish() {
    List<ServerReport> byVersion = new ArrayList<>(reports.values());
    byVersion.sort(
        Comparator.comparing(
            ServerReport::version, Comparator.nullsFirst(Comparator.naturalOrder())));
    ServerVersion lowest = null;
    ServerVersion valkey = null;
    boolean allValkey = true;
    List<LearntCommands> learnt = new ArrayList<>();
    for (ServerReport report : byVersion) {
      lowest = lowest == null ? report.version() : lowest;
      allValkey &= report.valkey() != null;
      valkey = lower(valkey, report.valkey());
      if (report.learnt() != null) {
        learnt.add(report.learnt());
      }
    }
    ServerFacts before = current;
    CommandTable commands = before.commands().withLearnt(learnt, isDivided());
    ServerFacts now =
        new ServerFacts(
            lowest == null ? before.version() : lowest, allValkey ? valkey : null, commands);
    if (!now.equals(before)) {
      sayWhatIsNew(before.commands(), commands);
      current = now;
      listener.accept(now);
    }
  }

  private static @Nullable ServerVersion lower(
      @Nullable ServerVersion one, @Nullable ServerVersion other) {
    return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
  }

  private static void sayWhatIsNew(CommandTable before, CommandTable now) {
    List<String> names = new ArrayList<>(now.namesNotIn(before));
    names.removeAll(FORMER);
    if (!names.isEmpty()) {
      List<String> first = names.subList(0, Math.min(names.size(), NAMES_LOGGED));
      LOG.info(
          "Learnt {} from the nodes: {}{}",
          names.size() == 1 ? "1 command" : names.size() + " commands",
          String.join(", ", first),
          first.size() < names.size() ? ", ..." : "");
    }
  }
}
