package io.penstock.core.layout;

import static io.penstock.core.layout.Distribution.CAMELLIA;
import static io.penstock.core.layout.Distribution.CODIS;
import static io.penstock.core.layout.Distribution.DYNOMITE;
import static io.penstock.core.layout.Distribution.KETAMA;
import static io.penstock.core.layout.Distribution.MODULA;
import static io.penstock.core.layout.Distribution.OVERLORD;
import static io.penstock.core.layout.Distribution.PREDIXY;
import static io.penstock.core.layout.Distribution.RMUX;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Vectors come from running proxies, or from their own functions where a test says so. */
class ShardLayoutTest {

  @Test
  void aCompleteHashTagDecidesForAllKeysThatBeginSo() {
    List<ShardServer> servers =
        List.of(new ShardServer("a", "a:1", 1), new ShardServer("b", "b:1", 1));
    LayoutSettings plain = LayoutSettings.ofServers(KETAMA, servers);
    ShardLayout tagged = ShardLayout.of(plain.withHashTag("{}"));

    assertThat(decides(tagged, "{user}")).isTrue();
    assertThat(decides(tagged, "x{user}:y")).isTrue();
    assertThat(decides(tagged, "{user")).isFalse();
    assertThat(decides(tagged, "{}{user}")).isFalse();
    assertThat(decides(tagged, "")).isFalse();
    assertThat(decides(ShardLayout.of(plain), "{user}")).isFalse();
    LayoutSettings overlord = LayoutSettings.ofServers(OVERLORD, servers);
    assertThat(decides(ShardLayout.of(overlord), "{}x")).isTrue();
    LayoutSettings alone = LayoutSettings.ofServers(KETAMA, servers.subList(0, 1));
    assertThat(decides(ShardLayout.of(alone), "")).isTrue();
  }

  private static boolean decides(ShardLayout layout, String text) {
    return layout.isDecidedBy(Unpooled.wrappedBuffer(text.getBytes(UTF_8)), 0, text.length());
  }

  @Test
  void ketamaWeighsNamedServers() {
    ShardLayout layout = layout(KETAMA, "fnv1a_64", "alpha:1", "beta:2", "gamma:3");

    assertThat(placed(layout, "apple a foo user:1000 été key0 key1 key2 key3"))
        .isEqualTo("gamma gamma gamma beta beta gamma gamma gamma gamma");
  }

  @Test
  void ketamaWithoutNamesHashesAddresses() {
    ShardLayout layout =
        unnamed(KETAMA, "md5", "127.0.0.1:19700", "127.0.0.1:19701", "127.0.0.1:19702");

    assertThat(ports(layout, "apple a foo user:1000 key0 key1 key2 key3"))
        .isEqualTo("19700 19701 19702 19702 19701 19700 19701 19700");
  }

  @Test
  void ketamaPlacesByFnvAndCrc16() {
    String[] servers = {"10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"};

    assertThat(numbers(unnamed(KETAMA, "fnv1a_64", servers), "apple a foo user:1000 key0 key1"))
        .isEqualTo("2 1 1 0 0 0");
    assertThat(numbers(unnamed(KETAMA, "crc16", servers), "apple a foo user:1000 key0 key1"))
        .isEqualTo("2 1 1 2 0 0");
  }

  @Test
  void modulaRepeatsServersInTheirOrder() {
    ShardLayout layout = layout(MODULA, "crc16", "zz:1", "b10:2", "a100:1", "c:1");

    assertThat(placed(layout, "apple a foo user:1000 {user1}:x key0 key1 key2 key3"))
        .isEqualTo("zz a100 b10 b10 c b10 a100 b10 c");
  }

  @Test
  void modulaSortsServersByName() {
    ShardLayout layout =
        unnamed(MODULA, "murmur", "127.0.0.1:19703", "127.0.0.1:19701", "127.0.0.1:19700");

    assertThat(ports(layout, "apple a foo user:1000 key0"))
        .isEqualTo("19700 19700 19703 19703 19701");
  }

  @Test
  void twemproxysHashTagMustNotBeEmpty() {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofServers(KETAMA, servers("n1:5", "n2:5", "n3:5", "n4:5", "n5:5"))
                .withHash("one_at_a_time")
                .withHashTag("{}"));

    assertThat(
            placed(layout, "apple a foo user:1000 {user1}:x {}{b}:x x{b}y été key0 key1 key2 key3"))
        .isEqualTo("n5 n5 n3 n4 n2 n3 n4 n4 n4 n5 n3 n1");
  }

  @Test
  void overlordHashesAnEmptyTag() {
    ShardLayout layout = layout(OVERLORD, "fnv1a_64", "alpha:1", "beta:2", "gamma:3");

    assertThat(placed(layout, "apple user:1000 {user1}:x {}x été key0"))
        .isEqualTo("gamma beta alpha gamma beta gamma");
  }

  @Test
  void codisHas1024Slots() {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofSlots(
                CODIS, List.of(SlotShare.range(0, 511, "one"), SlotShare.range(512, 1023, "two"))));

    assertThat(partitions(layout, "apple a foo user:1000 {user1}:x {}x key0 key1 été"))
        .isEqualTo("80 579 289 995 341 0 198 80 212");
    assertThat(placed(layout, "apple a foo user:1000")).isEqualTo("one two one two");
    assertThat(layout.partitions()).isEqualTo(1024);
  }

  @Test
  void camelliaHasBuckets() {
    String keys = "foo user:1000 {user1000}.following café:7 {}x a order:20240131:00042";

    assertThat(partitions(camellia("camellia-default", 3), keys)).isEqualTo("0 1 2 2 2 1 1");
    assertThat(partitions(camellia("camellia-default", 6), keys)).isEqualTo("0 4 5 5 2 1 1");
    assertThat(partitions(camellia("camellia-default", 8), keys)).isEqualTo("6 6 3 3 6 1 7");
    assertThat(partitions(camellia("camellia-hashtag", 3), keys)).isEqualTo("0 1 2 2 2 1 1");
    assertThat(partitions(camellia("camellia-hashtag", 6), keys)).isEqualTo("0 4 2 5 2 1 1");
    assertThat(partitions(camellia("camellia-hashtag", 8), keys)).isEqualTo("6 6 6 3 6 1 7");
    assertThat(partitions(camellia("camellia-crc16", 3), keys)).isEqualTo("1 0 0 1 1 1 1");
    assertThat(partitions(camellia("camellia-crc16", 6), keys)).isEqualTo("4 3 3 4 1 1 4");
    assertThat(partitions(camellia("camellia-crc16", 8), keys)).isEqualTo("6 1 3 6 3 7 6");
  }

  @Test
  void camelliasSmallestNumberHasABucketHere() {
    assertThat(partitions(camellia("camellia-default", 8), "polygenelubricants")).isEqualTo("0");
    assertThat(partitions(camellia("camellia-default", 3), "polygenelubricants")).isEqualTo("2");
  }

  @Test
  void predixyTakesTheHashModuloGroups() {
    String keys = "apple a foo user:1000 {user1}:x {}x key0";

    assertThat(numbers(predixy("crc16", 3), keys)).isEqualTo("1 1 1 0 0 1 0");
    assertThat(numbers(predixy("crc16", 4), keys)).isEqualTo("0 3 2 1 2 3 0");
    assertThat(numbers(predixy("crc16", 7), keys)).isEqualTo("5 1 3 1 5 5 2");
  }

  @Test
  void predixysNegativeNumbersHaveNoSign() {
    String keys = "1000:name +17 -1 -5x user:7 user:{42}:name";

    assertThat(numbers(predixy("atol", 3), keys)).isEqualTo("1 2 0 2 0 0");
    assertThat(numbers(predixy("atol", 4), keys)).isEqualTo("0 1 3 3 0 2");
    assertThat(numbers(predixy("atol", 7), keys)).isEqualTo("6 3 1 4 0 0");
  }

  @Test
  void rmuxHasATableOfMultiples() {
    String keys = "apple a foo user:1000 {user1}:x {}x key0 key2 key3 été";

    assertThat(numbers(rmux(2), keys)).isEqualTo("0 1 0 0 0 0 1 1 0 0");
    assertThat(numbers(rmux(3), keys)).isEqualTo("2 1 2 2 2 0 1 0 2 2");
    assertThat(numbers(rmux(4), keys)).isEqualTo("2 1 3 2 2 0 0 2 1 1");
    assertThat(numbers(rmux(5), keys)).isEqualTo("2 1 4 2 2 4 0 4 1 1");
  }

  @Test
  void dynomitesTokensEndRanges() {
    List<ShardServer> servers = new ArrayList<>();
    for (long token : new long[] {0, 1073741824L, 2147483648L, 3221225472L}) {
      servers.add(new ShardServer(null, "node-" + servers.size() + ":6379", 1, List.of(token)));
    }

    assertThat(
            numbers(
                ShardLayout.of(LayoutSettings.ofServers(DYNOMITE, servers)),
                "apple a foo user:1000 key0 key1 key2 key3"))
        .isEqualTo("0 2 0 3 3 1 2 0");
  }

  private static ShardLayout layout(Distribution distribution, String hash, String... servers) {
    return ShardLayout.of(LayoutSettings.ofServers(distribution, servers(servers)).withHash(hash));
  }

  private static ShardLayout unnamed(Distribution distribution, String hash, String... addresses) {
    List<ShardServer> servers =
        Arrays.stream(addresses).map(address -> new ShardServer(null, address, 1)).toList();
    return ShardLayout.of(LayoutSettings.ofServers(distribution, servers).withHash(hash));
  }

  /** Servers as {@code name:weight}. */
  private static List<ShardServer> servers(String... servers) {
    List<ShardServer> list = new ArrayList<>();
    for (String server : servers) {
      String[] parts = server.split(":", 2);
      String address = "10.0.0." + list.size() + ":6379";
      list.add(new ShardServer(parts[0], address, Integer.parseInt(parts[1])));
    }
    return list;
  }

  private static ShardLayout camellia(String hash, int buckets) {
    List<SlotShare> shares =
        IntStream.range(0, buckets)
            .mapToObj(bucket -> new SlotShare(List.of(bucket), "shard-" + bucket))
            .toList();
    return ShardLayout.of(LayoutSettings.ofSlots(CAMELLIA, shares).withHash(hash));
  }

  private static ShardLayout predixy(String hash, int groups) {
    return ShardLayout.of(
        LayoutSettings.ofServers(PREDIXY, some(groups)).withHash(hash).withHashTag("{}"));
  }

  private static ShardLayout rmux(int servers) {
    return ShardLayout.of(LayoutSettings.ofServers(RMUX, some(servers)));
  }

  private static List<ShardServer> some(int servers) {
    return IntStream.range(0, servers)
        .mapToObj(i -> new ShardServer(null, "10.0.0." + i + ":6379", 1))
        .toList();
  }

  private static String placed(ShardLayout layout, String keys) {
    return join(keys, key -> layout.shards().get(layout.shardOf(key)));
  }

  private static String ports(ShardLayout layout, String keys) {
    return placed(layout, keys).replace("127.0.0.1:", "");
  }

  private static String numbers(ShardLayout layout, String keys) {
    return join(keys, key -> layout.shardOf(key));
  }

  private static String partitions(ShardLayout layout, String keys) {
    return join(keys, key -> layout.partitionOf(key));
  }

  private static String join(String keys, java.util.function.Function<byte[], Object> placement) {
    return String.join(
        " ",
        Arrays.stream(keys.split(" "))
            .map(key -> String.valueOf(placement.apply(key.getBytes(UTF_8))))
            .toList());
  }
}
