package io.penstock.core.backend;

import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;

/** Where backend connections live and whom they tell. */
public record BackendSite(
    LoopGroup group,
    Loop loop,
    BackendSettings settings,
    BackendListener listener,
    PushSink pushes) {

  /** For connections whose pushes nobody wants. */
  public BackendSite(
      LoopGroup group, Loop loop, BackendSettings settings, BackendListener listener) {
    this(group, loop, settings, listener, PushSink.NONE);
  }
}
