package io.penstock.core.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Layouts without some of their servers. Those of a real nutcracker are recorded as well. */
class EjectedServersTest {

  private static final List<byte[]> KEYS = SampleKeys.all();

  @ParameterizedTest
  @EnumSource(names = {"KETAMA", "MODULA", "RANDOM", "OVERLORD", "RMUX"})
  void noKeyIsOnAServerThatIsOut(Distribution distribution) {
    ShardLayout layout = layout(distribution, 5).without(out(0, 3));

    assertThat(KEYS).extracting(layout::shardOf).containsOnly(1, 2, 4);
    assertThat(layout.shards()).hasSize(5);
    assertThat(layout.partitions()).isEqualTo(5);
  }

  @Test
  void ringsKeepMostKeysOfServersThatAreLeft() {
    ShardLayout all = layout(Distribution.KETAMA, 5);
    ShardLayout rest = all.without(out(2));

    long moved =
        KEYS.stream()
            .filter(key -> all.shardOf(key) != 2 && all.shardOf(key) != rest.shardOf(key))
            .count();

    assertThat(moved).isLessThan(KEYS.size() / 50);
  }

  @Test
  void rmuxGivesKeysToTheNextEntry() {
    ShardLayout layout = layout(Distribution.RMUX, 3).without(out(2)); // 0 1 2 0 2 1 0 1

    assertThat(IntStream.range(0, 8).map(i -> layout.shardOf(new byte[] {(byte) i})))
        .containsExactly(0, 1, 0, 0, 1, 1, 0, 1);
  }

  @Test
  void aServerComesBackToItsKeys() {
    ShardLayout all = layout(Distribution.KETAMA, 5);
    ShardLayout back = all.without(out(1)).without(out());

    assertThat(KEYS).allMatch(key -> all.shardOf(key) == back.shardOf(key));
  }

  @Test
  void randomAsksItsGenerator() {
    ShardLayout layout =
        ShardLayout.of(
                LayoutSettings.ofServers(Distribution.RANDOM, servers(4)), bound -> bound - 1)
            .without(out(3));

    assertThat(layout.shardOf(new byte[] {1})).isEqualTo(2);
  }

  @Test
  void oneServerMustBeLeft() {
    ShardLayout layout = layout(Distribution.KETAMA, 2);

    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> layout.without(out(0, 1)))
        .withMessage("no shard is left");
  }

  @Test
  void slotsStayWhereTheyAre() {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofSlots(Distribution.CODIS, List.of(SlotShare.range(0, 1023, "group"))));

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> layout.without(out(0)))
        .withMessage("codis does not eject");
  }

  private static ShardLayout layout(Distribution distribution, int servers) {
    return ShardLayout.of(LayoutSettings.ofServers(distribution, servers(servers)));
  }

  private static List<ShardServer> servers(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new ShardServer("s" + i, "h" + i + ":1", 1))
        .toList();
  }

  private static BitSet out(int... servers) {
    BitSet out = new BitSet();
    for (int server : servers) {
      out.set(server);
    }
    return out;
  }
}
