package io.penstock.core.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the connections accepted in a second; bursts may be up to a tenth of that. Other
 * connections wait in the system's accept queue: clients need not retry. One for all sockets of a
 * listener, each of which uses it on its own event loop.
 */
@ChannelHandler.Sharable
final class ConnectionRateLimit extends ChannelInboundHandlerAdapter {

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile long nanosEach; // 0 for no limit
  private final Admission admission;
  private final AtomicLong nextAt; // when the next connection is due by the rate

  /**
   * @param perSecond 0 for no limit
   */
  ConnectionRateLimit(int perSecond, Admission admission) {
    this.admission = admission;
    this.nextAt = new AtomicLong(System.nanoTime() - BURST_NANOS);
    perSecond(perSecond);
  }

  /** Replaces the limit; 0 for none. */
  void perSecond(int connections) {
    nanosEach = connections == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / connections;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object client) {
    long each = nanosEach;
    context.fireChannelRead(client);
    if (each > 0) {
      delayNext(context, each);
    }
  }

  private void delayNext(ChannelHandlerContext context, long each) {
    long now = System.nanoTime();
    long next =
        nextAt.updateAndGet(due -> now - BURST_NANOS + Math.max(due - now + BURST_NANOS, 0) + each);
    Channel channel = context.channel();
    if (next - now > 0 && channel.config().isAutoRead()) {
      channel.config().setAutoRead(false);
      admission.countDelay();
      channel.eventLoop().schedule(() -> resume(channel), next - now, TimeUnit.NANOSECONDS);
    }
  }

  private static void resume(Channel channel) {
    if (channel.isActive()) {
      channel.config().setAutoRead(true);
    }
  }
}
