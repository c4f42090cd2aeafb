package io.penstock.core.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.core.cluster.Slot;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeightedDivisionTest {

  private static final int KEYS = 50_000;

  private static byte[] key(int number) {
    return ("key:" + number).getBytes(StandardCharsets.US_ASCII);
  }

  private static Partitioner of(Integer... weights) {
    return new WeightedDivision(List.of(weights)).partitioner();
  }

  private static double share(Partitioner partitioner, int part) {
    return (double)
            IntStream.range(0, KEYS).filter(i -> partitioner.partitionOf(key(i)) == part).count()
        / KEYS;
  }

  @Test
  void eachPartHasItsShareOfTheKeys() {
    Partitioner partitioner = of(95, 4, 1);

    assertThat(share(partitioner, 0)).isBetween(0.94, 0.96);
    assertThat(share(partitioner, 1)).isBetween(0.035, 0.045);
    assertThat(share(partitioner, 2)).isBetween(0.007, 0.013);
  }

  /** A cluster of three nodes has thirds of the slots. */
  @Test
  void aSmallPartHasKeysOfAllNodesOfACluster() {
    Partitioner partitioner = of(95, 5);

    long[] byNode = new long[3];
    IntStream.range(0, KEYS)
        .filter(i -> partitioner.partitionOf(key(i)) == 1)
        .forEach(i -> byNode[Slot.of(key(i)) / 5462]++);
    assertThat(LongStream.of(byNode)).allMatch(keys -> keys > KEYS * 0.05 / 3 * 0.8);
  }

  @Test
  void onlyTheDifferenceChangesPlacesWithTheWeights() {
    Partitioner before = of(95, 5);
    Partitioner after = of(90, 10);

    assertThat(IntStream.range(0, KEYS))
        .allMatch(i -> before.partitionOf(key(i)) == 0 || after.partitionOf(key(i)) == 1);
  }

  @Test
  void keysWithOneHashTagAreTogether() {
    Partitioner partitioner = of(1, 1);

    assertThat(partitioner.partitionOf("{user:7}:a".getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo(partitioner.partitionOf("b:{user:7}".getBytes(StandardCharsets.US_ASCII)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aPartWithoutWeightHasNoKeys(int part) {
    Partitioner partitioner = part == 0 ? of(0, 5) : of(5, 0);

    assertThat(share(partitioner, part)).isZero();
  }

  @Test
  void weightsMustNotAllBeNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> of(0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> of(1, -1));
  }

  @Test
  void eachPlaceOfTheWholeHasAPart() {
    var division = new WeightedDivision(List.of(1, 0, 3));

    assertThat(Stream.of(0.0, 0.2499, 0.25, 0.9999).map(division::partAt))
        .containsExactly(0, 0, 2, 2);
    assertThat(new WeightedDivision(List.of(0, 1, 0)).partAt(0)).isEqualTo(1);
  }
}
