package io.penstock.server.config;

import static java.util.Objects.requireNonNullElse;

import io.penstock.core.limit.OutputLimit;
import io.penstock.core.transport.Transport;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Everything under {@code penstock}.
 *
 * @param port TCP port clients connect to. 0 picks a free one.
 * @param bind Address to listen on.
 * @param dispatch How commands are carried out. async shares connections to the nodes among
 *     clients; sync has a thread a client, with connections of its own meanwhile.
 * @param sync What only dispatch: sync uses.
 * @param transport How bytes reach the kernel. auto takes the best one available.
 * @param eventLoops Number of event loops. The number of processors when not set.
 * @param eventLoopTimeSlice Time slice that event loops ask Linux for. 0 takes the kernel's own.
 * @param maxClients Client connections above this are refused, as Redis refuses them.
 * @param maxConnectionRate Client connections accepted in a second; more wait. 0 is no limit.
 * @param tcpKeepalive A client that is silent for so long is asked by the system whether it is
 *     still there, as in Redis. 0 is never.
 * @param password What clients must AUTH with. No authentication when not set.
 * @param protoMaxBulkLen Longest argument of a command, as in Redis.
 * @param clientOutputBufferLimit How much a client may leave unread, as in Redis.
 * @param maxmemoryClients What all clients together may keep in buffers, as in Redis: beyond, the
 *     one that keeps the most is closed. Half of the direct memory when not set. 0 is no limit.
 * @param clientTimeout How long a client may keep Penstock waiting before it is closed.
 * @param maxInFlight How many requests may be unanswered.
 * @param backend Connections to the nodes.
 * @param topology How the view of the cluster is kept current.
 * @param commands Which commands clients may use.
 * @param readiness Which slots must have a master that answers for the readiness probe to be up:
 *     any-slot, every-slot, or listening, which asks for none.
 * @param transpond What commands are sent to.
 * @param clusterFacade The cluster that Penstock shows to clients that want one.
 */
@ConfigurationProperties(PropertiesReader.PREFIX)
@Validated
public record PenstockProperties(
    @DefaultValue("6380") @Min(value = 0, message = PORT) @Max(value = 65_535, message = PORT)
        int port,
    @DefaultValue("0.0.0.0") @Size(min = 1, message = "must not be empty") String bind,
    @DefaultValue("async") Dispatch dispatch,
    @DefaultValue @Valid Sync sync,
    @DefaultValue("auto") Transport transport,
    @Min(value = 1, message = LOOPS) @Max(value = 1_024, message = LOOPS)
        @Nullable Integer eventLoops,
    @DefaultValue("5ms") Duration eventLoopTimeSlice,
    @DefaultValue("10000") @Min(value = 1, message = AT_LEAST_ONE) int maxClients,
    @DefaultValue("0") @Min(value = 0, message = RATE) @Max(value = 1_000_000, message = RATE)
        int maxConnectionRate,
    @DefaultValue("300s") Duration tcpKeepalive,
    @Size(min = 1, message = "is empty: that would let everybody in") @Nullable String password,
    @DefaultValue("512MB") DataSize protoMaxBulkLen,
    @DefaultValue @Valid ClientOutputBufferLimit clientOutputBufferLimit,
    @Nullable DataSize maxmemoryClients,
    @DefaultValue ClientTimeout clientTimeout,
    @DefaultValue @Valid MaxInFlight maxInFlight,
    @DefaultValue @Valid Backend backend,
    @DefaultValue @Valid Topology topology,
    @DefaultValue Commands commands,
    @DefaultValue("any-slot") Readiness readiness,
    @DefaultValue @Valid Transpond transpond,
    @DefaultValue @Valid ClusterFacade clusterFacade) {

  private static final String PORT = "must be a port from 0 to 65535";
  private static final String RATE = "must be from 0 to 1000000";
  private static final String LOOPS = "must be from 1 to 1024";
  private static final String AT_LEAST_ONE = "must be at least 1";
  private static final String SHORT = "must be from 1ms to 1h";
  private static final String REFRESH = "must be from 100ms to 24h";

  @Override
  public String toString() {
    return "PenstockProperties[bind=" + bind + ", port=" + port + "]"; // no password, no URL
  }

  /**
   * What only dispatch: sync uses.
   *
   * @param maxConnectionsPerNode Most connections to one node, of all event loops together.
   */
  public record Sync(
      @DefaultValue("256")
          @Min(value = 1, message = CONNECTIONS)
          @Max(value = 65_536, message = CONNECTIONS)
          int maxConnectionsPerNode) {

    private static final String CONNECTIONS = "must be from 1 to 65536";
  }

  /**
   * How much clients may leave unread before they are closed.
   *
   * @param normal Clients that have not subscribed.
   * @param pubsub Clients that have.
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
   * How much one client may leave unread. 0 is no limit. What is not set is as in Redis: no limit
   * for normal, 32MB, 8MB and 60 for pubsub.
   *
   * @param hardLimit Closed at once above that.
   * @param softLimit Closed when above that for longer than soft-seconds.
   * @param softSeconds How long it may be above soft-limit.
   */
  public record OutputBufferLimit(
      @Nullable DataSize hardLimit,
      @Nullable DataSize softLimit,
      @Min(value = 0, message = SECONDS) @Max(value = 86_400, message = SECONDS)
          @Nullable Integer softSeconds) {

    private static final String SECONDS = "must be from 0 to 86400";

    private OutputBufferLimit completed(OutputLimit otherwise) {
      return new OutputBufferLimit(
          requireNonNullElse(hardLimit, DataSize.ofBytes(otherwise.hardBytes())),
          requireNonNullElse(softLimit, DataSize.ofBytes(otherwise.softBytes())),
          requireNonNullElse(softSeconds, (int) otherwise.softTime().toSeconds()));
    }
  }

  /**
   * How long a client may keep Penstock waiting before it is closed. 0 is for ever.
   *
   * @param idle Without a request, as timeout in Redis; subscribers and who blocks may.
   * @param authentication From its connect to its password, where one is needed.
   * @param request From the first byte of a request to the last, and a second for each KiB of it.
   * @param reply Without reading anything of the replies that wait for it.
   */
  public record ClientTimeout(
      @DefaultValue("0") Duration idle,
      @DefaultValue("60s") Duration authentication,
      @DefaultValue("30s") Duration request,
      @DefaultValue("5m") Duration reply) {}

  /**
   * How many requests may be unanswered.
   *
   * @param perClient Of one client: it is not read meanwhile.
   * @param total Of all clients: further ones get -OVERLOADED. Each event loop has its part.
   */
  public record MaxInFlight(
      @DefaultValue("4096") @Min(value = 1, message = ONE) @Max(value = 1_000_000, message = ONE)
          int perClient,
      @DefaultValue("1048576")
          @Min(value = 1_000, message = ALL)
          @Max(value = 1_000_000_000, message = ALL)
          int total) {

    private static final String ONE = "must be from 1 to 1000000";
    private static final String ALL = "must be from 1000 to 1000000000";
  }

  /**
   * Connections to the nodes.
   *
   * @param connectTimeout Longest wait for a connection to a node, handshake included.
   * @param commandTimeout How long a node may take to answer a command, from when it was sent.
   * @param connectionsPerLoop Shared connections from one event loop to one node.
   * @param exclusiveConnectionsPerLoop Most from one event loop to one node for who blocks.
   * @param failoverHold How long commands that did not run are held while no node takes them. Not
   *     less than command-timeout has an effect; 0 turns it off.
   * @param failoverHoldRequests Most commands that one event loop holds.
   * @param maxInFlightPerConnection From so many unanswered commands on one shared connection on, clients wait.
   * @param maxUnsent While a node has so much yet to take, commands for it get -OVERLOADED.
   */
  public record Backend(
      @DefaultValue("1s")
          @DurationMin(millis = 1, message = SHORT)
          @DurationMax(hours = 1, message = SHORT)
          Duration connectTimeout,
      @DefaultValue("2s")
          @DurationMin(millis = 1, message = SHORT)
          @DurationMax(hours = 1, message = SHORT)
          Duration commandTimeout,
      @DefaultValue("1") @Min(value = 1, message = PER_LOOP) @Max(value = 64, message = PER_LOOP)
          int connectionsPerLoop,
      @DefaultValue("2048")
          @Min(value = 1, message = EXCLUSIVE)
          @Max(value = 65_536, message = EXCLUSIVE)
          int exclusiveConnectionsPerLoop,
      @DefaultValue("10s")
          @DurationMin(millis = 0, message = HOLD)
          @DurationMax(hours = 1, message = HOLD)
          Duration failoverHold,
      @DefaultValue("10000") @Min(value = 1, message = HELD) @Max(value = 1_000_000, message = HELD)
          int failoverHoldRequests,
      @DefaultValue("4096")
          @Min(value = 1, message = IN_FLIGHT)
          @Max(value = 1_000_000, message = IN_FLIGHT)
          int maxInFlightPerConnection,
      @DefaultValue("64MB") DataSize maxUnsent) {

    private static final String HOLD = "must be from 0 to 1h";
    private static final String HELD = "must be from 1 to 1000000";
    private static final String IN_FLIGHT = HELD;
    private static final String PER_LOOP = "must be from 1 to 64";
    private static final String EXCLUSIVE = "must be from 1 to 65536";
  }

  /**
   * How the view of the cluster is kept current.
   *
   * @param refreshPeriod Time between two periodic refreshes.
   * @param minRefreshInterval Shortest time between two refreshes caused by redirects, lost
   *     connections or uncovered slots.
   */
  public record Topology(
      @DefaultValue("30s")
          @DurationMin(millis = 100, message = REFRESH)
          @DurationMax(hours = 24, message = REFRESH)
          Duration refreshPeriod,
      @DefaultValue("1s")
          @DurationMin(millis = 1, message = SHORT)
          @DurationMax(hours = 1, message = SHORT)
          Duration minRefreshInterval) {}

  /**
   * Which commands clients may use: names as in docs/reference/commands.md ({@code config|set}) and
   * ACL categories ({@code @dangerous}). A name counts before a category, deny before allow.
   *
   * @param allow Served although refused by default.
   * @param deny Refused.
   */
  public record Commands(@DefaultValue List<String> allow, @DefaultValue List<String> deny) {

    public Commands {
      allow = List.copyOf(allow);
      deny = List.copyOf(deny);
    }
  }

  /**
   * What commands are sent to.
   *
   * @param type Where routes come from. Only local, this configuration, exists so far.
   * @param local The route.
   */
  public record Transpond(@DefaultValue("local") String type, @DefaultValue @Valid Local local) {}

  /**
   * The route.
   *
   * @param type What the route is made of. Only simple, one resource, exists so far.
   * @param resource URL of the cluster or server:
   *     redis-cluster://[[user:]password@]host:port[,host:port...] or
   *     redis://[[user:]password@]host:port[?db=n].
   */
  public record Local(@DefaultValue("simple") String type, @Nullable String resource) {

    @Override
    public String toString() {
      return "Local[type=" + type + "]"; // the resource may hold a password
    }
  }

  /**
   * The cluster that Penstock shows to clients that want one.
   *
   * @param enabled Whether CLUSTER and its like answer as a cluster of Penstock's instances.
   * @param nodes The instances as clients reach them, host:port each. This one alone when not set.
   * @param announceHost Where clients reach this instance. Where they connect to when not set.
   * @param announcePort The same for the port.
   */
  public record ClusterFacade(
      @DefaultValue("false") boolean enabled,
      @DefaultValue List<String> nodes,
      @Size(min = 1, message = "must not be empty") @Nullable String announceHost,
      @Min(value = 1, message = ANNOUNCED) @Max(value = 65_535, message = ANNOUNCED)
          @Nullable Integer announcePort) {

    private static final String ANNOUNCED = "must be a port from 1 to 65535";

    public ClusterFacade {
      nodes = List.copyOf(nodes);
    }
  }
}
