package io.penstock.core;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.command.CommandRules;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Everything a proxy is built from. Immutable; checked by whoever makes it.
 *
 * @param listen where clients connect
 * @param upstream what commands are sent to
 * @param dispatch how commands get to nodes
 * @param backend connections to the nodes
 * @param refresh how the topology is kept current
 * @param commands which commands are allowed and denied
 * @param transport how bytes reach the kernel
 * @param eventLoops number of event loops, at least 1
 * @param timeSlice what their threads ask the kernel for, where it has a choice; zero: nothing
 * @param facade the cluster that clients are shown, or null when they see a single server
 */
public record ProxySettings(
    Listen listen,
    UpstreamSettings upstream,
    Dispatch dispatch,
    Backend backend,
    Refresh refresh,
    CommandRules commands,
    Transport transport,
    int eventLoops,
    Duration timeSlice,
    @Nullable ClusterFacade facade) {

  /**
   * The client side.
   *
   * @param bind address to listen on, for example {@code 0.0.0.0}
   * @param port TCP port; 0 picks a free one
   * @param maxClients connections above this are refused as Redis refuses them
   * @param password what clients must {@code AUTH} with, or null for no authentication
   * @param maxBulkLength longest argument in bytes, Redis's {@code proto-max-bulk-len}
   * @param arrivals how clients connect
   * @param clients what they may take
   */
  public record Listen(
      String bind,
      int port,
      int maxClients,
      @Nullable String password,
      int maxBulkLength,
      AcceptSettings arrivals,
      ClientLimits clients) {}

  /** How commands get to nodes. */
  public sealed interface Dispatch {

    /** Over connections that all clients of an event loop share. */
    record Async() implements Dispatch {}

    /**
     * By a thread for each client, over connections that it has for itself meanwhile.
     *
     * @param maxConnectionsPerNode of all event loops together, one each at least; each has its
     *     part
     */
    record Sync(int maxConnectionsPerNode) implements Dispatch {}
  }

  /**
   * Connections to the nodes.
   *
   * @param connectTimeout for TCP connect and handshake
   * @param commandTimeout how long a node may take to answer a command, from when it was sent
   * @param connectionsPerLoop shared pipelined connections from one event loop to one node, at
   *     least 1
   * @param exclusiveConnectionsPerLoop most connections from one event loop to one node that
   *     clients have for themselves, at least 1
   * @param hold what is done with commands that no node takes at present
   * @param bounds of what queues up at one shared connection
   */
  public record Backend(
      Duration connectTimeout,
      Duration commandTimeout,
      int connectionsPerLoop,
      int exclusiveConnectionsPerLoop,
      FailoverHold hold,
      QueueLimits bounds) {}

  /**
   * How commands are held that did not run because their node cannot be reached or refuses them.
   *
   * @param maxDuration from a command's arrival; not less than the command timeout has an effect
   * @param maxRequests most at once on one event loop, at least 1
   */
  public record FailoverHold(Duration maxDuration, int maxRequests) {}

  /**
   * Topology refresh.
   *
   * @param period between periodic refreshes
   * @param adaptiveTimeout at least this long between two adaptive refreshes
   */
  public record Refresh(Duration period, Duration adaptiveTimeout) {}

  /** The same for at most {@code most} clients. */
  public ProxySettings withMaxClients(int most) {
    return new ProxySettings(
        new Listen(
            listen.bind(),
            listen.port(),
            most,
            listen.password(),
            listen.maxBulkLength(),
            listen.arrivals(),
            listen.clients()),
        upstream,
        dispatch,
        backend,
        refresh,
        commands,
        transport,
        eventLoops,
        timeSlice,
        facade);
  }

  /** The part of each event loop's connections to nodes. */
  BackendSettings backendSettings() {
    int turnConnections =
        switch (dispatch) {
          case Dispatch.Async _ -> 0;
          case Dispatch.Sync(int most) -> Math.max(1, most / eventLoops);
        };
    return new BackendSettings(
        backend.connectTimeout(),
        backend.commandTimeout(),
        backend.connectionsPerLoop(),
        backend.exclusiveConnectionsPerLoop(),
        turnConnections,
        backend.hold().maxRequests(),
        backend.bounds());
  }

  /** What an upstream is made with. */
  UpstreamSettings.Parts upstreamContext(ControlPlane control, ProxyEvents events) {
    return new UpstreamSettings.Parts(
        control, backend.connectTimeout(), refresh.period(), refresh.adaptiveTimeout(), events);
  }
}
