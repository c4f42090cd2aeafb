package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.output.FlushQueue;
import io.penstock.core.output.SocketOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SilenceTimerTest {

  private static final int LARGE = 1024 * 1024;

  private final SlowChannel channel = new SlowChannel();
  private final FlushQueue queue = new FlushQueue(channel.eventLoop());
  private final SocketOutput output = new SocketOutput(channel.pipeline().lastContext(), queue);
  private final SilenceTimer timer = new SilenceTimer();

  SilenceTimerTest() {
    timer.reset(0);
  }

  @AfterEach
  void close() {
    channel.close();
    channel.runPendingTasks();
    queue.close();
  }

  @Test
  void aNodeThatAcceptsALargeRequestBitByBitIsNotSilent() {
    send(LARGE);
    assertThat(timer.elapsed(output, 10)).isEqualTo(10);

    channel.accept(1_000);

    assertThat(timer.elapsed(output, 20)).isZero();
    assertThat(timer.elapsed(output, 30)).isEqualTo(10);
  }

  /** With io_uring each request is unwritten for a moment. */
  @Test
  void aNodeThatAcceptsSmallRequestsAndAnswersNoneIsSilent() {
    for (int i = 1; i <= 5; i++) {
      send(100);
      assertThat(timer.elapsed(output, i)).isEqualTo(i);
      channel.accept(100);
    }
  }

  @Test
  void aNodeThatAcceptsNothingIsSilentWhileMoreIsSent() {
    send(LARGE);
    timer.elapsed(output, 1);

    append(100);

    assertThat(timer.elapsed(output, 2)).isEqualTo(2);
  }

  private void send(int bytes) {
    append(bytes);
    channel.runPendingTasks();
  }

  private void append(int bytes) {
    output.append(new byte[bytes]);
  }

  /** Accepts bytes only when told. */
  private static final class SlowChannel extends EmbeddedChannel {

    private int room;

    SlowChannel() {
      super(new ChannelInboundHandlerAdapter());
    }

    void accept(int bytes) {
      room = bytes;
      flush();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
      while (room > 0 && out.current() instanceof ByteBuf next) {
        int accepted = Math.min(room, next.readableBytes());
        room -= accepted;
        out.removeBytes(accepted);
      }
    }
  }
}
