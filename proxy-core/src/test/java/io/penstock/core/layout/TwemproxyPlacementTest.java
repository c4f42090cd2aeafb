package io.penstock.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares placements with those of a real nutcracker that {@code NutcrackerIT} recorded. */
class TwemproxyPlacementTest {

  @Test
  void allKeysAreWhereNutcrackerPutThem() throws Exception {
    List<byte[]> keys = SampleKeys.all();
    Map<String, String> digests = new TreeMap<>();
    for (TwemproxyPool pool : TwemproxyPool.all()) {
      for (Distribution distribution : TwemproxyPool.DISTRIBUTIONS) {
        for (String hash : TwemproxyPool.HASHES) {
          digests.put(
              RecordedPlacements.key(pool, distribution, hash),
              RecordedPlacements.digest(place(keys, pool.layout(distribution, hash))));
        }
      }
    }

    assertThat(digests).isEqualTo(RecordedPlacements.read());
  }

  private static byte[] place(List<byte[]> keys, ShardLayout layout) {
    byte[] servers = new byte[keys.size()];
    for (int i = 0; i < servers.length; i++) {
      servers[i] = (byte) layout.shardOf(keys.get(i));
    }
    return servers;
  }
}
