package io.penstock.core.transport;

import io.netty.channel.EventLoop;

/** A loop on the caller's own thread; in this package because a {@link Loop} is made only here. */
public final class EmbeddedLoop {

  private EmbeddedLoop() {}

  /** A loop whose tasks run when {@code executor} is told to run them. */
  public static Loop on(EventLoop executor) {
    return new Loop(0, executor, new Crowd(0));
  }
}
