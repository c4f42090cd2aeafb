package io.penstock.server.config;

import static java.util.Objects.requireNonNullElse;

import io.penstock.core.limit.OutputLimit;
import io.penstock.core.transport.Transport;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The configuration below {@code penstock}. Each {@code @param} text is the description of its key
 * in {@code docs/reference/configuration.md}, which is generated, and in IDEs: one or two short
 * sentences, with units. {@link Between} and {@link DefaultValue} are shown there too.
 *
 * @param port TCP port that clients connect to. `0` selects a free port; the log shows it.
 * @param bind Address to listen on. `127.0.0.1` accepts clients of this machine only.
 * @param dispatch How commands reach the nodes. With `async`, clients share connections; with
 *     `sync`, each client has a thread, and a connection of its own while a command runs.
 * @param sync Settings of `dispatch: sync`.
 * @param transport Netty transport. `auto` selects the best one that works on this machine; the log
 *     shows which.
 * @param eventLoops Number of event loops. If not set, one for each processor.
 * @param eventLoopTimeSlice Time slice that event loops request from Linux 6.12 or newer where they
 *     share processors with other threads. `0` keeps the default of the kernel.
 * @param maxClients Maximum number of clients. Further connections are rejected as in Redis. A low
 *     `ulimit -n` lowers it; the log says so.
 * @param maxConnectionRate Maximum number of connections accepted in a second. Further ones wait.
 *     `0` is no limit.
 * @param tcpKeepalive Idle time after which TCP keepalive probes a client, as in Redis. `0`
 *     disables the probes. macOS uses its own time.
 * @param password Password of user `default`, which clients must send with `AUTH`. If not set,
 *     clients need no authentication.
 * @param protoMaxBulkLen Maximum size of one argument of a command, as in Redis.
 * @param clientOutputBufferLimit Limits of the replies that one client leaves unread, as in Redis.
 * @param maxmemoryClients Maximum memory of all clients together, as in Redis: above it, the client
 *     that uses the most is closed. If not set, half of the direct memory. `0` is no limit.
 * @param clientTimeout Times after which a client is closed.
 * @param maxInFlight Limits of requests that are not answered yet.
 * @param backend Connections to the nodes.
 * @param topology How Penstock keeps its view of the nodes up to date.
 * @param commands Which commands clients may use.
 * @param readiness Slots that must have a responding master before the readiness probe succeeds:
 *     none, at least one, or all.
 * @param transpond Where commands are sent to.
 * @param clusterFacade The Redis Cluster that Penstock presents to clients.
 */
@ConfigurationProperties(PropertiesReader.PREFIX)
@Validated
public record PenstockProperties(
    @DefaultValue("6380") @Between(min = "0", max = "65535") int port,
    @DefaultValue("0.0.0.0") @Size(min = 1, message = "must not be empty") String bind,
    @DefaultValue("async") Dispatch dispatch,
    @DefaultValue @Valid Sync sync,
    @DefaultValue("auto") Transport transport,
    @Between(min = "1", max = "1024") @Nullable Integer eventLoops,
    @DefaultValue("5ms") @Between(min = "1ms", max = "100ms", orZero = true)
        Duration eventLoopTimeSlice,
    @DefaultValue("10000") @Between(min = "1") int maxClients,
    @DefaultValue("0") @Between(min = "0", max = "1000000") int maxConnectionRate,
    @DefaultValue("300s") @Between(min = "1s", max = "9h", orZero = true) Duration tcpKeepalive,
    @Size(min = 1, message = "must not be empty: that would admit every client")
        @Nullable String password,
    @DefaultValue("512MB") @Between(min = "1MB", max = "2047MB") DataSize protoMaxBulkLen,
    @DefaultValue @Valid ClientOutputBufferLimit clientOutputBufferLimit,
    @Between(min = "0") @Nullable DataSize maxmemoryClients,
    @DefaultValue @Valid ClientTimeout clientTimeout,
    @DefaultValue @Valid MaxInFlight maxInFlight,
    @DefaultValue @Valid Backend backend,
    @DefaultValue @Valid Topology topology,
    @DefaultValue Commands commands,
    @DefaultValue("any-slot") Readiness readiness,
    @DefaultValue @Valid Transpond transpond,
    @DefaultValue @Valid ClusterFacade clusterFacade) {

  @Override
  public String toString() {
    return "PenstockProperties[bind=" + bind + ", port=" + port + "]"; // no password, no URL
  }

  /**
   * Settings of {@code dispatch: sync}.
   *
   * @param maxConnectionsPerNode Maximum number of connections to one node. Event loops share it
   *     evenly, so it must not be less than `penstock.event-loops`.
   */
  public record Sync(
      @DefaultValue("256") @Between(min = "1", max = "65536") int maxConnectionsPerNode) {}

  /**
   * Limits of the replies that one client leaves unread.
   *
   * @param normal For clients that are not subscribed.
   * @param pubsub For clients that are subscribed.
   */
  public record ClientOutputBufferLimit(
      @DefaultValue @Valid OutputBufferLimit normal,
      @DefaultValue @Valid OutputBufferLimit pubsub) {

    public ClientOutputBufferLimit {
      normal = normal.completed(OutputLimit.NONE);
      pubsub = pubsub.completed(OutputLimit.SUBSCRIBERS);
    }
  }

  /**
   * Limits of the bytes that one client leaves unread. What is not set is as in Redis: no limit for
   * {@code normal}; 32MB, 8MB and 60 for {@code pubsub}.
   *
   * @param hardLimit A client with more unread bytes is closed at once. `0` is no limit.
   * @param softLimit A client with more unread bytes for longer than `soft-seconds` is closed. `0`
   *     is no limit.
   * @param softSeconds Time in seconds that a client may stay above `soft-limit`.
   */
  public record OutputBufferLimit(
      @Between(min = "0") @Nullable DataSize hardLimit,
      @Between(min = "0") @Nullable DataSize softLimit,
      @Between(min = "0", max = "86400") @Nullable Integer softSeconds) {

    private OutputBufferLimit completed(OutputLimit otherwise) {
      return new OutputBufferLimit(
          requireNonNullElse(hardLimit, DataSize.ofBytes(otherwise.hardBytes())),
          requireNonNullElse(softLimit, DataSize.ofBytes(otherwise.softBytes())),
          requireNonNullElse(softSeconds, (int) otherwise.softTime().toSeconds()));
    }
  }

  /**
   * Times after which a client is closed.
   *
   * @param idle Time without a request, as `timeout` in Redis. Clients that are subscribed or
   *     blocked are not closed. `0` is no limit.
   * @param authentication Time from the connect to the password, if one is needed. `0` is no limit.
   * @param request Time from the first byte of a request to its last, plus one second for each KiB
   *     received. `0` is no limit.
   * @param reply Time during which a client reads nothing of the replies that wait for it. `0` is
   *     no limit.
   */
  public record ClientTimeout(
      @DefaultValue("0") @Between(min = "0", max = "24h") Duration idle,
      @DefaultValue("60s") @Between(min = "0", max = "24h") Duration authentication,
      @DefaultValue("30s") @Between(min = "0", max = "24h") Duration request,
      @DefaultValue("5m") @Between(min = "0", max = "24h") Duration reply) {}

  /**
   * Limits of requests that are not answered yet.
   *
   * @param perClient Unanswered requests of one client, above which Penstock stops reading from it.
   *     Fewer where its replies are large.
   * @param total Unanswered requests of all clients, above which further ones get `-OVERLOADED`.
   *     Event loops share it evenly.
   */
  public record MaxInFlight(
      @DefaultValue("4096") @Between(min = "1", max = "1000000") int perClient,
      @DefaultValue("1048576") @Between(min = "1000", max = "1000000000") int total) {}

  /**
   * Connections to the nodes.
   *
   * @param connectTimeout Maximum time to connect to a node, handshake included.
   * @param commandTimeout Maximum time from sending a command to its reply. After it, the client
   *     gets `-TIMEOUT`.
   * @param connectionsPerLoop Shared connections from one event loop to one node. As many more once
   *     there are RESP3 clients.
   * @param exclusiveConnectionsPerLoop Maximum number of connections from one event loop to one
   *     node that serve one client at a time, for blocking commands, `WATCH` and `WAIT`. Above it,
   *     clients get `-OVERLOADED`.
   * @param failoverHold Maximum time that a request waits while no node accepts it, from its
   *     arrival. A value below `command-timeout`, such as `0`, counts as `command-timeout`.
   * @param failoverHoldRequests Maximum number of requests that wait so in one event loop. Further
   *     ones get `-OVERLOADED`.
   * @param maxInFlightPerConnection Unanswered commands on one shared connection, above which
   *     Penstock stops reading from clients that use the node. At 16 times as many, commands get
   *     `-OVERLOADED`.
   * @param maxUnsent Bytes on one connection that the node has not received yet, above which
   *     commands for it get `-OVERLOADED`.
   */
  public record Backend(
      @DefaultValue("1s") @Between(min = "1ms", max = "1h") Duration connectTimeout,
      @DefaultValue("2s") @Between(min = "1ms", max = "1h") Duration commandTimeout,
      @DefaultValue("1") @Between(min = "1", max = "64") int connectionsPerLoop,
      @DefaultValue("2048") @Between(min = "1", max = "65536") int exclusiveConnectionsPerLoop,
      @DefaultValue("10s") @Between(min = "0", max = "1h") Duration failoverHold,
      @DefaultValue("10000") @Between(min = "1", max = "1000000") int failoverHoldRequests,
      @DefaultValue("4096") @Between(min = "1", max = "1000000") int maxInFlightPerConnection,
      @DefaultValue("64MB") @Between(min = "1B") DataSize maxUnsent) {}

  /**
   * How Penstock keeps its view of the nodes up to date.
   *
   * @param refreshPeriod Time between two periodic refreshes of the topology.
   * @param minRefreshInterval Minimum time between two refreshes that redirects, lost connections
   *     or uncovered slots trigger.
   */
  public record Topology(
      @DefaultValue("30s") @Between(min = "100ms", max = "24h") Duration refreshPeriod,
      @DefaultValue("1s") @Between(min = "1ms", max = "1h") Duration minRefreshInterval) {}

  /**
   * Which commands clients may use: names as in docs/reference/commands.md ({@code config|set}) and
   * ACL categories ({@code @dangerous}). A name takes precedence over a category, deny over allow.
   *
   * @param allow Commands and ACL categories that are allowed although Penstock rejects them by
   *     default.
   * @param deny Commands and ACL categories that are rejected.
   */
  public record Commands(@DefaultValue List<String> allow, @DefaultValue List<String> deny) {

    public Commands {
      allow = List.copyOf(allow);
      deny = List.copyOf(deny);
    }
  }

  /**
   * Where commands are sent to.
   *
   * @param type Source of the route. `local`, this configuration, is the only one so far.
   * @param local The route.
   */
  public record Transpond(@DefaultValue("local") String type, @DefaultValue @Valid Local local) {}

  /**
   * The route.
   *
   * @param type Kind of the route. `simple`, one resource, is the only one so far.
   * @param resource URL of the Redis Cluster or the single server. Must be set.
   */
  public record Local(@DefaultValue("simple") String type, @Nullable String resource) {

    @Override
    public String toString() {
      return "Local[type=" + type + "]"; // the resource may hold a password
    }
  }

  /**
   * The Redis Cluster that Penstock presents to clients.
   *
   * @param enabled Whether `CLUSTER SLOTS` and similar commands present Penstock's instances as a
   *     Redis Cluster.
   * @param nodes `host:port` of each instance as clients reach it; the same list on each instance.
   *     If not set, this instance alone.
   * @param announceHost Host at which clients reach this instance. Required if `nodes` lists
   *     several instances. If not set, the address that the client has connected to.
   * @param announcePort Port at which clients reach this instance. If not set, `penstock.port`.
   */
  public record ClusterFacade(
      @DefaultValue("false") boolean enabled,
      @DefaultValue List<String> nodes,
      @Size(min = 1, message = "must not be empty") @Nullable String announceHost,
      @Between(min = "1", max = "65535") @Nullable Integer announcePort) {

    public ClusterFacade {
      nodes = List.copyOf(nodes);
    }
  }
}
