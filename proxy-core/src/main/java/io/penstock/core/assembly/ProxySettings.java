package io.penstock.core.assembly;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.command.CommandRules;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.Label;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.users.UsersSettings;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a proxy. Immutable. The caller validates the values: names are unique, and each
 * listener names an upstream that exists.
 *
 * @param listeners where clients connect, at least one
 * @param upstreams the servers that commands are sent to, at least one
 * @param shadows which upstreams' reads go to another one too; at most one of each
 * @param mirrors which upstreams have copies; at most one of each
 * @param dispatch how commands are sent to nodes
 * @param commands which commands are allowed and denied
 * @param transport the I/O transport of the event loops
 * @param eventLoops number of event loops, at least 1
 * @param timeSlice the scheduler time slice that event loop threads request from the kernel, where
 *     it is configurable; zero requests none
 * @param drainTimeout time that clients have to end what they have begun when their listener or
 *     upstream goes away, or their listener is taken out of service; then they are closed
 */
public record ProxySettings(
    List<Listener> listeners,
    List<Upstream> upstreams,
    List<Shadow> shadows,
    List<Mirror> mirrors,
    Dispatch dispatch,
    CommandRules commands,
    Transport transport,
    int eventLoops,
    Duration timeSlice,
    Duration drainTimeout) {

  /** The name of the listener, and of the upstream, of a proxy that has only one. */
  public static final String DEFAULT_NAME = "default";

  public ProxySettings {
    listeners = List.copyOf(listeners);
    upstreams = List.copyOf(upstreams);
    shadows = List.copyOf(shadows);
    mirrors = List.copyOf(mirrors);
  }

  /**
   * A listener.
   *
   * @param name unique among listeners
   * @param upstream the name of the upstream that it serves
   * @param listen the address, the password and the limits on clients
   * @param facade the cluster that Penstock presents to clients, or null if it presents a single
   *     server
   */
  public record Listener(
      String name, String upstream, Listen listen, @Nullable ClusterFacade facade) {

    /** Returns the listener of a proxy that has only one, for the upstream {@code default}. */
    public static Listener ofDefault(Listen listen, @Nullable ClusterFacade facade) {
      return new Listener(DEFAULT_NAME, DEFAULT_NAME, listen, facade);
    }

    /** Returns whether another listener has the same Unix socket with other permissions. */
    public boolean hasOtherPermissions(Listener other) {
      return listen.address() instanceof ListenAddress.Unix own
          && other.listen.address() instanceof ListenAddress.Unix others
          && own.name().equals(others.name())
          && !own.permissions().equals(others.permissions());
    }

    private Listener asRunning(@Nullable Listener running) {
      return running != null && hasOtherPermissions(running)
          ? new Listener(name, upstream, listen.withAddress(running.listen.address()), facade)
          : this;
    }

    /** Returns this listener with another limit on clients. */
    public Listener withMaxClients(int maxClients) {
      return new Listener(name, upstream, listen.withMaxClients(maxClients), facade);
    }
  }

  /** An upstream: of servers that speak RESP, or of any servers over plain TCP. */
  public sealed interface Upstream {

    /** Returns the name, which is unique among upstreams. */
    String name();

    /** Returns the configured addresses. */
    List<Endpoint> addresses();

    /** Returns the timeout of a connect to a server. */
    Duration connectTimeout();

    /** Returns the upstream of a proxy that has only one; it reads from masters. */
    static Resp ofDefault(UpstreamSettings kind, Backend backend, Refresh refresh) {
      return new Resp(DEFAULT_NAME, kind, backend, refresh, ReadSettings.MASTER_ONLY);
    }

    /**
     * An upstream of servers that speak RESP.
     *
     * @param name unique among upstreams
     * @param kind the servers that commands are sent to
     * @param backend connections to the nodes
     * @param refresh how the topology is kept current
     * @param reads which nodes requests that only read are sent to
     */
    record Resp(
        String name, UpstreamSettings kind, Backend backend, Refresh refresh, ReadSettings reads)
        implements Upstream {

      @Override
      public List<Endpoint> addresses() {
        return kind.addresses();
      }

      @Override
      public Duration connectTimeout() {
        return backend.connectTimeout();
      }
    }

    /**
     * An upstream of any servers over plain TCP.
     *
     * @param name unique among upstreams
     */
    record Tcp(String name, TcpSettings servers) implements Upstream {

      @Override
      public List<Endpoint> addresses() {
        return servers.servers().stream().map(TcpServer::address).toList();
      }

      @Override
      public Duration connectTimeout() {
        return servers.connect().timeout();
      }
    }
  }

  /**
   * A share of the reads of an upstream, which goes to another one too.
   *
   * @param of name of the upstream that clients read; no shadow of another one
   * @param upstream name of the other one, which has no shadow
   * @param share in hundredths of a percent: 1 to 10000
   */
  public record Shadow(String of, String upstream, int share) {

    /** Returns the share as a percentage: {@code 2.5}. */
    public String percent() {
      return BigDecimal.valueOf(share, 2).stripTrailingZeros().toPlainString();
    }
  }

  /**
   * The copies of an upstream, which do what it did.
   *
   * @param of name of the upstream that clients use: its servers are the primary
   * @param primary name of the upstream with the same servers; {@code of} if there is no other
   * @param copies names of the others, at least one, in the order of the settings
   */
  public record Mirror(String of, String primary, List<String> copies, MirrorSettings settings) {

    public Mirror {
      copies = List.copyOf(copies);
    }
  }

  /**
   * The address of a listener, and the limits on its clients.
   *
   * @param address where clients connect
   * @param maxClients most clients at once; further connections are rejected with Redis's error
   * @param password the password for {@code AUTH} of clients, or null for no authentication
   * @param passwordOverlap how long a password stays valid when another one replaces it
   * @param maxBulkLength longest argument in bytes; Redis's {@code proto-max-bulk-len}
   * @param arrivals how connections are accepted
   * @param clients limits on clients
   * @param crossSlot what becomes of commands over several slots
   * @param users who may connect; null if {@code password} is all there is
   */
  public record Listen(
      ListenAddress address,
      int maxClients,
      @Nullable String password,
      Duration passwordOverlap,
      int maxBulkLength,
      AcceptSettings arrivals,
      ClientLimits clients,
      CrossSlotSettings crossSlot,
      @Nullable UsersSettings users) {

    private Listen withAddress(ListenAddress other) {
      return new Listen(
          other,
          maxClients,
          password,
          passwordOverlap,
          maxBulkLength,
          arrivals,
          clients,
          crossSlot,
          users);
    }

    private Listen withMaxClients(int most) {
      return new Listen(
          address,
          most,
          password,
          passwordOverlap,
          maxBulkLength,
          arrivals,
          clients,
          crossSlot,
          users);
    }
  }

  /** How commands are sent to nodes. */
  public sealed interface Dispatch {

    /** Over shared connections: all clients of an event loop use the same ones. */
    record Async() implements Dispatch {}

    /**
     * By one virtual thread per client, over leased connections.
     *
     * @param maxConnectionsPerNode most leased connections to one node, over all event loops;
     *     divided between the loops, at least one each
     */
    record Sync(int maxConnectionsPerNode) implements Dispatch {}
  }

  /**
   * Connections to the nodes.
   *
   * @param connectTimeout for TCP connect and handshake
   * @param commandTimeout how long a node may take to answer a command, counted from sending
   * @param connectionsPerLoop shared pipelined connections from one event loop to one node, at
   *     least 1
   * @param exclusiveConnectionsPerLoop most leased connections from one event loop to one node, at
   *     least 1
   * @param hold the failover hold: how long, and how many, requests wait for a node
   * @param bounds limits on the queue of one shared connection
   */
  public record Backend(
      Duration connectTimeout,
      Duration commandTimeout,
      int connectionsPerLoop,
      int exclusiveConnectionsPerLoop,
      FailoverHold hold,
      QueueLimits bounds) {}

  /**
   * Limits of the failover hold: requests that did not run, because the node cannot be reached or
   * returned a retryable error, wait to be retried.
   *
   * @param maxDuration longest wait, counted from the arrival of the request; a value below the
   *     command timeout has no effect
   * @param maxRequests most requests in the hold on one event loop, at least 1
   */
  public record FailoverHold(Duration maxDuration, int maxRequests) {}

  /**
   * Topology refresh.
   *
   * @param period time between periodic refreshes
   * @param minRefreshInterval least time between two adaptive refreshes
   */
  public record Refresh(Duration period, Duration minRefreshInterval) {}

  /** Returns these settings with other listeners. */
  public ProxySettings withListeners(List<Listener> others) {
    return new ProxySettings(
        others,
        upstreams,
        shadows,
        mirrors,
        dispatch,
        commands,
        transport,
        eventLoops,
        timeSlice,
        drainTimeout);
  }

  /**
   * Returns these settings with what only a restart changes as in {@code running}: dispatch,
   * transport, number of event loops, time slice, and the permissions of the file of a Unix socket.
   */
  public ProxySettings asRunning(ProxySettings running) {
    return new ProxySettings(
        listeners.stream().map(each -> each.asRunning(running.findListener(each.name()))).toList(),
        upstreams,
        shadows,
        mirrors,
        running.dispatch,
        commands,
        running.transport,
        running.eventLoops,
        running.timeSlice,
        drainTimeout);
  }

  /**
   * Returns the upstream with this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Upstream upstream(String name) {
    Upstream found = findUpstream(name);
    if (found == null) {
      throw new IllegalArgumentException("no upstream " + name);
    }
    return found;
  }

  /** Returns the upstreams whose servers speak RESP. */
  public List<Upstream.Resp> respUpstreams() {
    return upstreams.stream()
        .<Upstream.Resp>mapMulti((upstream, each) -> {
          if (upstream instanceof Upstream.Resp resp) {
            each.accept(resp);
          }
        })
        .toList();
  }

  /**
   * Returns the upstream with this name, whose servers speak RESP.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Upstream.Resp respUpstream(String name) {
    if (upstream(name) instanceof Upstream.Resp resp) {
      return resp;
    }
    throw new IllegalArgumentException("upstream " + name + " is plain TCP");
  }

  /** Returns the upstream with this name, or null. */
  public @Nullable Upstream findUpstream(String name) {
    return upstreams.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /** Returns the shadow of an upstream, or null. */
  public @Nullable Shadow shadowOf(String upstream) {
    return shadows.stream().filter(each -> each.of().equals(upstream)).findFirst().orElse(null);
  }

  /** Returns the copies of an upstream, or null if it has none. */
  public @Nullable Mirror mirrorOf(String upstream) {
    return mirrors.stream().filter(each -> each.of().equals(upstream)).findFirst().orElse(null);
  }

  /**
   * Returns the names of the upstreams in use: those of the listeners, and their shadows and
   * copies.
   */
  public Set<String> usedUpstreams() {
    Set<String> used = new LinkedHashSet<>();
    listeners.forEach(each -> used.add(each.upstream()));
    for (String served : List.copyOf(used)) {
      Shadow shadow = shadowOf(served);
      if (shadow != null) {
        used.add(shadow.upstream());
      }
      Mirror mirror = mirrorOf(served);
      if (mirror != null) {
        used.addAll(mirror.copies());
      }
    }
    return used;
  }

  /** Returns the listener with this name, or null. */
  public @Nullable Listener findListener(String name) {
    return listeners.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * Returns the names of the upstreams with a listener that have this one as a part, as shards
   * have, or as their primary.
   */
  public List<String> wholesOf(Upstream part) {
    return part instanceof Upstream.Resp resp
        ? listeners.stream()
            .map(Listener::upstream)
            .distinct()
            .filter(name -> hasPart(upstream(name), resp) || hasPrimary(name, part.name()))
            .toList()
        : List.of();
  }

  private boolean hasPrimary(String name, String primary) {
    Mirror mirror = mirrorOf(name);
    return mirror != null && mirror.primary().equals(primary) && !name.equals(primary);
  }

  private static boolean hasPart(Upstream whole, Upstream.Resp part) {
    return whole instanceof Upstream.Resp resp
        && resp.kind().tree().skip(1).anyMatch(part.kind()::equals);
  }

  /** Returns the settings of one event loop's connections to the nodes of an upstream. */
  BackendSettings backendSettings(Upstream.Resp upstream, ProxyChain chain) {
    int turnConnections =
        switch (dispatch) {
          case Dispatch.Async _ -> 0;
          case Dispatch.Sync(int most) -> Math.max(1, most / eventLoops);
        };
    Backend backend = upstream.backend();
    return new BackendSettings(
        backend.connectTimeout(),
        backend.commandTimeout(),
        backend.connectionsPerLoop(),
        backend.exclusiveConnectionsPerLoop(),
        turnConnections,
        backend.hold().maxRequests(),
        backend.bounds(),
        upstream.reads(),
        Label.ofUpstream(upstream.name(), upstreams.size() == 1),
        chain);
  }
}
