package io.penstock.core.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PartitionTableTest {

  private static final int PARTITIONS = 16_384;

  private final PartitionTable table = new PartitionTable();

  @Test
  void anEmptyTableFindsNothing() {
    assertThat(table.find(0)).isNegative();
    assertThat(table.size()).isZero();
  }

  @Test
  void anEntryStaysUntilNothingIsUnanswered() {
    table.addMasters(table.claim(7), 1);
    table.addReplicaReads(table.claim(7), 1);

    table.addMasters(table.find(7), -1);
    table.removeIfIdle(table.find(7));
    assertThat(table.replicaReads(table.find(7))).isEqualTo(1);

    table.addReplicaReads(table.find(7), -1);
    table.removeIfIdle(table.find(7));
    assertThat(table.find(7)).isNegative();
  }

  @Test
  void aWriteIsRememberedUntilItIsOld() {
    int entry = table.claim(7);
    table.setWritten(entry, 100);

    assertThat(table.isWrittenAfter(entry, 99)).isTrue();
    assertThat(table.isWrittenAfter(entry, 100)).isFalse();
    table.removeIfIdle(entry);
    assertThat(table.size()).isZero();
  }

  @Test
  void oldWritesAreForgottenAndRequestsAreNot() {
    for (int partition = 0; partition < 100; partition++) {
      table.setWritten(table.claim(partition), partition);
    }
    table.addMasters(table.find(3), 1);

    table.forgetWrites(89, false);

    assertThat(table.size()).isEqualTo(11);
    assertThat(table.masters(table.find(3))).isEqualTo(1);
    assertThat(table.isWrittenAfter(table.find(90), 0)).isTrue();
  }

  @Test
  void itCountsAsAMapDoes() {
    var random = new Random(28);
    Map<Integer, Integer> counts = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      int partition = random.nextInt(random.nextBoolean() ? PARTITIONS : 40);
      int change = counts.getOrDefault(partition, 0) > 0 && random.nextBoolean() ? -1 : 1;
      if (counts.size() > 400) {
        partition = counts.keySet().iterator().next();
        change = -1;
      }
      counts.merge(partition, change, Integer::sum);
      table.addMasterReads(table.claim(partition), change);
      table.removeIfIdle(table.find(partition));
      counts.remove(partition, 0);
      assertThat(table.size()).isEqualTo(counts.size());
    }
    counts.forEach((partition, count) ->
        assertThat(table.masterReads(table.find(partition))).as("%d", partition).isEqualTo(count));
  }
}
