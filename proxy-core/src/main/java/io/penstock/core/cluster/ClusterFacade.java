package io.penstock.core.cluster;

import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that Penstock shows to cluster clients: its masters are the instances of Penstock,
 * and the slots are divided evenly among them. All instances show the same cluster.
 *
 * @param nodes the instances as clients reach them; empty if this is the only one
 * @param announceHost the host at which clients reach this instance; null for the address that the
 *     client is connected to
 * @param announcePort the port at which clients reach this instance; 0 for the port that the client
 *     is connected to
 */
public record ClusterFacade(List<Endpoint> nodes, @Nullable String announceHost, int announcePort) {

  public ClusterFacade {
    nodes = List.copyOf(nodes);
  }

  /**
   * One instance.
   *
   * @param id 40 hexadecimal digits, always the same for one address
   * @param shardId another such id
   * @param first the first slot that it is shown with
   * @param last the last one
   * @param epoch its configuration epoch, 1 or more
   * @param myself whether it is this instance
   */
  public record Member(
      Endpoint node, String id, String shardId, int first, int last, int epoch, boolean myself) {}

  /**
   * Returns all instances, ordered by address.
   *
   * @param local the address that the client is connected to
   */
  public List<Member> members(Endpoint local) {
    Endpoint self =
        new Endpoint(
            announceHost == null ? local.host() : announceHost,
            announcePort == 0 ? local.port() : announcePort);
    List<Endpoint> sorted = new ArrayList<>(nodes.isEmpty() ? List.of(self) : nodes);
    sorted.sort(Comparator.comparing(Endpoint::toString));
    boolean alone = sorted.size() == 1;
    List<Member> members = new ArrayList<>(sorted.size());
    for (int i = 0; i < sorted.size(); i++) {
      Endpoint node = sorted.get(i);
      int first = i * SlotMap.SLOTS / sorted.size();
      int last = (i + 1) * SlotMap.SLOTS / sorted.size() - 1;
      boolean myself = alone || node.equals(self);
      members.add(
          new Member(node, id("node " + node), id("shard " + node), first, last, i + 1, myself));
    }
    return members;
  }

  private static String id(String text) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(sha1.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
