package io.penstock.core.backend;

import io.netty.bootstrap.Bootstrap;
import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.core.output.Backoff;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTraits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What backend connections share: their loop, settings and callbacks.
 *
 * @param traits of the nodes
 */
public record BackendContext(
    LoopGroup group,
    Loop loop,
    BackendSettings settings,
    BackendListener listener,
    PushSinks pushes,
    HeldRequests heldRequests,
    NodeTraits traits) {

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1), new Random());

  /** With separate held requests, for nodes without special traits. */
  public BackendContext(
      LoopGroup group,
      Loop loop,
      BackendSettings settings,
      BackendListener listener,
      PushSinks pushes) {
    this(
        group,
        loop,
        settings,
        listener,
        pushes,
        new HeldRequests(settings.maxHeld(), settings.upstream()),
        NodeTraits.PLAIN);
  }

  /** Returns this with other settings. */
  public BackendContext with(BackendSettings changed) {
    return new BackendContext(group, loop, changed, listener, pushes, heldRequests, traits);
  }

  /**
   * Calls {@link Exchange#extendDeadline} with the current time.
   *
   * @return whether the deadline has not passed
   */
  public boolean extendDeadline(Exchange exchange) {
    long now = loop.now();
    exchange.extendDeadline(now, settings.commandTimeout().toNanos());
    return exchange.deadline() - now > 0;
  }

  /** Runs {@code action} on the loop after {@code millis}. */
  public ScheduledFuture<?> schedule(Runnable action, long millis) {
    return loop.executor().schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs {@code action}, which reconnects, after the backoff delay.
   *
   * @param failures consecutive failures so far
   */
  public ScheduledFuture<?> scheduleReconnect(Runnable action, int failures) {
    return schedule(action, BACKOFF.delayAfter(failures).toMillis());
  }

  /** Connects to the node and calls {@code listener} with the result, on the loop. */
  public void connect(Endpoint node, LinkListener linkListener) {
    int timeout = (int) settings.connectTimeout().toMillis();
    Bootstrap client =
        node.isUnixSocket()
            ? group.unixClientBootstrap(loop, timeout)
            : group.clientBootstrap(loop, timeout);
    client
        .handler(new BackendPipeline(linkListener, this, node))
        .connect(addressOf(node))
        .addListener(done -> {
          if (!done.isSuccess()) {
            runOnLoop(() -> linkListener.onConnectFailed(done.cause()));
          }
        });
  }

  private SocketAddress addressOf(Endpoint node) {
    return node.isUnixSocket()
        ? group.unixAddress(node.host())
        : InetSocketAddress.createUnresolved(node.host(), node.port());
  }

  /**
   * Runs {@code action} on the loop. If no file descriptor is left there is no channel, and Netty
   * reports the failure on another thread.
   */
  private void runOnLoop(Runnable action) {
    if (loop.executor().inEventLoop()) {
      action.run();
    } else {
      loop.executor().execute(action);
    }
  }
}
