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
 * The settings of a proxy. Immutable. The caller validates the values.
 *
 * @param listen where clients connect
 * @param upstream the servers that commands are sent to
 * @param dispatch how commands are sent to nodes
 * @param backend connections to the nodes
 * @param refresh how the topology is kept current
 * @param commands which commands are allowed and denied
 * @param transport the I/O transport of the event loops
 * @param eventLoops number of event loops, at least 1
 * @param timeSlice the scheduler time slice that event loop threads request from the kernel, where
 *     it is configurable; zero requests none
 * @param facade the cluster that Penstock presents to clients, or null if it presents a single
 *     server
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
   * The listener.
   *
   * @param bind address to listen on, for example {@code 0.0.0.0}
   * @param port TCP port; 0 selects a free port
   * @param maxClients most clients at once; further connections are rejected with Redis's error
   * @param password the password for {@code AUTH} of clients, or null for no authentication
   * @param maxBulkLength longest argument in bytes; Redis's {@code proto-max-bulk-len}
   * @param arrivals how connections are accepted
   * @param clients limits on clients
   */
  public record Listen(
      String bind,
      int port,
      int maxClients,
      @Nullable String password,
      int maxBulkLength,
      AcceptSettings arrivals,
      ClientLimits clients) {}

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
   * @param adaptiveTimeout least time between two adaptive refreshes
   */
  public record Refresh(Duration period, Duration adaptiveTimeout) {}

  /** Returns these settings with another limit on clients. */
  public ProxySettings withMaxClients(int maxClients) {
    return new ProxySettings(
        new Listen(
            listen.bind(),
            listen.port(),
            maxClients,
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

  /** Returns the settings of one event loop's connections to nodes. */
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

  /** Returns what an upstream is created with. */
  UpstreamSettings.Context upstreamContext(ControlPlane control, ProxyEvents events) {
    return new UpstreamSettings.Context(
        control, backend.connectTimeout(), refresh.period(), refresh.adaptiveTimeout(), events);
  }
}
