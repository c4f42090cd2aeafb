package io.penstock.core.resync;

import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.discovery.ClusterTopology;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.mirror.Contents;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.side.Side;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Upstream;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server or a cluster, as the jobs reach it and as a test reads and writes it. */
final class ResyncSide implements AutoCloseable {

  static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static final boolean SYNC = "sync".equals(System.getProperty("penstock.dispatch"));

  private final @Nullable ControlPlane control;
  private final Upstream upstream;
  private final Dispatcher dispatcher;
  private final Loop loop;
  private final List<String> databases;
  private final Map<Endpoint, RespClient> clients = new HashMap<>();
  private int selected = -1;

  private ResyncSide(
      LoopGroup group, @Nullable ControlPlane control, Upstream upstream, List<String> databases) {
    this.control = control;
    this.upstream = upstream;
    this.databases = databases;
    this.loop = group.loops().getFirst();
    var settings =
        new BackendSettings(
            TIMEOUT,
            TIMEOUT,
            2,
            8,
            8,
            10_000,
            QueueLimits.DEFAULTS,
            ReadSettings.MASTER_ONLY,
            Label.ONLY);
    dispatcher =
        SYNC
            ? new SyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE)
            : new AsyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE);
    loop.executor().submit(dispatcher::adoptPlacement).syncUninterruptibly();
    upstream.onChange(_ -> loop.executor().execute(dispatcher::adoptPlacement));
    loop.executor()
        .scheduleAtFixedRate(() -> dispatcher.tick(loop.tick()), 10, 10, TimeUnit.MILLISECONDS);
  }

  static ResyncSide of(LoopGroup group, ServerProcess server) {
    var upstream = new StaticTopology(new Endpoint(server.host(), server.port()));
    return new ResyncSide(group, null, upstream, List.of("3", "0"));
  }

  static ResyncSide of(LoopGroup group, EmbeddedCluster cluster) {
    ControlPlane control = ControlPlane.create(Duration.ofSeconds(1));
    List<Endpoint> seeds =
        cluster.members().stream()
            .map((Member each) -> new Endpoint(each.host(), each.port()))
            .toList();
    var topology =
        ClusterTopology.create(
            new TopologySettings(
                seeds, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMillis(100)),
            control,
            ProxyEvents.NONE);
    topology.start();
    await().until(() -> topology.current().isFullyCovered());
    return new ResyncSide(group, control, topology, List.of("0"));
  }

  Side side() {
    return new Side(dispatcher, upstream, TIMEOUT.toNanos());
  }

  boolean hasMaster(Member member) {
    return upstream.current().masters().contains(new Endpoint(member.host(), member.port()));
  }

  private RespClient client(Endpoint node) {
    return clients.computeIfAbsent(node, each -> RespClient.open(each.host(), each.port()));
  }

  /** Closes the test's connections; they are made again. */
  void reconnect() {
    clients.values().forEach(RespClient::close);
    clients.clear();
    selected = -1;
  }

  /** Runs a command whose key is its first argument at the node that serves it. */
  @Nullable Object value(int database, byte[]... command) {
    return valueAt(command[1], database, command);
  }

  private @Nullable Object valueAt(byte[] key, int database, byte[]... command) {
    var placement = upstream.current();
    var shard = placement.shardOf(placement.partitioner().partitionOf(key));
    RespClient client = client(Objects.requireNonNull(shard).master());
    if (database != selected) {
      client.value("SELECT", Integer.toString(Math.max(0, database)));
      selected = database;
    }
    return client.value(command);
  }

  /** Runs a command of text, whose key is its first argument, in the own database. */
  void write(String... command) {
    writeTo(command[1], command);
  }

  /** Runs a command of text at the node that serves a key. */
  void writeTo(String key, String... command) {
    byte[][] bytes = new byte[command.length][];
    for (int i = 0; i < command.length; i++) {
      bytes[i] = Wire.bytes(command[i]);
    }
    valueAt(Wire.bytes(key), -1, bytes);
  }

  /** Returns all that the masters have. */
  Map<String, String> contents(boolean fieldsMayExpire) {
    Map<String, String> all = new TreeMap<>();
    for (Endpoint master : upstream.current().masters()) {
      try (RespClient client = RespClient.open(master.host(), master.port())) {
        all.putAll(new Contents(client, fieldsMayExpire, databases).read());
      }
    }
    return all;
  }

  @Override
  public void close() {
    reconnect();
    loop.executor().submit(dispatcher::close).syncUninterruptibly();
    upstream.close();
    if (control != null) {
      control.close().toCompletableFuture().join();
    }
  }
}
