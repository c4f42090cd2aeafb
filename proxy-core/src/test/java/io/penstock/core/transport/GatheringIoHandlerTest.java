package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatheringIoHandlerTest {

  private final Polls polls = new Polls();
  private long now = 1_000;
  private long slice = 100; // duration of a pause
  private int pauses;
  private int slept;
  private final ActiveClients activeClients = new ActiveClients(now);
  private final GatheringIoHandler handler =
      new GatheringIoHandler(
          polls,
          activeClients,
          nanos -> {
            pauses++;
            if (nanos == GatheringIoHandler.NAP_NANOS) {
              slept++;
            } else {
              assertThat(nanos).isZero();
            }
            now += slice;
          },
          () -> now);

  @Test
  void pollsAgainWithoutWaitingIfSeveralWereReady() {
    polls.find(2, 3);
    assertThat(handler.run(polls.context)).isEqualTo(5);
    assertThat(pauses).isEqualTo(1);
    assertThat(polls.couldBlock).containsExactly(true, false);
  }

  @Test
  void pollsOnceIfOneWasReady() {
    polls.find(1, 0);
    assertThat(handler.run(polls.context)).isEqualTo(1);
    assertThat(handler.run(polls.context)).isZero();
    assertThat(pauses).isZero();
    assertThat(polls.couldBlock).containsExactly(true, true);
  }

  @Test
  void restsAfterAnotherThreadKeptTheProcessor() {
    slice = 3 * GatheringIoHandler.LONG_NANOS;
    polls.find(2, 0, 2, 2, 2, 0);
    handler.run(polls.context);
    handler.run(polls.context);
    assertRestsAfter(1);
  }

  @Test
  void doesNotRestAfterAShortTime() {
    slice = GatheringIoHandler.LONG_NANOS;
    polls.find(2, 0, 2, 0);
    handler.run(polls.context);
    handler.run(polls.context);
    assertThat(pauses).isEqualTo(2);
  }

  @Test
  void sleepsIfManyClientsAreActiveAndManySocketsReady() {
    activate(ActiveClients.MANY);
    polls.find(GatheringIoHandler.MANY - 1, 0, GatheringIoHandler.MANY, GatheringIoHandler.FEW);
    handler.run(polls.context);
    assertThat(slept).isZero();
    assertThat(handler.run(polls.context))
        .isEqualTo(GatheringIoHandler.MANY + GatheringIoHandler.FEW);
    assertThat(slept).isEqualTo(1);
    assertThat(polls.couldBlock).containsExactly(true, false, true, false);
  }

  @Test
  void onlyYieldsIfFewClientsAreActive() {
    activate(ActiveClients.MANY - 1);
    polls.find(GatheringIoHandler.MANY, 0);
    handler.run(polls.context);
    assertThat(slept).isZero();
    assertThat(pauses).isEqualTo(1);
  }

  @Test
  void restsAfterASleepThatGatheredAlmostNothing() {
    activate(ActiveClients.MANY);
    int many = GatheringIoHandler.MANY;
    polls.find(many, GatheringIoHandler.FEW, many, GatheringIoHandler.FEW - 1, many, many, many);
    handler.run(polls.context);
    handler.run(polls.context);
    assertRestsAfter(2);
    assertThat(slept).isEqualTo(3);
  }

  private void assertRestsAfter(int times) {
    assertThat(pauses).isEqualTo(times);
    now += GatheringIoHandler.REST * slice - 1;
    handler.run(polls.context);
    assertThat(pauses).isEqualTo(times);
    now++;
    handler.run(polls.context);
    assertThat(pauses).isEqualTo(times + 1);
  }

  private void activate(int clients) {
    for (int i = 0; i < clients; i++) {
      activeClients.onRequest(now - 1, now);
    }
  }

  /** An {@link IoHandler} that finds the given numbers of ready sockets. */
  private static final class Polls implements IoHandler {

    private final Deque<Integer> found = new ArrayDeque<>();
    private final List<Boolean> couldBlock = new ArrayList<>();
    private final IoHandlerContext context =
        new IoHandlerContext() {
          @Override
          public boolean canBlock() {
            return true;
          }

          @Override
          public long delayNanos(long now) {
            return 0;
          }

          @Override
          public long deadlineNanos() {
            return -1;
          }
        };

    void find(Integer... counts) {
      found.addAll(List.of(counts));
    }

    @Override
    public int run(IoHandlerContext context) {
      couldBlock.add(context.canBlock());
      return found.remove();
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return true;
    }
  }
}
