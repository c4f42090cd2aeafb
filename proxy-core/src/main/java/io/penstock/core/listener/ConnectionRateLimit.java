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

  private final long nanosEach;
  private final Admission admission;
  private final AtomicLong nextAt; // when the next connection is due by the rate

  ConnectionRateLimit(int perSecond, Admission admission) {
    this.nanosEach = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.admission = admission;
    this.nextAt = new AtomicLong(System.nanoTime() - BURST_NANOS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object client) {
    long now = System.nanoTime();
    long next =
        nextAt.updateAndGet(
            due -> now - BURST_NANOS + Math.max(due - now + BURST_NANOS, 0) + nanosEach);
    context.fireChannelRead(client);
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
