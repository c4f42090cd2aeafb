package io.penstock.core.replicas;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.NodeConnections;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.failure.Causes;
import io.penstock.core.upstream.Endpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends {@code PING} and {@code INFO replication} over one connection per node, which is kept open
 * while it works. {@code PING} is answered with an error where reads would be, too: a node that
 * loads its data or runs a long script. Asks for the zone once per connection, with {@code INFO
 * server} (Valkey 8.1 and later report it). Confined to the topology thread.
 */
final class LettuceReplicationSource implements ReplicationSource {

  private static final String ZONE = "availability_zone:";

  private final NodeConnections connections;
  private final TopologyThread clock;
  private final boolean asksForZones;
  private final Map<Endpoint, Zone> zones = new HashMap<>();

  /**
   * The zone of a node, as it was when the connection was made.
   *
   * @param reported completes with null if it reports none, never exceptionally
   */
  private record Zone(
      CompletableFuture<StatefulRedisConnection<String, String>> connection,
      CompletableFuture<@Nullable String> reported) {}

  LettuceReplicationSource(ControlPlane control, boolean asksForZones) {
    this.connections = new NodeConnections(control);
    this.clock = control.thread();
    this.asksForZones = asksForZones;
  }

  @Override
  public CompletionStage<ReplicationReport> query(Endpoint node) {
    var connection = connections.to(node);
    CompletableFuture<@Nullable String> zone = zoneOf(node, connection);
    CompletionStage<ReplicationReport> answer =
        zone.thenCombine(connection, (reported, open) -> report(open.async(), reported))
            .thenCompose(report -> report);
    connections.dropIfBroken(node, connection, answer);
    return answer;
  }

  private CompletionStage<ReplicationReport> report(
      RedisAsyncCommands<String, String> commands, @Nullable String zone) {
    long sent = clock.nanoTime();
    CompletionStage<Ping> ping =
        commands.ping().handle((_, failure) -> new Ping(clock.nanoTime() - sent, refusal(failure)));
    return commands
        .info("replication")
        .thenCombine(
            ping,
            (info, pong) -> ReplicationReport.parse(info, zone, pong.refusal, pong.tookNanos));
  }

  /** The answer to a {@code PING}. */
  private record Ping(long tookNanos, @Nullable String refusal) {}

  /** Returns the error reply, or null if there is none. Throws for any other failure. */
  private static @Nullable String refusal(@Nullable Throwable failure) {
    if (failure == null) {
      return null;
    }
    Throwable cause = Causes.unwrapped(failure);
    if (NodeConnections.isErrorReply(failure)) {
      return String.valueOf(cause.getMessage());
    }
    throw new CompletionException(cause);
  }

  private CompletableFuture<@Nullable String> zoneOf(
      Endpoint node, CompletableFuture<StatefulRedisConnection<String, String>> connection) {
    if (!asksForZones) {
      return CompletableFuture.completedFuture(null);
    }
    Zone known = zones.get(node);
    if (known == null || known.connection != connection) {
      known =
          new Zone(
              connection,
              connection
                  .thenCompose(open -> open.async().info("server"))
                  .handle((info, _) -> zone(info)));
      zones.put(node, known);
    }
    return known.reported;
  }

  private static @Nullable String zone(@Nullable String info) {
    String zone = info == null ? "" : ReplicationReport.field(info, ZONE);
    return zone.isEmpty() ? null : zone;
  }

  @Override
  public void keepOnly(Set<Endpoint> nodes) {
    connections.keepOnly(nodes);
    zones.keySet().retainAll(nodes);
  }
}
