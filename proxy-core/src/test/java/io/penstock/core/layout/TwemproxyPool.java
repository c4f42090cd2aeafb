package io.penstock.core.layout;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Servers and a hash tag for which a real nutcracker's choices were recorded.
 *
 * @param name of the pool in the record
 * @param hashTag two characters, or null
 * @param out the number of a server that does not listen and is ejected, or {@link #NONE}
 */
record TwemproxyPool(String name, List<ShardServer> servers, @Nullable String hashTag, int out) {

  static final int NONE = -1;

  static final List<String> HASHES =
      List.of(
          "one_at_a_time",
          "md5",
          "crc16",
          "crc32",
          "crc32a",
          "fnv1_64",
          "fnv1a_64",
          "fnv1_32",
          "fnv1a_32",
          "hsieh",
          "murmur",
          "jenkins");

  static final List<Distribution> DISTRIBUTIONS = List.of(Distribution.KETAMA, Distribution.MODULA);

  private static final int PORT = 19700;

  /**
   * The pools. Numbers of servers for which nutcracker's floats round differently are among them, a
   * server that gets no point, and each kind of address that it treats in its own way.
   */
  static List<TwemproxyPool> all() {
    return List.of(
        new TwemproxyPool("three", servers(3, i -> null, i -> 1), null, NONE),
        new TwemproxyPool(
            "weights", servers(3, i -> "alpha beta gamma".split(" ")[i], i -> i + 1), null, NONE),
        new TwemproxyPool("names", names(), null, NONE),
        new TwemproxyPool("addresses", addresses(), null, NONE),
        new TwemproxyPool("braces", names(), "{}", NONE),
        new TwemproxyPool("dollars", names(), "$$", NONE),
        new TwemproxyPool("pointless", servers(2, i -> null, i -> i == 0 ? 1 : 1000), null, NONE),
        new TwemproxyPool("twenty-five", servers(25, i -> null, i -> 1), null, NONE),
        new TwemproxyPool("forty-seven", servers(47, i -> "cache-" + i, i -> 1), null, NONE),
        new TwemproxyPool("fifty", servers(50, i -> null, i -> 1), null, NONE),
        new TwemproxyPool("fifty-weights", servers(50, i -> "w" + i, i -> i % 7 + 1), null, NONE),
        new TwemproxyPool("ejected", names(), null, 2),
        new TwemproxyPool("ejected-weights", servers(26, i -> null, i -> i % 3 + 1), null, 25));
  }

  private static List<ShardServer> names() {
    String[] names = {"n10", "n9", "Zeta", "b", "été"};
    return servers(names.length, i -> names[i], i -> 5 - i);
  }

  private static List<ShardServer> addresses() {
    return List.of(
        new ShardServer(null, "127.9.0.1:11211", 1),
        new ShardServer(null, "127.9.0.2:19700", 2),
        new ShardServer(null, "[::1]:19700", 1),
        new ShardServer(null, "localhost:19701", 1),
        new ShardServer(null, "/tmp/penstock-layout.sock", 2),
        new ShardServer("named", "127.9.0.3:11211", 1));
  }

  private static List<ShardServer> servers(
      int count, IntFunction<@Nullable String> name, IntFunction<Integer> weight) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> new ShardServer(name.apply(i), "127.9.0." + (i + 1) + ":" + PORT, weight.apply(i)))
        .toList();
  }

  /** Returns what Penstock computes for a hash and a distribution. */
  ShardLayout layout(Distribution distribution, String hash) {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofServers(distribution, servers).withHash(hash).withHashTag(hashTag));
    if (out == NONE) {
      return layout;
    }
    BitSet ejected = new BitSet();
    ejected.set(out);
    return layout.without(ejected);
  }

  /** Returns nutcracker's configuration of this pool with one hash and distribution. */
  List<String> configuration(String listen, Distribution distribution, String hash) {
    List<String> lines = new ArrayList<>();
    lines.add("  listen: " + listen);
    lines.add("  redis: true");
    lines.add("  hash: " + hash);
    lines.add("  distribution: " + distribution.text());
    if (hashTag != null) {
      lines.add("  hash_tag: \"" + hashTag + "\"");
    }
    if (out != NONE) {
      lines.add("  auto_eject_hosts: true");
      lines.add("  server_failure_limit: 1");
      lines.add("  server_retry_timeout: 1000000");
    }
    lines.add("  servers:");
    for (ShardServer server : servers) {
      String address = server.address().replace("[", "").replace("]", "");
      String label = server.name() == null ? "" : " " + server.name();
      lines.add("   - " + address + ":" + server.weight() + label);
    }
    return lines;
  }

  @Override
  public String toString() {
    return name;
  }
}
