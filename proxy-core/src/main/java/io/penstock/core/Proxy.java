package io.penstock.core;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Stub: signatures only; the body follows. */
public final class Proxy implements AutoCloseable {

  private Proxy() {}

  /** Builds a proxy; nothing is opened before {@link #start}. */
  public static Proxy create(ProxySettings settings, ProxyEvents events) {
    throw new IllegalStateException("stub");
  }

  /** Binds and begins to look for the topology. Fails when the address cannot be bound. A cluster that is down does not fail it. */
  public CompletionStage<InetSocketAddress> start() {
    throw new IllegalStateException("stub");
  }

  /** Listening, and every slot has an owner with a reachable node. Any thread. */
  public boolean isReady() {
    throw new IllegalStateException("stub");
  }

  /** The transport in use, after {@code auto} was decided, for example {@code epoll}. */
  public String transportName() {
    throw new IllegalStateException("stub");
  }

  /** The newest topology snapshot. Any thread. */
  public SlotMap topology() {
    throw new IllegalStateException("stub");
  }

  /** Sums the loops' figures. Completes on an event loop. */
  public CompletionStage<ProxyStats> stats() {
    throw new IllegalStateException("stub");
  }

  /** Stops accepting, answers what is in flight, then closes clients; completes when done or after {@code grace}. */
  public CompletionStage<Void> drain(Duration grace) {
    throw new IllegalStateException("stub");
  }

  /** Closes everything at once; may block for the event loops' end. */
  @Override
  public void close() {
    throw new IllegalStateException("stub");
  }
}
