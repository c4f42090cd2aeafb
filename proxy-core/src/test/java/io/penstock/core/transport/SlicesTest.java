package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlicesTest {

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<String> done = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void otherWorkRunsBetweenTwoSlices() {
    EventLoop loop = group.next();
    var end = new CompletableFuture<Boolean>();

    loop.execute(() -> {
      new Slices(loop)
          .startNow(
              new Sliced() {
                @Override
                public boolean step() {
                  return slice(loop, end);
                }

                @Override
                public void onFailure(Throwable cause) {
                  end.completeExceptionally(cause);
                }
              });
      done.add("caller");
    });

    assertThat(end.orTimeout(10, TimeUnit.SECONDS).join()).isTrue();
    assertThat(done).containsExactly("slice", "caller", "other", "slice", "other", "slice");
  }

  @Test
  void longWorkOfManyDoesNotBeginAtOnce() {
    EventLoop loop = group.next();
    CompletableFuture<Void> end = new CompletableFuture<>();
    loop.execute(() -> {
      Slices slices = new Slices(loop);
      slices.startInTurn(named("short", end), 128);
      slices.startInTurn(named("long", end), 129);
      slices.startInTurn(named("last", end), 1_000_000);
      done.add("caller");
    });

    end.orTimeout(10, TimeUnit.SECONDS).join();
    assertThat(done).containsExactly("short", "caller", "long", "last");
  }

  private Sliced named(String name, CompletableFuture<Void> end) {
    return new Sliced() {
      @Override
      public boolean step() {
        done.add(name);
        if (name.equals("last")) {
          end.complete(null);
        }
        return false;
      }

      @Override
      public void onFailure(Throwable cause) {
        end.completeExceptionally(cause);
      }
    };
  }

  private boolean slice(EventLoop loop, CompletableFuture<Boolean> end) {
    done.add("slice");
    boolean more = done.size() < 6;
    if (more) {
      loop.execute(() -> done.add("other"));
    } else {
      end.complete(true);
    }
    return more;
  }
}
