package io.penstock.server.it;

import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.shards.EjectionSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Three servers that share the keys by twemproxy's ketama. Keys with the same {@code {hash tag}}
 * are on the same server.
 */
final class ShardedServers implements AutoCloseable {

  private static final int COUNT = 3;

  private final List<ServerProcess> servers = new ArrayList<>();
  private final ShardLayout layout;

  private ShardedServers() {
    List<ShardServer> named = new ArrayList<>();
    try {
      for (int i = 0; i < COUNT; i++) {
        servers.add(ServerProcess.start());
        named.add(new ShardServer("server" + i, "127.0.0.1:" + servers.get(i).port(), 1));
      }
      layout =
          ShardLayout.of(LayoutSettings.ofServers(Distribution.KETAMA, named).withHashTag("{}"));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  static ShardedServers start() {
    return new ShardedServers();
  }

  List<ServerProcess> servers() {
    return servers;
  }

  ServerProcess server(int shard) {
    return servers.get(shard);
  }

  ShardLayout layout() {
    return layout;
  }

  ServerProcess ownerOf(String key) {
    return servers.get(layout.shardOf(Wire.bytes(key)));
  }

  /** Returns a key that belongs to a shard. */
  String keyOf(int shard, String prefix) {
    for (int i = 0; ; i++) {
      if (layout.shardOf(Wire.bytes(prefix + i)) == shard) {
        return prefix + i;
      }
    }
  }

  /** Returns the upstream that consists of them. */
  ShardsUpstreamSettings upstream(@Nullable EjectionSettings ejection) {
    List<UpstreamSettings> shards = new ArrayList<>();
    for (ServerProcess each : servers) {
      shards.add(new SingleUpstreamSettings(new Endpoint(each.host(), each.port()), null, 0));
    }
    return new ShardsUpstreamSettings(layout, shards, false, ejection);
  }

  void clear() {
    servers.forEach(server -> server.text("FLUSHALL"));
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
  }
}
