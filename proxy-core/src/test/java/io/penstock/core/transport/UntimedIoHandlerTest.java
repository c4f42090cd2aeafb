package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UntimedIoHandlerTest {

  private static final long NONE = -1;

  private final AtomicBoolean mayStart = new AtomicBoolean(true);
  private final Sockets sockets = new Sockets();
  private final Next next = new Next();
  private final UntimedIoHandler handler =
      new UntimedIoHandler(
          sockets,
          new AlarmClock(task -> {
            if (!mayStart.get()) {
              throw new InternalError("of a test");
            }
            return Thread.ofPlatform().daemon().unstarted(task);
          }));

  @Test
  void waitsWithoutATimeoutAndIsWokenForADueTask() {
    handler.run(next);

    assertThat(sockets.deadline).isEqualTo(NONE);
    await().untilAsserted(() -> assertThat(sockets.woken).hasPositiveValue());
    handler.destroy();
  }

  @Test
  void waitsWithATimeoutWhileTheClockCannotRun() {
    mayStart.set(false);
    handler.run(next);
    assertThat(sockets.deadline).isEqualTo(next.deadlineNanos());
    handler.run(next);
    assertThat(sockets.deadline).isEqualTo(next.deadlineNanos());

    mayStart.set(true);
    await()
        .untilAsserted(() -> {
          handler.run(next);
          assertThat(sockets.deadline).isEqualTo(NONE);
        });
    await().untilAsserted(() -> assertThat(sockets.woken).hasPositiveValue());
    handler.destroy();
  }

  /** A loop whose next task is due soon. */
  private static final class Next implements IoHandlerContext {

    private final long at = TimeUnit.MILLISECONDS.toNanos(5);

    @Override
    public boolean canBlock() {
      return true;
    }

    @Override
    public long delayNanos(long now) {
      return at;
    }

    @Override
    public long deadlineNanos() {
      return at;
    }
  }

  /** Records the deadline of the latest run. */
  private static final class Sockets implements IoHandler {

    private final AtomicInteger woken = new AtomicInteger();
    private long deadline;

    @Override
    public int run(IoHandlerContext context) {
      deadline = context.deadlineNanos();
      return 0;
    }

    @Override
    public void destroy() {}

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
      woken.incrementAndGet();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return false;
    }
  }
}
