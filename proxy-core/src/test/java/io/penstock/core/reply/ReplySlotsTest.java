package io.penstock.core.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.LoopCounters;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplySlotsTest {

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final ReplySlots pool = new ReplySlots(group.loops().getFirst(), new LoopCounters(1));

  @AfterEach
  void close() {
    group.shutdown();
  }

  private List<ReplySlot> take(int count) {
    List<ReplySlot> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(pool.acquire());
    }
    return taken;
  }

  private void give(List<ReplySlot> back) {
    back.forEach(pool::release);
  }

  @Test
  void releasedSlotsAreReused() {
    List<ReplySlot> first = take(3);
    give(first);
    assertThat(take(3)).containsExactlyInAnyOrderElementsOf(first);
  }

  @Test
  void slotsInUseAreCountedUntilReleasedOrAbandoned() {
    List<ReplySlot> taken = take(3);
    assertThat(pool.inUse()).isEqualTo(3);
    pool.abandon(taken.getFirst());
    pool.abandon(taken.getFirst());
    assertThat(pool.inUse()).isEqualTo(2);
    give(taken);
    assertThat(pool.inUse()).isZero();
    take(3);
    assertThat(pool.inUse()).isEqualTo(3);
  }

  @Test
  void neededSlotsAreKeptWhileTheLoadLasts() {
    give(take(10_000));
    for (int look = 0; look < 20; look++) {
      List<ReplySlot> busy = take(10_000);
      assertThat(pool.size()).isZero();
      give(busy);
      pool.trim();
    }
    assertThat(pool.size()).isEqualTo(10_000);
  }

  @Test
  void unneededSlotsAreDroppedStepByStepToAMinimum() {
    give(take(10_000));
    pool.trim();
    assertThat(pool.size()).as("slots needed until now").isEqualTo(10_000);
    pool.trim();
    assertThat(pool.size()).isEqualTo(5_000);
    for (int look = 0; look < 20; look++) {
      pool.trim();
    }
    assertThat(pool.size()).isEqualTo(ReplySlots.MIN_SPARE);
  }

  @Test
  void thePoolIsBounded() {
    give(take(ReplySlots.MAX_SPARE + 10));
    assertThat(pool.size()).isEqualTo(ReplySlots.MAX_SPARE);
  }
}
