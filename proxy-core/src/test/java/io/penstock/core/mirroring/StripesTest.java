package io.penstock.core.mirroring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.UnknownPlacement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StripesTest {

  private static final int STRIPES = 4; // that are used, so that lanes meet
  private static final Placement BEFORE = SlotMap.EMPTY;

  private final LoopGroup group = new LoopGroup(Transport.NIO, 3, System::nanoTime);
  private final Stripes stripes = new Stripes();
  private final AtomicReferenceArray<@Nullable Lane> holders = new AtomicReferenceArray<>(STRIPES);
  private final AtomicInteger[] users = new AtomicInteger[STRIPES];
  private final AtomicInteger problems = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  StripesTest() {
    for (int i = 0; i < STRIPES; i++) {
      users[i] = new AtomicInteger();
    }
  }

  @AfterEach
  void close() {
    group.shutdown().toCompletableFuture().join();
  }

  @Test
  void stripesAreInOneLaneAtATime() {
    int each = 5_000;
    List<Lane> lanes = new ArrayList<>();
    for (Loop loop : group.loops()) {
      for (int i = 0; i < 2; i++) {
        Lane lane = new Lane(loop);
        lanes.add(lane);
        var random = new Random(lanes.size());
        loop.executor().execute(() -> begin(loop, lane, random, each));
      }
    }

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(ended).hasValue(lanes.size() * each));
    assertThat(problems).hasValue(0);
  }

  /** Begins a claim and, if more are to come, the next one in the loop's next turn. */
  private void begin(Loop loop, Lane lane, Random random, int left) {
    BitSet wanted = new BitSet();
    int count = random.nextInt(10) == 0 ? STRIPES : 1 + random.nextInt(2);
    while (wanted.cardinality() < count) {
      wanted.set(random.nextInt(STRIPES));
    }
    int[] numbers = wanted.stream().toArray();
    var holder = new Holder();
    Claim claim =
        new Claim(stripes, lane, BEFORE, numbers, () -> hold(loop, lane, numbers, holder));
    holder.claim = claim;
    if (claim.begin()) {
      hold(loop, lane, numbers, holder);
    } else if (random.nextInt(20) == 0) {
      claim.release(); // its client has gone
      holder.claim = null;
      ended.incrementAndGet();
    }
    if (left > 1) {
      loop.executor().execute(() -> begin(loop, lane, random, left - 1));
    }
  }

  private static final class Holder {
    private @Nullable Claim claim;
  }

  private void hold(Loop loop, Lane lane, int[] wanted, Holder holder) {
    Claim claim = holder.claim;
    if (claim == null) {
      problems.incrementAndGet(); // it was withdrawn
      return;
    }
    for (int i : wanted) {
      Lane other = holders.getAndSet(i, lane);
      if (users[i].getAndIncrement() > 0 && other != lane) {
        problems.incrementAndGet();
      }
    }
    loop.executor()
        .execute(() -> { // the primary has answered
          for (int i : wanted) {
            if (holders.get(i) != lane) {
              problems.incrementAndGet();
            }
            users[i].decrementAndGet();
          }
          claim.release();
          ended.incrementAndGet();
        });
  }

  @Test
  void writesByAnotherPlacementWaitForThoseUnderWay() throws Exception {
    Loop loop = group.loops().getFirst();
    Lane lane = new Lane(loop);
    Placement after = UnknownPlacement.INSTANCE;
    loop.executor()
        .submit(() -> {
          Claim first = new Claim(stripes, lane, BEFORE, new int[] {1}, () -> {});
          Claim beside = new Claim(stripes, lane, BEFORE, new int[] {1}, () -> {});
          Claim other = new Claim(stripes, lane, after, new int[] {1}, ended::incrementAndGet);
          assertThat(first.begin()).isTrue();
          assertThat(beside.begin()).isTrue();
          assertThat(other.begin()).isFalse();
          first.release();
          assertThat(other.isHeld()).isFalse();
          beside.release();
        })
        .get();

    await().untilAsserted(() -> assertThat(ended).hasValue(1));
  }
}
