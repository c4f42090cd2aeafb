package io.penstock.core.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/**
 * Limits the connections accepted in a second; bursts may be up to a tenth of that. Other
 * connections wait in the system's accept queue: clients need not retry. Confined to the listening
 * socket's event loop.
 */
final class ConnectionRateLimit extends ChannelInboundHandlerAdapter {

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long nanosEach;
  private final Admission admission;
  private long nextAt; // when the next connection is due by the rate

  ConnectionRateLimit(int perSecond, Admission admission) {
    this.nanosEach = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.admission = admission;
    this.nextAt = System.nanoTime() - BURST_NANOS;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object client) {
    long now = System.nanoTime();
    nextAt = Math.max(nextAt, now - BURST_NANOS) + nanosEach;
    context.fireChannelRead(client);
    Channel channel = context.channel();
    if (nextAt > now && channel.config().isAutoRead()) {
      channel.config().setAutoRead(false);
      admission.countDelay();
      channel.eventLoop().schedule(() -> resume(channel), nextAt - now, TimeUnit.NANOSECONDS);
    }
  }

  private static void resume(Channel channel) {
    if (channel.isActive()) {
      channel.config().setAutoRead(true);
    }
  }
}
