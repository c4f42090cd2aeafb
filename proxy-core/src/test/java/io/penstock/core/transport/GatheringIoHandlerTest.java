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

  private final Looks looks = new Looks();
  private long now = 1_000;
  private long slice = 100; // how long giving way takes
  private int gaveWay;
  private int slept;
  private final ActiveClients crowd = new ActiveClients(now);
  private final GatheringIoHandler handler =
      new GatheringIoHandler(
          looks,
          crowd,
          nanos -> {
            gaveWay++;
            if (nanos == GatheringIoHandler.NAP_NANOS) {
              slept++;
            } else {
              assertThat(nanos).isZero();
            }
            now += slice;
          },
          () -> now);

  @Test
  void looksAgainWithoutWaitingWhenSeveralHadSomething() {
    looks.find(2, 3);
    assertThat(handler.run(looks.context)).isEqualTo(5);
    assertThat(gaveWay).isEqualTo(1);
    assertThat(looks.couldBlock).containsExactly(true, false);
  }

  @Test
  void looksOnceWhenOneHadSomething() {
    looks.find(1, 0);
    assertThat(handler.run(looks.context)).isEqualTo(1);
    assertThat(handler.run(looks.context)).isZero();
    assertThat(gaveWay).isZero();
    assertThat(looks.couldBlock).containsExactly(true, true);
  }

  @Test
  void restsAfterSomebodyKeptTheProcessor() {
    slice = 3 * GatheringIoHandler.LONG_NANOS;
    looks.find(2, 0, 2, 2, 2, 0);
    handler.run(looks.context);
    handler.run(looks.context);
    assertRestsAfter(1);
  }

  @Test
  void doesNotRestAfterAShortTime() {
    slice = GatheringIoHandler.LONG_NANOS;
    looks.find(2, 0, 2, 0);
    handler.run(looks.context);
    handler.run(looks.context);
    assertThat(gaveWay).isEqualTo(2);
  }

  @Test
  void sleepsForALargeCrowdWhenThereIsMuchToDo() {
    come(ActiveClients.LARGE);
    looks.find(GatheringIoHandler.MANY - 1, 0, GatheringIoHandler.MANY, GatheringIoHandler.FEW);
    handler.run(looks.context);
    assertThat(slept).isZero();
    assertThat(handler.run(looks.context))
        .isEqualTo(GatheringIoHandler.MANY + GatheringIoHandler.FEW);
    assertThat(slept).isEqualTo(1);
    assertThat(looks.couldBlock).containsExactly(true, false, true, false);
  }

  @Test
  void onlyGivesWayForASmallCrowd() {
    come(ActiveClients.LARGE - 1);
    looks.find(GatheringIoHandler.MANY, 0);
    handler.run(looks.context);
    assertThat(slept).isZero();
    assertThat(gaveWay).isEqualTo(1);
  }

  @Test
  void restsAfterASleepThatBroughtNextToNothing() {
    come(ActiveClients.LARGE);
    int many = GatheringIoHandler.MANY;
    looks.find(many, GatheringIoHandler.FEW, many, GatheringIoHandler.FEW - 1, many, many, many);
    handler.run(looks.context);
    handler.run(looks.context);
    assertRestsAfter(2);
    assertThat(slept).isEqualTo(3);
  }

  private void assertRestsAfter(int times) {
    assertThat(gaveWay).isEqualTo(times);
    now += GatheringIoHandler.REST * slice - 1;
    handler.run(looks.context);
    assertThat(gaveWay).isEqualTo(times);
    now++;
    handler.run(looks.context);
    assertThat(gaveWay).isEqualTo(times + 1);
  }

  private void come(int clients) {
    for (int i = 0; i < clients; i++) {
      crowd.onRequest(now - 1, now);
    }
  }

  /** An {@link IoHandler} that finds what it is told to. */
  private static final class Looks implements IoHandler {

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
