package io.penstock.core.copies;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.SinglePartitioner;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keys are in partition {@code first byte - 'a'}. */
class CopyPlannerTest {

  private final CopyPlanner several = new CopyPlanner(new ByFirstByte(), Tasks.TABLE);
  private final CopyPlanner single = new CopyPlanner(SinglePartitioner.INSTANCE, Tasks.TABLE);

  private record ByFirstByte() implements Partitioner {

    @Override
    public int partitions() {
      return 26;
    }

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      return buffer.getByte(offset) - 'a';
    }
  }

  @Test
  void oneKeyIsInOnePartition() {
    assertThat(plan(Tasks.asIs("SET b 1", null))).isEqualTo("1: SET b 1");
    assertThat(plan(Tasks.instead(-1, "RESTORE c 0 x REPLACE ABSTTL")))
        .isEqualTo("2: RESTORE c 0 x REPLACE ABSTTL");
  }

  @Test
  void requestsOfOnePartitionAreOneTransaction() {
    assertThat(plan(Tasks.instead(-1, "SET b1 1", "SADD b2 x")))
        .isEqualTo("1: SET b1 1 + SADD b2 x");
  }

  @Test
  void whatCanBeSplitIsSplit() {
    assertThat(plan(Tasks.asIs("MSET a 1 b 2 a2 3", null)))
        .isEqualTo("0: MSET a 1 a2 3, 1: MSET b 2");
    assertThat(plan(Tasks.asIs("DEL b a b2", null))).isEqualTo("1: DEL b b2, 0: DEL a");
    assertThat(plan(Tasks.asIs("MSETEX 2 a 1 b 2 KEEPTTL", null)))
        .isEqualTo("0: MSETEX 1 a 1 KEEPTTL, 1: MSETEX 1 b 2 KEEPTTL");
    assertThat(plan(Tasks.instead(-1, "SET a 1", "DEL a b", "SET b 1")))
        .isEqualTo("0: SET a 1 + DEL a, 1: DEL b + SET b 1");
  }

  @Test
  void whatCannotBeSplitIsNotSent() {
    CopyPlan plan = several.plan(Tasks.asIs("SINTERSTORE a b c", null));

    assertThat(plan.steps()).isEmpty();
    assertThat(plan.problem()).isEqualTo(CopyPlanner.SEVERAL_PARTITIONS);
  }

  @Test
  void whatHasNoKeysIsForEveryMaster() {
    assertThat(plan(Tasks.asIs("FLUSHALL", "+OK"))).isEqualTo("alone: every: FLUSHALL");
    assertThat(plan(Tasks.instead(-1, "SET a 1", "SET b 1", "FLUSHALL", "SET b 2")))
        .isEqualTo("alone: 0: SET a 1, 1: SET b 1; every: FLUSHALL; 1: SET b 2");
  }

  @Test
  void anUnknownRequestIsWhereTheKeysOfTheTaskAre() {
    CopyTask unknown = Tasks.asIs("SET x 1", null);
    CopyTask task =
        new CopyTask(-1, Tasks.instead(-1, "SET b 1").requests(), null, null, unknown.keys());
    assertThat(plan(task)).as("known").isEqualTo("1: SET b 1");

    CopyTask module = new CopyTask(-1, Tasks.requests("my.set b 1"), null, null, unknown.keys());
    assertThat(plan(module)).isEqualTo("23: my.set b 1");
  }

  @Test
  void selectsOnlyWhereThereIsOnePartition() {
    CopyTask task = Tasks.instead(0, "SET a 1", "SELECT 3", "SET a 2");

    assertThat(several.plan(task).problem()).isEqualTo(CopyPlanner.SELECTS);
    assertThat(single.plan(task).selects()).isTrue();
    assertThat(single.plan(task).alone()).isTrue();
  }

  @Test
  void onePartitionGetsAllInOnePiece() {
    assertThat(text(single.plan(Tasks.asIs("MSET a 1 b 2", null)))).isEqualTo("0: MSET a 1 b 2");
    assertThat(text(single.plan(Tasks.asIs("FLUSHALL", null)))).isEqualTo("alone: 0: FLUSHALL");
    assertThat(text(single.plan(Tasks.instead(-1, "SET a 1", "FLUSHALL"))))
        .isEqualTo("alone: 0: SET a 1 + FLUSHALL");
  }

  private String plan(CopyTask task) {
    return text(several.plan(task));
  }

  private static String text(CopyPlan plan) {
    assertThat(plan.problem()).isNull();
    return (plan.alone() ? "alone: " : "")
        + plan.steps().stream()
            .map(step -> step.stream().map(CopyPlannerTest::text).collect(Collectors.joining(", ")))
            .collect(Collectors.joining("; "));
  }

  private static String text(CopyPlan.Piece piece) {
    String where =
        piece.partition() == CopyPlan.EVERY_MASTER ? "every" : String.valueOf(piece.partition());
    return where
        + ": "
        + piece.requests().stream().map(Object::toString).collect(Collectors.joining(" + "));
  }
}
