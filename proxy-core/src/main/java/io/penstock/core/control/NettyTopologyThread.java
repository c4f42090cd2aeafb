package io.penstock.core.control;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that starts with its first task. Tasks submitted after {@link #close} are dropped. */
final class NettyTopologyThread implements TopologyThread {

  private static final Logger LOG = LoggerFactory.getLogger(NettyTopologyThread.class);
  private static final long END_SECONDS = 2;

  private final EventExecutorGroup group =
      new DefaultEventExecutorGroup(
          1, Thread.ofPlatform().daemon().name("penstock-topology").factory());

  /** The executor for what Lettuce runs outside its I/O thread. */
  EventExecutorGroup group() {
    return group;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    try {
      group.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.trace("The topology thread has ended; a task is dropped", e);
    }
  }

  @Override
  public void runAfter(Duration delay, Runnable task) {
    try {
      group.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.trace("The topology thread has ended; a task is dropped", e);
    }
  }

  CompletionStage<Void> close() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    group
        .shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
        .addListener(ended -> closed.complete(null));
    return closed;
  }
}
