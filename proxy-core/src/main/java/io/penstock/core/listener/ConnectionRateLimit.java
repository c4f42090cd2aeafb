package io.penstock.core.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/**
 * Accepts no more connections than so many a second, and a tenth of that at once; the others wait
 * in the system's queue, and need not try again. Confined to the listening socket's event loop.
 */
final class ConnectionRateLimit extends ChannelInboundHandlerAdapter {

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long nanosEach;
  private final Admission admission;
  private long paidUntil; // when the last one accepted has had its time

  ConnectionRateLimit(int perSecond, Admission admission) {
    this.nanosEach = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.admission = admission;
    this.paidUntil = System.nanoTime() - BURST_NANOS;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object client) {
    long now = System.nanoTime();
    paidUntil = Math.max(paidUntil, now - BURST_NANOS) + nanosEach;
    context.fireChannelRead(client);
    Channel channel = context.channel();
    if (paidUntil > now && channel.config().isAutoRead()) {
      channel.config().setAutoRead(false);
      admission.countDelay();
      channel.eventLoop().schedule(() -> goOn(channel), paidUntil - now, TimeUnit.NANOSECONDS);
    }
  }

  private static void goOn(Channel channel) {
    if (channel.isActive()) {
      channel.config().setAutoRead(true);
    }
  }
}
