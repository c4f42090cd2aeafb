package io.penstock.core.sentinel;

import io.penstock.core.sentinel.SentinelView.Member;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replies of one sentinel, as nested lists of strings.
 *
 * @param id to {@code SENTINEL MYID}; empty if the sentinel lacks that command
 * @param master to {@code SENTINEL MASTER}: names and values in turn
 * @param address to {@code SENTINEL GET-MASTER-ADDR-BY-NAME}: host and port. During a failover it
 *     is the promoted replica's, while {@code SENTINEL MASTER} still describes the old master
 * @param replicas to {@code SENTINEL REPLICAS}
 * @param sentinels to {@code SENTINEL SENTINELS}
 */
record SentinelReplies(
    String id,
    List<Object> master,
    List<Object> address,
    List<Object> replicas,
    List<Object> sentinels) {

  /**
   * Returns the view.
   *
   * @param source the sentinel; the others get its access
   * @param nodes access to the master and its replicas
   * @throws UnusableSentinelException if the replies do not name a master
   */
  SentinelView view(Endpoint source, Access nodes) {
    Map<String, String> current = fields(master);
    Endpoint known = endpoint(current.get("ip"), current.get("port"), nodes);
    Endpoint named =
        address.size() < 2
            ? known
            : endpoint(String.valueOf(address.get(0)), String.valueOf(address.get(1)), nodes);
    if (named == null) {
      throw new UnusableSentinelException("it knows no address of the master");
    }
    List<Member> members = new ArrayList<>();
    members.add(
        named.equals(known)
            ? member(named, current)
            : new Member("", named, Set.of("master"))); // promoted, and still among the replicas
    for (Object each : replicas) {
      Map<String, String> replica = fields(each);
      Endpoint node = endpoint(replica.get("ip"), replica.get("port"), nodes);
      if (node != null && !node.equals(named)) {
        members.add(member(node, replica));
      }
    }
    Map<String, Endpoint> others = new LinkedHashMap<>();
    for (Object each : sentinels) {
      Map<String, String> other = fields(each);
      Endpoint node = endpoint(other.get("ip"), other.get("port"), source.access());
      String otherId = other.getOrDefault("runid", "");
      if (node != null) {
        others.put(otherId.isEmpty() ? node.toString() : otherId, node);
      }
    }
    long epoch = number(current.get("config-epoch"));
    String ownId = id.isEmpty() ? source.toString() : id;
    return new SentinelView(source, ownId, named, epoch, members, others);
  }

  private static Member member(Endpoint node, Map<String, String> fields) {
    String flags = fields.getOrDefault("flags", "");
    return new Member(fields.getOrDefault("runid", ""), node, Set.of(flags.split(",", -1)));
  }

  private static @Nullable Endpoint endpoint(
      @Nullable String host, @Nullable String port, Access access) {
    long number = number(port);
    return host == null || host.isEmpty() || host.equals("?") || number < 1 || number > 65_535
        ? null
        : new Endpoint(host, (int) number, access);
  }

  private static long number(@Nullable String text) {
    try {
      return Long.parseLong(Objects.requireNonNullElse(text, "0"));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Returns names and values that are listed in turn. */
  static Map<String, String> fields(@Nullable Object reply) {
    Map<String, String> fields = new HashMap<>();
    if (reply instanceof List<?> items) {
      for (int i = 0; i + 1 < items.size(); i += 2) {
        fields.put(String.valueOf(items.get(i)), String.valueOf(items.get(i + 1)));
      }
    }
    return fields;
  }
}
