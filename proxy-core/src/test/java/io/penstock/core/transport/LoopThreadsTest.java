package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.output.Libc;
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
  void loopsHaveTheTimeSliceThatTheyRequest() {
    long usual = defaultSlice();

    assertThat(requestOn(WANTED, loop -> loop, 0)).isEqualTo(WANTED.toNanos());
    assertThat(requestOn(Duration.ZERO, loop -> loop, 0)).isEqualTo(usual);
  }

  @Test
  void threadsStartedByALoopHaveTheDefaultTimeSlice() {
    long usual = defaultSlice();

    assertThat(requestOn(WANTED, LoopThreadsTest::threadsStartedOn, 0)).isEqualTo(usual);
  }

  @Test
  void aLoopMayRequestATimeSliceAgain() {
    defaultSlice();
    long other = TimeUnit.MILLISECONDS.toNanos(9);

    assertThat(requestOn(WANTED, loop -> loop, other)).isEqualTo(other);
  }

  /** Returns the default time slice; skips the test where it cannot be set. */
  private static long defaultSlice() {
    long usual = Libc.Scheduling.timeSlice(0);
    if (usual == 0) {
      String reason = "this kernel has no settable time slices (Linux before 6.12)";
      System.out.println("Skipped: " + reason);
      Assumptions.abort(reason);
    }
    assertThat(usual).isNotEqualTo(WANTED.toNanos());
    return usual;
  }

  private static Executor threadsStartedOn(Executor loop) {
    return task -> loop.execute(() -> new Thread(task).start());
  }

  /**
   * Requests a time slice on a loop, or on the executor that {@code place} returns for it. Returns
   * that thread's resulting time slice.
   */
  private static long requestOn(Duration ofTheLoop, UnaryOperator<Executor> place, long nanos) {
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
