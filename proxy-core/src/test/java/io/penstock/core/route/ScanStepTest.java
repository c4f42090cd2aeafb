package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScanStepTest {

  private static final Endpoint A = node(1);
  private static final Endpoint B = node(2);
  private static final Endpoint C = node(3);

  /** A has two runs of slots, B and C one each. */
  private static final SlotMap MAP =
      new SlotMap.Builder()
          .shard(new Shard(C, List.of(), 3))
          .range(10_000, 16_383)
          .shard(new Shard(A, List.of(), 1))
          .range(0, 4_999)
          .range(7_000, 9_999)
          .shard(new Shard(B, List.of(), 2))
          .range(5_000, 6_999)
          .build();

  private static Endpoint node(int i) {
    return new Endpoint("10.0.0." + i, 7000);
  }

  private static SlotMap with(SlotMap map, Endpoint owner, int from, int to) {
    var builder = new SlotMap.Builder();
    for (int i = 1; i <= 4; i++) {
      builder.shard(new Shard(node(i), List.of(), i));
      for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
        boolean moves = slot >= from && slot <= to;
        Endpoint now = moves ? owner : map.shards().get(map.ownerOf(slot)).master();
        if (now.equals(node(i))) {
          builder.slot(slot);
        }
      }
    }
    return builder.build();
  }

  private static ScanStep first() {
    return ScanStep.of(0, MAP);
  }

  @Test
  void eachShardIsScannedOnceInTheOrderOfTheirFirstSlots() {
    ScanStep a = first();
    assertThat(a.master()).isEqualTo(A);
    assertThat(a.nodeCursor()).isZero();
    ScanStep more = ScanStep.of(a.next(77), MAP);
    assertThat(more.master()).isEqualTo(A);
    assertThat(more.nodeCursor()).isEqualTo(77);
    ScanStep b = ScanStep.of(more.next(0), MAP);
    assertThat(b.master()).isEqualTo(B);
    assertThat(b.nodeCursor()).isZero();
    ScanStep c = ScanStep.of(b.next(0), MAP);
    assertThat(c.master()).isEqualTo(C);
    assertThat(c.next(5)).isPositive();
    assertThat(c.next(0)).isZero();
  }

  @Test
  void theOrderOfShardsDoesNotMatterToACursor() {
    SlotMap same =
        new SlotMap.Builder()
            .shard(new Shard(B, List.of(node(9)), 7))
            .range(5_000, 6_999)
            .shard(new Shard(A, List.of(), 1))
            .range(0, 4_999)
            .range(7_000, 9_999)
            .shard(new Shard(C, List.of(), 3))
            .range(10_000, 16_383)
            .build();
    ScanStep step = ScanStep.of(first().next(77), same);

    assertThat(step.nodeCursor()).isEqualTo(77);
    assertThat(ScanStep.of(step.next(0), same).master()).isEqualTo(B);
  }

  @Test
  void aNewMasterIsScannedFromTheStart() {
    SlotMap failedOver = with(with(MAP, node(4), 0, 4_999), node(4), 7_000, 9_999);

    ScanStep step = ScanStep.of(first().next(77), failedOver);
    assertThat(step.master()).isEqualTo(node(4));
    assertThat(step.nodeCursor()).isZero();
    ScanStep more = ScanStep.of(step.next(13), failedOver);
    assertThat(more.nodeCursor()).as("and goes on there").isEqualTo(13);
  }

  @Test
  void afterAChangeEachRunIsScannedAtItsMaster() {
    ScanStep b = ScanStep.of(first().next(0), MAP);
    SlotMap moved = with(MAP, A, 12_000, 12_099); // from C, not visited yet, to A, which was

    ScanStep begun = ScanStep.of(b.next(3), moved);
    assertThat(begun.master()).isEqualTo(B);
    assertThat(begun.nodeCursor()).isZero();
    List<Endpoint> masters = new ArrayList<>();
    for (long cursor = begun.next(0); cursor != 0; ) {
      ScanStep step = ScanStep.of(cursor, moved);
      masters.add(step.master());
      cursor = step.next(0);
    }
    assertThat(masters).containsExactly(A, C, A, C);
  }

  @Test
  void aRunThatGrowsDuringItsScanIsScannedAgain() {
    SlotMap moved = with(MAP, B, 7_000, 7_000);
    ScanStep b = ScanStep.of(ScanStep.of(first().next(0), MAP).next(3), moved);
    assertThat(b.nodeCursor()).isZero();
    long cursor = b.next(9);
    assertThat(ScanStep.of(cursor, moved).nodeCursor()).isEqualTo(9);

    SlotMap again = with(moved, B, 7_001, 7_001);
    ScanStep restarted = ScanStep.of(cursor, again);

    assertThat(restarted.master()).isEqualTo(B);
    assertThat(restarted.nodeCursor()).isZero();
  }

  @Test
  void changesElsewhereDoNotRestartTheRun() {
    SlotMap moved = with(MAP, B, 7_000, 7_000);
    ScanStep b = ScanStep.of(ScanStep.of(first().next(0), MAP).next(3), moved);
    long cursor = b.next(9);

    assertThat(ScanStep.of(cursor, with(moved, A, 16_000, 16_000)).nodeCursor()).isEqualTo(9);
  }

  @Test
  void anyNumberIsACursorAndTheScanEnds() {
    var random = new Random(4);
    for (int i = 0; i < 1_000; i++) {
      long cursor = random.nextLong();
      int steps = 0;
      for (; cursor != 0; steps++) {
        cursor = ScanStep.of(cursor, MAP).next(0);
      }
      assertThat(steps).isBetween(1, 4);
    }
  }

  @Test
  void aSlotThatMovesBetweenTwoCallsIsNotMissed() {
    var random = new Random(2026);
    for (int round = 0; round < 60; round++) {
      Set<Integer> missed = new HashSet<>();
      for (int slot = 0; slot < SlotMap.SLOTS; slot += 61) {
        missed.add(slot);
      }
      SlotMap map = MAP;
      long cursor = 0;
      Endpoint scanned = A;
      Set<Integer> seenOnNode = new HashSet<>(); // slots that the node had when its scan began
      do {
        ScanStep step = ScanStep.of(cursor, map);
        if (step.nodeCursor() == 0) {
          scanned = step.master();
          seenOnNode = slotsOf(map, step.master());
        } else if (!step.master().equals(scanned)) {
          seenOnNode.clear(); // a cursor of another node means nothing
        } else {
          seenOnNode.retainAll(slotsOf(map, step.master())); // a scan may miss what arrived
        }
        boolean ends = step.nodeCursor() >= random.nextInt(1, 4);
        if (ends) {
          missed.removeAll(seenOnNode); // nothing is certain before the scan ends
        }
        cursor = step.next(ends ? 0 : step.nodeCursor() + 1);
        if (random.nextInt(4) == 0) {
          int from = random.nextInt(SlotMap.SLOTS);
          Endpoint to = node(1 + random.nextInt(4));
          map = with(map, to, from, Math.min(SlotMap.SLOTS - 1, from + random.nextInt(3_000)));
        }
      } while (cursor != 0);
      assertThat(missed).as("round %d", round).isEmpty();
    }
  }

  private static Set<Integer> slotsOf(SlotMap map, Endpoint master) {
    Set<Integer> slots = new HashSet<>();
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      if (map.shards().get(map.ownerOf(slot)).master().equals(master)) {
        slots.add(slot);
      }
    }
    return slots;
  }

  private static String answer(String reply) {
    var text = new StringBuilder();
    ByteBuf bytes = Wire.buffer("??" + reply);
    bytes.readerIndex(2);
    boolean fine =
        first()
            .toClientReply(bytes, (buffer, from, to) -> text.append(Wire.text(buffer, from, to)));
    bytes.release();
    return (fine ? "" : "!") + text;
  }

  @Test
  void theNodesCursorIsReplacedByTheClients() {
    String next = Long.toString(first().next(12));
    assertThat(answer("*2\r\n$2\r\n12\r\n*1\r\n$1\r\nk\r\n"))
        .isEqualTo("*2\r\n$" + next.length() + "\r\n" + next + "\r\n*1\r\n$1\r\nk\r\n");
  }

  @Test
  void aCursorThatDoesNotFitIsAnError() {
    assertThat(answer("*2\r\n$20\r\n18446744073709551615\r\n*0\r\n"))
        .startsWith("!-ERR the node's cursor is too long");
  }

  @Test
  void aReplyWithoutCursorIsAnError() {
    for (String reply :
        List.of("*0\r\n", ":1\r\n", "*2\r\n$1\r\nx\r\n*0\r\n", "*2\r\n:1\r\n*0\r\n")) {
      assertThat(answer(reply)).as(reply).startsWith("!-ERR a node's reply to SCAN");
    }
  }
}
