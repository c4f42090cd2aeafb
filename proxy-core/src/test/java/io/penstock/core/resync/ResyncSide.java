package io.penstock.core.resync;

import io.penstock.core.mirror.Contents;
import io.penstock.core.side.Side;
import io.penstock.core.side.SideRig;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
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
import org.jspecify.annotations.Nullable;

/** A server or a cluster, as the jobs reach it and as a test reads and writes it. */
final class ResyncSide implements AutoCloseable {

  static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final SideRig rig;
  private final List<String> databases;
  private final Map<Endpoint, RespClient> clients = new HashMap<>();
  private int selected = -1;

  private ResyncSide(SideRig rig, List<String> databases) {
    this.rig = rig;
    this.databases = databases;
  }

  static ResyncSide of(LoopGroup group, ServerProcess server) {
    var endpoint = new Endpoint(server.host(), server.port());
    return new ResyncSide(SideRig.of(group, endpoint, TIMEOUT), List.of("3", "0"));
  }

  static ResyncSide of(LoopGroup group, EmbeddedCluster cluster) {
    var rig = SideRig.of(group, cluster, TIMEOUT, Duration.ofSeconds(1));
    return new ResyncSide(rig, List.of("0"));
  }

  Side side() {
    return rig.side();
  }

  boolean hasMaster(Member member) {
    return rig.upstream().current().masters().contains(new Endpoint(member.host(), member.port()));
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

  /** Runs a command at the node that serves its first argument, a key. */
  @Nullable Object value(int database, byte[]... command) {
    return valueAt(command[1], database, command);
  }

  private @Nullable Object valueAt(byte[] key, int database, byte[]... command) {
    var placement = rig.upstream().current();
    var shard = placement.shardOf(placement.partitioner().partitionOf(key));
    RespClient client = client(Objects.requireNonNull(shard).master());
    if (database != selected) {
      client.value("SELECT", Integer.toString(Math.max(0, database)));
      selected = database;
    }
    return client.value(command);
  }

  /** Runs a command of text with a key as its first argument, in the own database. */
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
    for (Endpoint master : rig.upstream().current().masters()) {
      try (RespClient client = RespClient.open(master.host(), master.port())) {
        all.putAll(new Contents(client, fieldsMayExpire, databases).read());
      }
    }
    return all;
  }

  @Override
  public void close() {
    reconnect();
    rig.close();
  }
}
