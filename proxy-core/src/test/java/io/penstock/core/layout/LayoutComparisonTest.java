package io.penstock.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.layout.LayoutComparison.Flow;
import io.penstock.core.layout.LayoutComparison.Side;
import java.util.List;
import org.junit.jupiter.api.Test;

class LayoutComparisonTest {

  private static final List<SlotShare> BEFORE =
      List.of(new SlotShare(List.of(0, 2), "a"), new SlotShare(List.of(1, 3), "b"));
  private static final List<SlotShare> AFTER =
      List.of(new SlotShare(List.of(0, 1), "b"), new SlotShare(List.of(2, 3), "c"));

  /** The bucket of a single byte is its value modulo four. */
  private static final List<byte[]> KEYS =
      List.of(new byte[] {0}, new byte[] {1}, new byte[] {2}, new byte[] {5}, new byte[] {3});

  @Test
  void tellsHowManyKeysMoveFromWhereToWhere() {
    LayoutComparison comparison =
        LayoutComparison.of(new Side(layout(BEFORE)), new Side(layout(AFTER)), KEYS);

    assertThat(comparison.flows())
        .containsExactly(
            new Flow("b", "b", 2),
            new Flow("a", "b", 1),
            new Flow("a", "c", 1),
            new Flow("b", "c", 1));
    assertThat(comparison.keys()).isEqualTo(5);
    assertThat(comparison.moved()).isEqualTo(3);
    assertThat(comparison.share()).isEqualTo(0.6);
  }

  @Test
  void shardsAreTheSameByTheNamesGiven() {
    Side after = new Side(layout(AFTER)::shardOf, List.of("a", "b"));

    LayoutComparison comparison = LayoutComparison.of(new Side(layout(BEFORE)), after, KEYS);

    assertThat(comparison.flows())
        .containsExactly(
            new Flow("b", "a", 2),
            new Flow("a", "a", 1),
            new Flow("a", "b", 1),
            new Flow("b", "b", 1));
  }

  @Test
  void equalLayoutsMoveNothing() {
    LayoutComparison comparison =
        LayoutComparison.of(new Side(layout(BEFORE)), new Side(layout(BEFORE)), KEYS);

    assertThat(comparison.moved()).isZero();
    assertThat(comparison.share()).isZero();
  }

  @Test
  void noKeysAreNoShare() {
    Side side = new Side(layout(BEFORE));

    assertThat(LayoutComparison.of(side, side, List.of()).share()).isZero();
  }

  private static ShardLayout layout(List<SlotShare> shares) {
    return ShardLayout.of(LayoutSettings.ofSlots(Distribution.CAMELLIA, shares));
  }
}
