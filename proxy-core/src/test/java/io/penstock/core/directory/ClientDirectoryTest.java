package io.penstock.core.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.penstock.core.directory.ClientDirectory.AllClients;
import io.penstock.core.limit.TotalMemory;
import io.penstock.core.observe.Label;
import io.penstock.core.script.Scripts;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Slices;
import io.penstock.core.transport.Transport;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientDirectoryTest {

  private static final long LONG_NANOS = Duration.ofMinutes(1).toNanos();

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final Loop loop = group.loops().getFirst();
  private final AllClients all = new AllClients(new TotalMemory());
  private final ClientDirectory directory = new ClientDirectory(all, Label.ONLY);

  @AfterEach
  void end() {
    assertThat(group.shutdown().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
  }

  private final class Clients implements LoopClients {

    private final ClientPause pause =
        new ClientPause(loop, new ReadOnlyCalls(Scripts::new, () -> {}), () -> {});

    @Override
    public EventLoop executor() {
      return loop.executor();
    }

    @Override
    public Slices slices() {
      return loop.slices();
    }

    @Override
    public Collection<? extends ListedClient> clients() {
      return List.of();
    }

    @Override
    public ClientPause pause() {
      return pause;
    }
  }

  private boolean isLateLoopPaused() {
    return CompletableFuture.supplyAsync(
            () -> {
              var late = new Clients();
              directory.add(late);
              boolean paused = late.pause().isOn();
              late.pause().end();
              return paused;
            },
            loop.executor())
        .join();
  }

  @Test
  void idsAreUniqueInTheProcess() {
    var other = new ClientDirectory(all, Label.ONLY);

    assertThat(directory.nextId()).isEqualTo(1);
    assertThat(other.nextId()).isEqualTo(2);
    assertThat(directory.nextId()).isEqualTo(3);
  }

  @Test
  void aLoopThatGetsItsFirstClientLaterIsPausedAsWell() {
    assertThat(isLateLoopPaused()).isFalse();

    directory.pauseBegan(System.nanoTime() + LONG_NANOS, true);
    assertThat(isLateLoopPaused()).isTrue();

    directory.pauseEnded();
    assertThat(isLateLoopPaused()).isFalse();
  }

  @Test
  void aPauseThatIsOverDoesNotApply() {
    directory.pauseBegan(System.nanoTime() - 1, true);

    assertThat(isLateLoopPaused()).isFalse();
  }
}
