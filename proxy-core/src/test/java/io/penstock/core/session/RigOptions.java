package io.penstock.core.session;

import io.penstock.core.answer.Passwords;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.script.Scripts;
import io.penstock.core.sentinel.SentinelErrorPolicy;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.users.Users;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Rig} has that tests may choose, and the settings of the core that follow from it.
 * By default two nodes of a cluster, the async dispatcher, and times that no test reaches. What
 * {@code ProxyFixture} of proxy-server lets tests choose, too, has the same name there.
 */
final class RigOptions {

  private @Nullable String password;
  private @Nullable Users users;
  private boolean sharded = true;
  private Duration commandTimeout = Duration.ofSeconds(100);
  private Duration failoverHold = Duration.ZERO;
  private long answerNanos = Long.MAX_VALUE;
  private int maxHeld = 65_536;
  private QueueLimits bounds = QueueLimits.DEFAULTS;
  private ClientLimits clientLimits = ClientLimits.DEFAULTS;
  private int exclusiveConnections = 8;
  private int turnConnections; // of the sync dispatcher; 0 for the async one
  private RespLimits limits = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);
  private @Nullable ClusterFacade facade;
  private Supplier<Map<String, String>> config =
      () -> Map.of("maxmemory", "0", "save", "", "requirepass", "");
  private Supplier<CompletionStage<ProxyStats>> stats = ProxyView.UNKNOWN::stats;
  private CommandTable commands = CommandTable.load();
  private int replicas;
  private ErrorPolicy policy = ErrorPolicy.SINGLE; // of a server that is not sharded
  private boolean masterKnown = true;
  private Label upstream = Label.ONLY;
  private ReadSettings reads = ReadSettings.MASTER_ONLY;
  private @Nullable ServerVersion redis;
  private @Nullable ServerVersion valkey;
  private HelloFacts hello = HelloFacts.NONE;
  private CrossSlotSettings crossSlot = CrossSlotSettings.REJECT;

  /** Carries out commands over several slots. */
  RigOptions emulatesCrossSlot(long maxBytes) {
    crossSlot = CrossSlotSettings.REJECT.with(CrossSlot.EMULATE).withMaxBytes(maxBytes);
    return this;
  }

  /** Reports commands over several slots, which it rejects. */
  RigOptions reportsCrossSlot() {
    crossSlot = CrossSlotSettings.REJECT.with(CrossSlot.REPORT);
    return this;
  }

  /** Carries out commands over several slots, scripts that only read as well. */
  RigOptions emulatesCrossSlotScripts() {
    crossSlot = CrossSlotSettings.REJECT.with(CrossSlot.EMULATE).withScripts();
    return this;
  }

  RigOptions password(String given) {
    password = given;
    return this;
  }

  RigOptions single() {
    sharded = false;
    return this;
  }

  /** A master that sentinels manage. */
  RigOptions sentinel() {
    policy = new SentinelErrorPolicy();
    return single();
  }

  /** Sentinels that have not named a master. */
  RigOptions unknownMaster() {
    masterKnown = false;
    return sentinel();
  }

  /** The proxy has other upstreams; this one has a name. */
  RigOptions named(String name) {
    upstream = Label.ofUpstream(name, false);
    return this;
  }

  RigOptions commandTimeout(Duration timeout) {
    commandTimeout = timeout;
    return this;
  }

  /** How long the failover hold is, if longer than the command timeout. */
  RigOptions failoverHold(Duration longest) {
    failoverHold = longest;
    return this;
  }

  /** How long after an answer a node is not asked whether it is busy; if not set, never. */
  RigOptions askAfter(Duration silence) {
    answerNanos = silence.toNanos();
    return this;
  }

  RigOptions maxHeld(int most) {
    maxHeld = most;
    return this;
  }

  RigOptions bounds(QueueLimits wanted) {
    bounds = wanted;
    return this;
  }

  RigOptions clientLimits(ClientLimits limits) {
    clientLimits = limits;
    return this;
  }

  RigOptions subscriberLimit(OutputLimit limit) {
    return clientLimits(Limits.with(OutputLimit.NONE, limit));
  }

  /** Uses the sync dispatcher: one thread per client, this number of connections per node. */
  RigOptions sync(int mostConnections) {
    turnConnections = mostConnections;
    return this;
  }

  RigOptions exclusiveConnections(int most) {
    exclusiveConnections = most;
    return this;
  }

  RigOptions limits(RespLimits wanted) {
    limits = wanted;
    return this;
  }

  RigOptions facade(ClusterFacade shown) {
    facade = shown;
    return this;
  }

  /** The proxy's own parameters of {@code CONFIG GET}. */
  RigOptions config(Supplier<Map<String, String>> own) {
    config = own;
    return this;
  }

  /** The stats of the loops for {@code INFO}. */
  RigOptions stats(Supplier<CompletionStage<ProxyStats>> figures) {
    stats = figures;
    return this;
  }

  /** Uses commands with these rules. */
  RigOptions commands(CommandRules rules) {
    commands = CommandTable.load(rules);
    return this;
  }

  /** Node 0 is the master of all slots. The nodes behind it are its replicas, and are read. */
  RigOptions replicas(int count, ReadSettings settings) {
    replicas = count;
    reads = settings;
    return this;
  }

  /** Allows commands that are denied by default. */
  RigOptions allow(String... names) {
    commands = CommandTable.load(CommandRules.of(List.of(names), List.of()));
    return this;
  }

  /** Rejects these commands. */
  RigOptions deny(String... names) {
    commands = CommandTable.load(CommandRules.of(List.of(), List.of(names)));
    return this;
  }

  /** All nodes are known to have this version of Valkey. */
  RigOptions valkey(int major) {
    valkey = new ServerVersion(major, 0, 0);
    return this;
  }

  /** All nodes are known to have this version: {@code redis 8.0.6} or {@code valkey 9.1.2}. */
  RigOptions servers(String nameAndVersion) {
    String[] words = nameAndVersion.split(" ");
    ServerVersion version = ServerVersion.parse(words[1]);
    if (words[0].equals("valkey")) {
      valkey = version;
    } else {
      redis = version;
    }
    return this;
  }

  /** All nodes are known to tell this in {@code HELLO}. */
  RigOptions hello(HelloFacts told) {
    hello = told;
    return this;
  }

  Rig start() {
    return new Rig(this);
  }

  boolean isSync() {
    return turnConnections > 0;
  }

  boolean isSharded() {
    return sharded;
  }

  boolean isMasterKnown() {
    return masterKnown;
  }

  int replicas() {
    return replicas;
  }

  ErrorPolicy policy() {
    return policy;
  }

  BackendSettings backend() {
    return backend(commandTimeout);
  }

  /** The settings of another upstream, which differs in the command timeout. */
  BackendSettings backend(Duration otherTimeout) {
    return new BackendSettings(
        Duration.ofSeconds(10),
        otherTimeout,
        1,
        exclusiveConnections,
        turnConnections,
        maxHeld,
        bounds,
        reads,
        upstream);
  }

  /** Clients have users. */
  RigOptions users(Users shared) {
    users = shared;
    return this;
  }

  SessionSettings settings() {
    return new SessionSettings(
        Passwords.of(password),
        CertificateUsers.NONE,
        users,
        limits,
        clientLimits,
        crossSlot,
        new Face(facade, config, stats));
  }

  ServedUpstream served() {
    long timeout = commandTimeout.toNanos();
    return new ServedUpstream(
        upstream,
        new Nodes.Timeouts(timeout, Math.max(timeout, failoverHold.toNanos()), answerNanos),
        0,
        new Scripts());
  }

  ServerFacts servers() {
    ServerFacts unknown = ServerFacts.initial(commands);
    ServerVersion version = Objects.requireNonNullElse(redis, unknown.version());
    return new ServerFacts(version, valkey, hello, unknown.commands());
  }

  /** A view of a proxy with a facade and parameters only. */
  private record Face(
      @Nullable ClusterFacade facade,
      Supplier<Map<String, String>> own,
      Supplier<CompletionStage<ProxyStats>> figures)
      implements ProxyView {

    @Override
    public ProxyFacts facts() {
      return UNKNOWN.facts();
    }

    @Override
    public CompletionStage<ProxyStats> stats() {
      return figures.get();
    }

    @Override
    public @Nullable Instant topologyAsOf() {
      return null;
    }

    @Override
    public Map<String, String> config() {
      return own.get();
    }
  }
}
