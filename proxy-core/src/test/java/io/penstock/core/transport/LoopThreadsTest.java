package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class LoopThreadsTest {

  @Test
  void loopsHaveTheTimeSliceThatTheyAskFor() {
    long usual = Libc.Scheduling.timeSlice(0);
    if (usual == 0) {
      String reason = "this kernel has no time slices to choose (Linux before 6.12)";
      System.out.println("Skipped: " + reason);
      Assumptions.abort(reason);
    }
    Duration wanted = Duration.ofMillis(7);
    assertThat(usual).isNotEqualTo(wanted.toNanos());

    assertThat(ofALoop(wanted)).isEqualTo(wanted.toNanos());
    assertThat(ofALoop(Duration.ZERO)).isEqualTo(usual);
  }

  private static long ofALoop(Duration wanted) {
    var group = new LoopGroup(Transport.NIO, 1, wanted);
    var slice = new CompletableFuture<Long>();
    group.loops().getFirst().executor().execute(() -> slice.complete(Libc.Scheduling.timeSlice(0)));
    long found = slice.orTimeout(10, TimeUnit.SECONDS).join();
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    return found;
  }
}
