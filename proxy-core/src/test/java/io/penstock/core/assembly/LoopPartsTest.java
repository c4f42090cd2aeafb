package io.penstock.core.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopPartsTest {

  private final LoopGroup group = new LoopGroup(Transport.NIO, 2);
  private final AtomicInteger made = new AtomicInteger();
  private final LoopParts<String> parts = new LoopParts<>(group, 1);

  @AfterEach
  void end() {
    assertThat(group.shutdown().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
  }

  private String partOf(Loop loop) {
    return CompletableFuture.supplyAsync(() -> parts.of(loop, 0, this::make), loop.executor())
        .join();
  }

  private String make(Loop loop, int lane) {
    made.incrementAndGet();
    return "part " + loop.index();
  }

  @Test
  void aPartIsMadeOnceWhenItIsFirstNeeded() {
    assertThat(made).hasValue(0);

    assertThat(partOf(group.loops().get(1))).isEqualTo("part 1");
    assertThat(partOf(group.loops().get(1))).isEqualTo("part 1");

    assertThat(made).hasValue(1);
  }

  @Test
  void actionsRunForPartsThatAreMade() {
    assertThat(parts.collect(part -> part).join()).isEmpty();
    assertThat(parts.run(_ -> made.set(-1))).succeedsWithin(Duration.ofSeconds(10));
    assertThat(made).hasValue(0);

    partOf(group.loops().get(1));

    assertThat(parts.collect(part -> part).join()).isEqualTo(List.of("part 1"));
  }

  @Test
  void anActionRunsForOnePartIfThatIsMade() {
    Loop first = group.loops().get(0);
    Loop second = group.loops().get(1);
    partOf(second);
    List<String> seen = new ArrayList<>();

    CompletableFuture.runAsync(() -> parts.ifMade(first, 0, seen::add), first.executor()).join();
    CompletableFuture.runAsync(() -> parts.ifMade(second, 0, seen::add), second.executor()).join();

    assertThat(seen).containsExactly("part 1");
  }

  @Test
  void eachLaneHasAPartOfItsOwn() {
    var lanes = new LoopParts<String>(group, 2);
    Loop loop = group.loops().get(1);
    for (int lane : new int[] {1, 0, 1}) {
      String part =
          CompletableFuture.supplyAsync(
                  () -> lanes.of(loop, lane, (on, which) -> which + " on " + on.index()),
                  loop.executor())
              .join();
      assertThat(part).isEqualTo(lane + " on 1");
    }

    assertThat(lanes.collect(part -> part).join()).isEqualTo(List.of("0 on 1", "1 on 1"));
  }
}
