package io.penstock.server.fault;

import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Three servers without replicas that share the keys, each behind a relay. They keep every write
 * across a restart. Nothing replaces a server, so {@code hold} is set: else clients would get
 * errors for as long as one is away.
 */
final class ShardsTestbed implements FaultTestbed {

  private static final int SHARDS = 3;

  private final Relays relays = new Relays();
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<String> tags = new ArrayList<>();
  private final ProxyFixture proxy;
  private final Relay clientRelay;

  private ShardsTestbed(Transport transport, Duration commandTimeout) {
    try {
      proxy =
          ProxyFixture.of(startShards())
              .emulatesCrossSlot()
              .transport(transport)
              .commandTimeout(commandTimeout)
              .startReady();
    } catch (RuntimeException e) {
      closeServers();
      throw e;
    }
    clientRelay = Relay.to(proxy.host(), proxy.port());
  }

  static ShardsTestbed start(Transport transport, Duration commandTimeout) {
    return new ShardsTestbed(transport, commandTimeout);
  }

  private UpstreamSettings startShards() {
    List<UpstreamSettings> shards = new ArrayList<>();
    List<ShardServer> named = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      ServerProcess server =
          ServerProcess.builder()
              .option("appendonly", "yes")
              .option("appendfsync", "always")
              .option("enable-debug-command", "yes")
              .option("loading-process-events-interval-bytes", "1024")
              .start();
      servers.add(server);
      Relay relay = relays.add(server);
      shards.add(new SingleUpstreamSettings(new Endpoint("127.0.0.1", relay.port()), null, 0));
      named.add(new ShardServer("server" + i, "127.0.0.1:" + relay.port(), 1));
    }
    ShardLayout layout =
        ShardLayout.of(LayoutSettings.ofServers(Distribution.KETAMA, named).withHashTag("{}"));
    for (int shard = 0; shard < SHARDS; shard++) {
      tags.add(tagOf(layout, shard));
    }
    return new ShardsUpstreamSettings(layout, shards, true, null);
  }

  private static String tagOf(ShardLayout layout, int shard) {
    for (int i = 0; ; i++) {
      if (layout.shardOf(Wire.bytes("{" + i + "}")) == shard) {
        return "{" + i + "}";
      }
    }
  }

  @Override
  public ProxyFixture proxy() {
    return proxy;
  }

  @Override
  public Relay clientRelay() {
    return clientRelay;
  }

  @Override
  public List<Relay> relays() {
    return relays.all();
  }

  @Override
  public Relay relayOf(ServerProcess node) {
    return relays.of(node);
  }

  @Override
  public ServerProcess anyMaster(Random random) {
    return servers.get(random.nextInt(SHARDS));
  }

  @Override
  public Relay anyMasterRelay(Random random) {
    return relayOf(anyMaster(random));
  }

  @Override
  public List<String> tags() {
    return tags;
  }

  private void closeServers() {
    servers.forEach(ServerProcess::close);
    relays.close();
  }

  @Override
  public void close() {
    clientRelay.close();
    proxy.close();
    closeServers();
  }
}
