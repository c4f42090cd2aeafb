package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PoppedElementsTest {

  private static final long SECOND = 1_000_000_000;

  private final FaultTimeline timeline = new FaultTimeline();
  private final PoppedElements popped = new PoppedElements(timeline, new EventCounts());
  private final long start = System.nanoTime();

  private void pop(int number, long at) {
    popped.add(number, at, at + 1);
  }

  private void rejects(int number, long at) {
    assertThatThrownBy(() -> pop(number, at)).hasMessageStartingWith(number + " was popped twice");
  }

  @Test
  void rejectsASecondPop() {
    pop(1, start);
    pop(2, start);

    rejects(1, start + 1);
  }

  @Test
  void rejectsASecondPopDuringAFaultThatLosesNothing() {
    pop(1, start);
    try (var _ = timeline.begin("a fault", Set.of())) {
      rejects(1, System.nanoTime());
    }
  }

  @Test
  void acceptsASecondPopLongAfterAFailover() {
    pop(1, start);
    try (var entry = timeline.begin("a failover", Set.of())) {
      entry.beginWriteLoss();
    }
    pop(64, start + 20 * SECOND); // drops old pops
    pop(1, start + 20 * SECOND);
  }

  @Test
  void rejectsAPopThatWasReplicatedBeforeAFailover() {
    pop(1, start - 20 * SECOND);
    pop(64, start); // drops old pops
    try (var entry = timeline.begin("a failover", Set.of())) {
      entry.beginWriteLoss();
      rejects(1, System.nanoTime());
    }
  }

  @Test
  void rejectsAThirdPopThatNoFailoverExplains() {
    pop(1, start);
    try (var entry = timeline.begin("a failover", Set.of())) {
      entry.beginWriteLoss();
    }
    pop(1, start + 20 * SECOND);

    rejects(1, start + 21 * SECOND);
  }
}
