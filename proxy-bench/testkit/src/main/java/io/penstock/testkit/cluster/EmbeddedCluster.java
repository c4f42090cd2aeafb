package io.penstock.testkit.cluster;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of real server processes on this machine, for as long as this object is open.
 *
 * <pre>{@code
 * try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).replicas(1).start()) {
 *   cluster.masterOf(0).kill();
 *   cluster.awaitHealthy();
 * }
 * }</pre>
 *
 * <p>Every method returns when all running nodes know what it did. Not thread-safe, but one thread
 * may change the cluster while others talk to its servers.
 */
public final class EmbeddedCluster implements AutoCloseable {

  private final Plan plan;
  private final List<Member> members = new ArrayList<>();

  private EmbeddedCluster(Plan plan) {
    this.plan = plan;
  }

  public static Builder builder() {
    return new Builder();
  }

  public ServerBinary binary() {
    return plan.binary();
  }

  /** Returns all members, killed ones included. */
  public List<Member> members() {
    return List.copyOf(members);
  }

  /** Running masters, in the order in which they were added. */
  public List<Member> masters() {
    return members.stream().filter(Member::isRunning).filter(m -> m.self().isMaster()).toList();
  }

  /** Running replicas. */
  public List<Member> replicas() {
    return members.stream().filter(Member::isRunning).filter(m -> !m.self().isMaster()).toList();
  }

  /** Running replicas of one master, which may be dead. */
  public List<Member> replicasOf(Member master) {
    return replicas().stream().filter(r -> r.self().masterId().equals(master.id())).toList();
  }

  /** The running master that owns a slot. */
  public Member masterOf(int slot) {
    return masters().stream()
        .filter(master -> master.self().owns(slot))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no running master owns slot " + slot));
  }

  /** Host and port of every member, with commas between, as a resource URL wants them. */
  public String seeds() {
    return members.stream()
        .map(member -> bracketed(member.host()) + ":" + member.clusterPort())
        .collect(Collectors.joining(","));
  }

  /**
   * The {@code redis-cluster://} URL that names every member; {@code rediss-cluster://} if they
   * have ports for TLS.
   */
  public String resource() {
    String user = user() == null ? "" : encoded(user()) + ":";
    String password = password() == null ? "" : (user.isEmpty() ? ":" : "") + encoded(password());
    String scheme = members.getFirst().tlsPort() == 0 ? "redis-cluster" : "rediss-cluster";
    return scheme + "://" + user + password + "@" + seeds();
  }

  public @Nullable String user() {
    return plan.options().user();
  }

  public @Nullable String password() {
    return plan.options().password();
  }

  /** Waits until all running nodes agree, every slot is served and replicas are in sync. */
  public void awaitHealthy() {
    ClusterFormation.awaitHealthy(members, plan.patience());
  }

  /** Makes a replica its shard's master: by agreement when the master runs, by force otherwise. */
  public void failover(Member replica) {
    String masterId = replica.self().masterId();
    boolean masterRuns = members.stream().anyMatch(m -> m.id().equals(masterId) && m.isRunning());
    if (masterRuns) {
      replica.failover(plan.patience());
    } else {
      replica.text("CLUSTER", "FAILOVER", "FORCE");
    }
    awaitMaster(replica);
  }

  /**
   * Waits until {@code replica} is a master and all nodes know it. Meanwhile it takes over from a
   * master that does not answer, also with {@link Builder#failoverOnRequest}.
   */
  public void awaitMaster(Member replica) {
    if (plan.failoverOnRequest()) {
      replica.takesOver(true);
    }
    Waiting.until(
        replica + " is a master",
        plan.patience(),
        () -> replica.self().isMaster(),
        () -> replica.server().logTail());
    if (plan.failoverOnRequest()) {
      replica.takesOver(false);
    }
    awaitHealthy();
  }

  /** Moves a slot with all its keys while it is in use. */
  public void migrateSlot(int slot, Member from, Member to) {
    SlotMigration migration = beginMigration(slot, from, to);
    while (migration.moveKeys(100) > 0) {
      // until the slot is empty
    }
    migration.finish();
  }

  /**
   * Lets the servers move a range of slots with all their keys as a whole: Valkey 9 begins it at
   * the source, Redis 8.4 at the destination. {@link #movesSlotsAtomically} says whether they can.
   */
  public void migrateAtomically(int firstSlot, int lastSlot, Member from, Member to) {
    Member asked = SlotMigration.beginAtomic(plan.binary(), firstSlot, lastSlot, from, to);
    Waiting.until(
        to + " has slots " + firstSlot + " to " + lastSlot,
        plan.patience(),
        () -> to.self().owns(firstSlot) && to.self().owns(lastSlot),
        () -> asked.server().logTail());
    awaitHealthy();
  }

  /** Returns whether the servers know {@link #migrateAtomically atomic migration}. */
  public static boolean movesSlotsAtomically(ServerBinary server) {
    return server.valkey() ? server.major() >= 9 : server.atLeast(8, 4);
  }

  /** Opens a slot for migration; the caller does the rest. */
  public SlotMigration beginMigration(int slot, Member from, Member to) {
    return SlotMigration.begin(this, slot, from, to);
  }

  /** Adds a master without slots. */
  public Member addMaster() {
    Member added = launch();
    ClusterFormation.introduce(added, members.subList(0, members.size() - 1));
    ClusterFormation.awaitAcquainted(members, plan.patience());
    awaitHealthy();
    return added;
  }

  /**
   * Removes a node from the cluster and stops it.
   *
   * @throws IllegalStateException when it owns slots: move them first
   */
  public void remove(Member member) {
    if (member.isRunning() && !member.self().slots().isEmpty()) {
      throw new IllegalStateException(member + " still owns " + member.self().slots());
    }
    member.kill();
    members.remove(member);
    for (Member other : members) {
      if (other.isRunning()) {
        other.text("CLUSTER", "FORGET", member.id());
      }
    }
    member.server().close();
    awaitHealthy();
  }

  /**
   * Kills every server and removes every folder. Returns when this was done, or tried, for all of
   * them.
   */
  @Override
  public void close() {
    Closing.all(members.stream().<Runnable>map(member -> member.server()::close).toList());
  }

  @Override
  public String toString() {
    return plan.binary() + " cluster at " + seeds();
  }

  private Member launch() {
    ServerProcess server = ServerProcess.start(plan.binary(), plan.options());
    try {
      Member member = new Member(server);
      members.add(member);
      return member;
    } catch (RuntimeException e) {
      Closing.after(e, server::close);
      throw e;
    }
  }

  private void formUp() {
    try {
      for (int i = 0; i < plan.masters() * (1 + plan.replicas()); i++) {
        launch();
      }
      ClusterFormation.form(members, plan.masters(), plan.patience());
    } catch (RuntimeException e) {
      Closing.after(e, this::close);
      throw e;
    }
  }

  private static String bracketed(String host) {
    return host.indexOf(':') < 0 ? host : "[" + host + "]";
  }

  private static String encoded(@Nullable String text) {
    return text == null ? "" : URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private record Plan(
      ServerBinary binary,
      int masters,
      int replicas,
      boolean failoverOnRequest,
      ServerOptions options,
      Duration patience) {}

  /** Builds a cluster; by default three masters without replicas. */
  public static final class Builder {

    private @Nullable ServerBinary binary;
    private int masters = 3;
    private int replicas;
    private boolean failoverOnRequest;
    private Duration nodeTimeout = Duration.ofSeconds(2);
    private Duration patience = Duration.ofSeconds(60);
    private ServerOptions options = ServerOptions.PLAIN;

    private Builder() {}

    /** The executable; {@link ServerBinary#find} when not set. */
    public Builder binary(ServerBinary executable) {
      binary = executable;
      return this;
    }

    public Builder masters(int count) {
      masters = count;
      return this;
    }

    /** Replicas of each master. */
    public Builder replicas(int perMaster) {
      replicas = perMaster;
      return this;
    }

    /**
     * {@code cluster-node-timeout}: how soon a dead master's replica takes over; 2 s when not set.
     */
    public Builder nodeTimeout(Duration timeout) {
      nodeTimeout = timeout;
      return this;
    }

    /**
     * Has replicas take over on request only, however long a busy machine or a test keeps their
     * masters from answering: with {@link #failover}, {@link #awaitMaster} or {@link
     * Member#takesOver}.
     */
    public Builder failoverOnRequest() {
      failoverOnRequest = true;
      return option("cluster-replica-no-failover", "yes");
    }

    /** How long any change of the cluster may take before it counts as failed. */
    public Builder patience(Duration atMost) {
      patience = atMost;
      return this;
    }

    /** Address the servers listen on; 127.0.0.1 when not set. */
    public Builder host(String address) {
      options = options.onHost(address);
      return this;
    }

    /** Sets {@code requirepass} on every node. */
    public Builder password(String password) {
      options = options.protectedBy(null, password);
      return this;
    }

    /** Allows this user everything on every node and turns the default user off. */
    public Builder user(String user, String password) {
      options = options.protectedBy(user, password);
      return this;
    }

    /** Adds a port for TLS to every node, over which they talk to each other too. */
    public Builder tls(TlsFiles files) {
      options = options.over(files);
      return this;
    }

    /** Adds a line to every node's configuration file. */
    public Builder option(String directive, String... values) {
      options = options.with(directive, values);
      return this;
    }

    /** Starts the servers and joins them; answers when the cluster is healthy. */
    public EmbeddedCluster start() {
      ServerOptions clustered =
          options
              .with("cluster-enabled", "yes")
              .with("cluster-config-file", "nodes.conf")
              .with("cluster-announce-ip", options.host())
              .with("cluster-node-timeout", Long.toString(nodeTimeout.toMillis()));
      ServerBinary executable = binary == null ? ServerBinary.find() : binary;
      EmbeddedCluster cluster =
          new EmbeddedCluster(
              new Plan(executable, masters, replicas, failoverOnRequest, clustered, patience));
      cluster.formUp();
      return cluster;
    }
  }
}
