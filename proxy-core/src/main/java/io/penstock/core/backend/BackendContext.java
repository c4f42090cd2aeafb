package io.penstock.core.backend;

import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.core.transport.Backoff;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Where backend connections live and whom they tell. */
public record BackendContext(
    LoopGroup group,
    Loop loop,
    BackendSettings settings,
    BackendListener listener,
    PushSink pushes,
    HeldRequests heldRequests) {

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1), new Random());

  /** With a hold of its own. */
  public BackendContext(
      LoopGroup group,
      Loop loop,
      BackendSettings settings,
      BackendListener listener,
      PushSink pushes) {
    this(group, loop, settings, listener, pushes, new HeldRequests(settings.maxHeld()));
  }

  /**
   * As {@link Exchange#extendDeadline}, now.
   *
   * @return whether there is time left
   */
  boolean extendDeadline(Exchange exchange) {
    long now = loop.now();
    exchange.extendDeadline(now, settings.commandTimeout().toNanos());
    return exchange.deadline() - now > 0;
  }

  /** Runs {@code action} on the loop, after so many milliseconds. */
  ScheduledFuture<?> later(Runnable action, long millis) {
    return loop.executor().schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs {@code action}, which tries to connect again, in a while.
   *
   * @param failures in a row so far
   */
  ScheduledFuture<?> retry(Runnable action, int failures) {
    return later(action, BACKOFF.delayAfter(failures).toMillis());
  }

  /** Connects to the node; {@code owner} is told how it went, on the loop. */
  void connect(Endpoint node, LinkListener owner) {
    int timeout = (int) settings.connectTimeout().toMillis();
    group
        .clientBootstrap(loop, timeout)
        .handler(new BackendPipeline(owner, this))
        .connect(InetSocketAddress.createUnresolved(node.host(), node.port()))
        .addListener(done -> {
          if (!done.isSuccess()) {
            onLoop(() -> owner.onConnectFailed(done.cause()));
          }
        });
  }

  /**
   * Without a file descriptor left there is no channel, and Netty tells so on a thread of its own.
   */
  private void onLoop(Runnable action) {
    if (loop.executor().inEventLoop()) {
      action.run();
    } else {
      loop.executor().execute(action);
    }
  }
}
