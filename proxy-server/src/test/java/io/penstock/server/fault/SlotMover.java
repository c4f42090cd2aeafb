package io.penstock.server.fault;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;

/**
 * Moves slots with their keys, one at a time, as redis-cli does. Keeps its connections open. Roles
 * must not change meanwhile.
 */
final class SlotMover implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int EPOCH = 6; // index of the field in a line of CLUSTER NODES

  private final EmbeddedCluster cluster;
  private final Map<Member, RespClient> connections = new HashMap<>();

  SlotMover(EmbeddedCluster cluster) {
    this.cluster = cluster;
    for (Member master : cluster.masters()) {
      connections.put(master, master.server().connect());
    }
  }

  /** Moves a slot. Returns when source, target and all other masters know the new owner. */
  void move(int slot, Member from, Member to, int keysAtOnce) {
    String number = Integer.toString(slot);
    of(to).value("CLUSTER", "SETSLOT", number, "IMPORTING", from.id());
    of(from).value("CLUSTER", "SETSLOT", number, "MIGRATING", to.id());
    while (true) {
      List<?> keys =
          (List<?>)
              Objects.requireNonNull(
                  of(from).value("CLUSTER", "GETKEYSINSLOT", number, Integer.toString(keysAtOnce)));
      if (keys.isEmpty()) {
        break;
      }
      List<byte[]> migrate = new ArrayList<>();
      String target = Integer.toString(to.port());
      for (String word : List.of("MIGRATE", to.host(), target, "", "0", "60000", "KEYS")) {
        migrate.add(word.getBytes(StandardCharsets.US_ASCII));
      }
      keys.forEach(key -> migrate.add((byte[]) key));
      of(from).value(migrate.toArray(byte[][]::new));
    }
    of(to).value("CLUSTER", "SETSLOT", number, "NODE", to.id());
    of(from).value("CLUSTER", "SETSLOT", number, "NODE", to.id());
    for (var other : connections.entrySet()) {
      if (other.getKey() != to && other.getKey() != from) {
        other.getValue().value("CLUSTER", "SETSLOT", number, "NODE", to.id());
      }
    }
    awaitEpoch(to);
  }

  /**
   * Waits until all masters know the epoch of the new owner. Otherwise the old owner, if it has
   * just taken another slot, may claim this slot again through a message still in flight, with a
   * higher epoch than the one known of the new owner: then neither of them ever serves it again.
   */
  private void awaitEpoch(Member owner) {
    String epoch = epochOf(owner, owner);
    Awaitility.await("all know the epoch of " + owner)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> connections.keySet().stream().allMatch(m -> epochOf(m, owner).equals(epoch)));
  }

  private String epochOf(Member asked, Member member) {
    return of(asked)
        .text("CLUSTER", "NODES")
        .lines()
        .filter(line -> line.startsWith(member.id()))
        .map(line -> line.split(" ", -1)[EPOCH])
        .findFirst()
        .orElseThrow();
  }

  private RespClient of(Member member) {
    return Objects.requireNonNull(connections.get(member), member.toString());
  }

  /** Closes the connections. Returns when the whole cluster agrees. */
  @Override
  public void close() {
    connections.values().forEach(RespClient::close);
    cluster.awaitHealthy();
  }
}
