package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class LoopThreadsTest {

  private static final Duration WANTED = Duration.ofMillis(7);

  @Test
  void loopsHaveTheTimeSliceThatTheyAskFor() {
    long usual = usual();

    assertThat(askOn(WANTED, loop -> loop, 0)).isEqualTo(WANTED.toNanos());
    assertThat(askOn(Duration.ZERO, loop -> loop, 0)).isEqualTo(usual);
  }

  @Test
  void threadsThatALoopStartsHaveTheUsualTimeSlice() {
    long usual = usual();

    assertThat(askOn(WANTED, LoopThreadsTest::threadsStartedOn, 0)).isEqualTo(usual);
  }

  @Test
  void aLoopMayAskAgain() {
    usual();
    long other = TimeUnit.MILLISECONDS.toNanos(9);

    assertThat(askOn(WANTED, loop -> loop, other)).isEqualTo(other);
  }

  /** What threads have that ask for nothing; skips where there is nothing to ask for. */
  private static long usual() {
    long usual = Libc.Scheduling.timeSlice(0);
    if (usual == 0) {
      String reason = "this kernel has no time slices to choose (Linux before 6.12)";
      System.out.println("Skipped: " + reason);
      Assumptions.abort(reason);
    }
    assertThat(usual).isNotEqualTo(WANTED.toNanos());
    return usual;
  }

  private static Executor threadsStartedOn(Executor loop) {
    return task -> loop.execute(() -> new Thread(task).start());
  }

  /** Asks on a loop, or where {@code place} says, and answers what the thread has then. */
  private static long askOn(Duration ofTheLoop, UnaryOperator<Executor> place, long nanos) {
    var group = new LoopGroup(Transport.NIO, 1, ofTheLoop);
    Executor loop = group.loops().getFirst().executor();
    long found =
        CompletableFuture.supplyAsync(() -> Libc.Scheduling.timeSlice(nanos), place.apply(loop))
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    return found;
  }
}
