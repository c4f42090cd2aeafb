package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A master, its replicas and the sentinels that watch them: real processes on this machine, for as
 * long as this object is open.
 *
 * <pre>{@code
 * try (SentinelGroup group = SentinelGroup.builder().replicas(2).start()) {
 *   ServerProcess old = group.master();
 *   old.kill();
 *   group.awaitMasterOtherThan(old);
 *   group.restart(old);
 *   group.awaitReady();
 * }
 * }</pre>
 *
 * <p>Nodes and sentinels are {@link ServerProcess}es, which are killed, paused and resumed as such.
 * The sentinels look at their nodes several times a second, so that what takes them 10 s elsewhere
 * (to notice a new replica, to make a returned master a replica) takes them one or two here.
 *
 * <p>Not thread-safe, but one thread may change the group while others talk to its servers.
 */
public final class SentinelGroup implements AutoCloseable {

  /** Not {@code master_down}: what a sentinel says of the master, which others keep for long. */
  private static final Set<String> UNSOUND = Set.of("s_down", "o_down", "disconnected");

  private static final String DOWN_AFTER = "down-after-milliseconds";
  private static final Duration TOLERANT = Duration.ofHours(1);

  /** How long a sentinel is waited for: it may be paused. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  private final Plan plan;
  private final List<ServerProcess> nodes = new ArrayList<>();
  private final Map<ServerProcess, Integer> announcedPorts = new HashMap<>();
  private final List<ServerProcess> sentinels = new ArrayList<>();

  private SentinelGroup(Plan plan) {
    this.plan = plan;
  }

  public static Builder builder() {
    return new Builder();
  }

  public ServerBinary binary() {
    return plan.binary();
  }

  /** Returns the name that the sentinels know the master by. */
  public String masterName() {
    return plan.sentinel().name();
  }

  /** Returns the nodes, killed ones included; the first one began as the master. */
  public List<ServerProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the sentinels, killed ones included. */
  public List<ServerProcess> sentinels() {
    return List.copyOf(sentinels);
  }

  /**
   * Returns the node that most of the answering sentinels name as the master. It may be dead.
   *
   * @throws IllegalStateException if no sentinel answers, or they disagree
   */
  public ServerProcess master() {
    ServerProcess master = namedMaster();
    if (master == null) {
      throw new IllegalStateException("the sentinels agree on no master\n" + report());
    }
    return master;
  }

  /** Returns the running nodes that are not the master. */
  public List<ServerProcess> replicas() {
    ServerProcess master = master();
    return nodes.stream().filter(node -> node != master && node.isRunning()).toList();
  }

  /**
   * Waits until all running sentinels agree on a healthy master, know one another and all running
   * nodes, and every running node but the master replicates from it. All running servers must
   * answer: a paused one is waited for in vain.
   */
  public void awaitReady() {
    Waiting.until("the group is ready", plan.patience(), this::isReady, this::report);
  }

  /** Waits until most of the sentinels name another master, and returns it. */
  public ServerProcess awaitMasterOtherThan(ServerProcess old) {
    Waiting.until(
        "another node than " + old + " is the master",
        plan.patience(),
        () -> {
          ServerProcess master = namedMaster();
          return master != null && master != old && isMaster(master);
        },
        this::report);
    return master();
  }

  /**
   * Has a sentinel make a replica the master ({@code SENTINEL FAILOVER}), and waits until the group
   * is ready again. A failover that the sentinel gives up, as on a machine that is too busy, is
   * begun again. All nodes and sentinels that run must answer.
   *
   * @return the new master
   */
  public ServerProcess failover() {
    ServerProcess old = master();
    Waiting.until(
        "a sentinel replaces " + old, plan.patience(), () -> isReplaced(old), this::report);
    ServerProcess master = awaitMasterOtherThan(old);
    awaitReady();
    return master;
  }

  /** Has a sentinel begin a failover, and does not wait for it. */
  public void beginFailover() {
    Waiting.until(
        "a sentinel begins a failover", plan.patience(), this::beginsFailover, this::report);
  }

  /**
   * Starts a killed node or sentinel on its old port, with the configuration that it had written. A
   * former master comes back as a master and stays one until the sentinels find it.
   */
  public void restart(ServerProcess server) {
    server.restart();
    if (sentinels.contains(server)) {
      hasten(server);
    }
  }

  /**
   * Changes a setting of the monitored master on all running sentinels, for example {@code
   * failover-timeout}.
   */
  public void set(String option, String value) {
    for (ServerProcess sentinel : sentinels) {
      if (sentinel.isRunning()) {
        sentinel.text("SENTINEL", "SET", masterName(), option, value);
      }
    }
  }

  /**
   * Has the sentinels replace the master on request only, however long a busy machine or a test
   * keeps it from answering. {@link #replaceSilentMasters} ends this.
   */
  public void tolerateSilentMasters() {
    set(DOWN_AFTER, Long.toString(TOLERANT.toMillis()));
  }

  /** Has the sentinels replace a master that does not answer, as they do at first. */
  public void replaceSilentMasters() {
    set(DOWN_AFTER, Long.toString(plan.sentinel().downAfter().toMillis()));
  }

  /** Returns the setting {@link Builder#failoverTimeout}. */
  public Duration failoverTimeout() {
    return plan.sentinel().failoverTimeout();
  }

  /** Host and port of every sentinel, with commas between, as a resource URL wants them. */
  public String seeds() {
    return sentinels.stream().map(SentinelGroup::address).collect(Collectors.joining(","));
  }

  /** The {@code redis-sentinel://} URL that names every sentinel, with all credentials. */
  public String resource() {
    String user = user() == null ? "" : encoded(user()) + ":";
    String password = password() == null ? "" : (user.isEmpty() ? ":" : "") + encoded(password());
    return "redis-sentinel://" + user + password + "@" + seeds() + "/" + masterName() + query();
  }

  public @Nullable String user() {
    return plan.node().user();
  }

  public @Nullable String password() {
    return plan.node().password();
  }

  public @Nullable String sentinelUser() {
    return plan.sentinel().server().user();
  }

  public @Nullable String sentinelPassword() {
    return plan.sentinel().server().password();
  }

  /**
   * Kills every server, paused ones too, and removes every folder. Returns when this was done, or
   * tried, for all of them.
   */
  @Override
  public void close() {
    Closing.all(
        Stream.concat(sentinels.stream(), nodes.stream())
            .<Runnable>map(server -> server::close)
            .toList());
  }

  @Override
  public String toString() {
    return plan.binary() + " sentinels at " + seeds();
  }

  private void formUp() {
    try {
      ServerProcess master = launch();
      for (int i = 0; i < plan.replicas(); i++) {
        ServerProcess replica = launch();
        replica.text("REPLICAOF", master.host(), announced(master));
        replica.text("CONFIG", "REWRITE"); // survives a restart
      }
      ServerOptions watching =
          plan.sentinel().watching(master.host(), announced(master), plan.node());
      for (int i = 0; i < plan.sentinel().count(); i++) {
        ServerProcess sentinel = ServerProcess.start(plan.binary(), watching);
        sentinels.add(sentinel);
        if (sentinel.tlsPort() != 0) {
          announcedPorts.put(sentinel, sentinel.tlsPort());
        }
        hasten(sentinel);
      }
      awaitReady();
    } catch (RuntimeException e) {
      Closing.after(e, this::close);
      throw e;
    }
  }

  private ServerProcess launch() {
    ServerProcess node = ServerProcess.start(plan.binary(), plan.node());
    nodes.add(node);
    int port = plan.announced().applyAsInt(node);
    announcedPorts.put(node, port);
    if (port != node.port()) {
      node.text("CONFIG", "SET", "replica-announce-port", Integer.toString(port));
      node.text("CONFIG", "REWRITE");
    }
    return node;
  }

  /**
   * Shortens the periods that are not part of a sentinel's configuration (since Redis 7.0; older
   * ones are slower).
   */
  private static void hasten(ServerProcess sentinel) {
    try {
      sentinel.text(
          Stream.of(
                  "SENTINEL DEBUG info-period 300 ping-period 200 ask-period 300",
                  "publish-period 300 min-link-reconnect-period 1000 tilt-period 2000")
              .flatMap(words -> Stream.of(words.split(" ", -1)))
              .toArray(String[]::new));
    } catch (RespClient.ErrorReply e) {
      // not known to this server
    }
  }

  /** Begins a failover unless one is running at the sentinel that is asked for it. */
  private boolean isReplaced(ServerProcess old) {
    Map<String, String> seen = seenMaster(runningSentinel());
    if (seen.isEmpty()) {
      return false;
    }
    if (!seen.getOrDefault("port", "").equals(announced(old))) {
      return true;
    }
    if (!seen.getOrDefault("flags", "").contains("failover_in_progress")) {
      beginsFailover();
    }
    return false;
  }

  private boolean beginsFailover() {
    try {
      runningSentinel().text("SENTINEL", "FAILOVER", masterName());
      return true;
    } catch (RespClient.ErrorReply e) {
      return false; // NOGOODSLAVE or INPROG: for now
    }
  }

  private ServerProcess runningSentinel() {
    return sentinels.stream()
        .filter(ServerProcess::isRunning)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no sentinel is running"));
  }

  private @Nullable ServerProcess namedMaster() {
    Map<String, Integer> votes = new HashMap<>(); // by port
    int answers = 0;
    for (ServerProcess sentinel : sentinels) {
      Map<String, String> seen = sentinel.isRunning() ? seenMaster(sentinel) : Map.of();
      if (!seen.isEmpty()) {
        votes.merge(seen.getOrDefault("port", ""), 1, Integer::sum);
        answers++;
      }
    }
    for (ServerProcess node : nodes) {
      if (votes.getOrDefault(announced(node), 0) * 2 > answers) {
        return node;
      }
    }
    return null;
  }

  private boolean isReady() {
    ServerProcess master = namedMaster();
    if (master == null || !isMaster(master) || !feedsAll(master)) {
      return false;
    }
    for (ServerProcess node : nodes) {
      if (node != master && node.isRunning() && !replicates(node, master)) {
        return false;
      }
    }
    return sentinels.stream()
        .filter(ServerProcess::isRunning)
        .allMatch(sentinel -> seesAll(sentinel, master));
  }

  private static boolean isMaster(ServerProcess node) {
    return node.isRunning() && info(node).contains("role:master");
  }

  /** Returns whether a master sends its writes to as many replicas as run. */
  private boolean feedsAll(ServerProcess master) {
    long running = nodes.stream().filter(ServerProcess::isRunning).count();
    return info(master).split("state=online", -1).length >= running;
  }

  private boolean replicates(ServerProcess node, ServerProcess master) {
    String info = info(node);
    return info.contains("master_link_status:up")
        && info.contains("master_sync_in_progress:0")
        && info.contains("master_port:" + announced(master) + "\r");
  }

  private static String info(ServerProcess node) {
    try {
      return node.text("INFO", "replication");
    } catch (UncheckedIOException | RespClient.ErrorReply e) {
      return ""; // dying or loading
    }
  }

  private boolean seesAll(ServerProcess sentinel, ServerProcess master) {
    Map<String, String> seen = seenMaster(sentinel);
    return seen.getOrDefault("port", "").equals(announced(master))
        && seen.getOrDefault("flags", "").equals("master")
        && seesSound(sentinel, "SENTINELS", sentinels)
        && seesSound(sentinel, "REPLICAS", nodes.stream().filter(n -> n != master).toList());
  }

  /** Returns whether a sentinel knows all running servers but itself, and suspects none. */
  private boolean seesSound(ServerProcess sentinel, String kind, List<ServerProcess> servers) {
    Map<String, String> flagsByPort = new HashMap<>();
    for (Map<String, String> each : ask(sentinel, kind)) {
      flagsByPort.put(each.getOrDefault("port", ""), each.getOrDefault("flags", ""));
    }
    for (ServerProcess server : servers) {
      if (server != sentinel && server.isRunning()) {
        String flags = flagsByPort.getOrDefault(announced(server), "s_down");
        if (!Collections.disjoint(List.of(flags.split(",", -1)), UNSOUND)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the fields of {@code SENTINEL MASTER}, none if it does not answer. */
  private Map<String, String> seenMaster(ServerProcess sentinel) {
    List<Map<String, String>> seen = ask(sentinel, "MASTER");
    return seen.isEmpty() ? Map.of() : seen.getFirst();
  }

  /** Sends {@code SENTINEL kind NAME} and returns the fields of each answer. */
  private List<Map<String, String>> ask(ServerProcess sentinel, String kind) {
    try (RespClient connection = sentinel.connect(ANSWER)) {
      if (connection.value("SENTINEL", kind, masterName()) instanceof List<?> items) {
        return kind.equals("MASTER")
            ? List.of(fields(items))
            : items.stream().map(item -> fields((List<?>) item)).toList();
      }
      return List.of();
    } catch (UncheckedIOException | RespClient.ErrorReply e) {
      return List.of(); // it is paused, dying, or not configured yet
    }
  }

  private static Map<String, String> fields(List<?> items) {
    Map<String, String> fields = new HashMap<>();
    for (int i = 0; i + 1 < items.size(); i += 2) {
      fields.put(text(items.get(i)), text(items.get(i + 1)));
    }
    return fields;
  }

  private static String text(@Nullable Object item) {
    return item instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
  }

  private String report() {
    StringBuilder report = new StringBuilder();
    for (ServerProcess server : Stream.concat(nodes.stream(), sentinels.stream()).toList()) {
      report.append("--- ").append(server).append(server.isRunning() ? "" : " not running");
      report.append('\n').append(server.logTail()).append('\n');
    }
    return report.toString();
  }

  /** Returns the port that others reach a node or a sentinel at. */
  private String announced(ServerProcess server) {
    return Integer.toString(announcedPorts.getOrDefault(server, server.port()));
  }

  private String query() {
    StringBuilder query = new StringBuilder();
    if (sentinelUser() != null) {
      query.append("&sentinelUserName=").append(encoded(sentinelUser()));
    }
    if (sentinelPassword() != null) {
      query.append("&sentinelPassword=").append(encoded(sentinelPassword()));
    }
    return query.isEmpty() ? "" : "?" + query.substring(1);
  }

  private static String address(ServerProcess server) {
    String host = server.host();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + server.port();
  }

  private static String encoded(@Nullable String text) {
    return text == null ? "" : URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private record Plan(
      ServerBinary binary,
      int replicas,
      ServerOptions node,
      SentinelOptions sentinel,
      ToIntFunction<ServerProcess> announced,
      Duration patience) {}

  /** Builds a group; by default a master with two replicas and three sentinels. */
  public static final class Builder {

    private @Nullable ServerBinary binary;
    private int replicas = 2;
    private ServerOptions node = ServerOptions.PLAIN;
    private SentinelOptions sentinel = SentinelOptions.TRIO;
    private ToIntFunction<ServerProcess> announced = ServerProcess::port;
    private Duration patience = Duration.ofSeconds(60);

    private Builder() {}

    /** The executable of nodes and sentinels; {@link ServerBinary#find} when not set. */
    public Builder binary(ServerBinary executable) {
      binary = executable;
      return this;
    }

    public Builder replicas(int count) {
      replicas = count;
      return this;
    }

    /** Number of sentinels, whose majority is the quorum. */
    public Builder sentinels(int count) {
      sentinel = sentinel.numbering(count);
      return this;
    }

    /** How many sentinels must think that the master is down. */
    public Builder quorum(int count) {
      sentinel = sentinel.agreeing(count);
      return this;
    }

    /** The name that the sentinels know the master by; {@code mymaster} when not set. */
    public Builder masterName(String name) {
      sentinel = sentinel.named(name);
      return this;
    }

    /** {@code down-after-milliseconds}; 1 s when not set. */
    public Builder downAfter(Duration silence) {
      sentinel = sentinel.waiting(silence, sentinel.failoverTimeout());
      return this;
    }

    /** {@code failover-timeout}; 3 s when not set. */
    public Builder failoverTimeout(Duration timeout) {
      sentinel = sentinel.waiting(sentinel.downAfter(), timeout);
      return this;
    }

    /**
     * Sets the port that each node announces, for example that of a relay. Sentinels, replicas and
     * clients reach the node there.
     */
    public Builder announced(ToIntFunction<ServerProcess> port) {
      announced = port;
      return this;
    }

    /** How long any change of the group may take before it counts as failed. */
    public Builder patience(Duration atMost) {
      patience = atMost;
      return this;
    }

    /** Adds TLS ports to nodes and sentinels, which know each other by them. */
    public Builder tls(TlsFiles files) {
      node = node.over(files);
      sentinel = sentinel.onServer(sentinel.server().over(files));
      return announced(ServerProcess::tlsPort);
    }

    /** Address the servers listen on; 127.0.0.1 when not set. */
    public Builder host(String address) {
      node = node.onHost(address);
      sentinel = sentinel.onServer(sentinel.server().onHost(address));
      return this;
    }

    /** Sets {@code requirepass} on every node. */
    public Builder password(String password) {
      node = node.protectedBy(null, password);
      return this;
    }

    /** Allows this user everything on every node and turns the default user off. */
    public Builder user(String user, String password) {
      node = node.protectedBy(user, password);
      return this;
    }

    /** Sets {@code requirepass} on every sentinel. No space: sentinels write it unquoted. */
    public Builder sentinelPassword(String password) {
      sentinel = sentinel.onServer(sentinel.server().protectedBy(null, password));
      return this;
    }

    /** Allows this user everything on every sentinel and turns the default user off. */
    public Builder sentinelUser(String user, String password) {
      sentinel = sentinel.onServer(sentinel.server().protectedBy(user, password));
      return this;
    }

    /**
     * Adds a line to every node's configuration file, for example {@code
     * option("min-replicas-to-write", "1")}.
     */
    public Builder option(String directive, String... values) {
      node = node.with(directive, values);
      return this;
    }

    /** Adds a line to every sentinel's configuration file, before those about the master. */
    public Builder sentinelOption(String directive, String... values) {
      sentinel = sentinel.onServer(sentinel.server().with(directive, values));
      return this;
    }

    /** Starts the servers; returns when the group is {@linkplain #awaitReady ready}. */
    public SentinelGroup start() {
      ServerBinary executable = binary == null ? ServerBinary.find() : binary;
      SentinelGroup group =
          new SentinelGroup(new Plan(executable, replicas, node, sentinel, announced, patience));
      group.formUp();
      return group;
    }
  }
}
