package io.penstock.core.copies;

import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;

/** The mirrored writes of the clients of one event loop. Confined to that loop. */
public final class LoopMirror {

  private final Mirror mirror;
  private final Loop loop;
  private final Side side;

  LoopMirror(Mirror mirror, Loop loop, Side side) {
    this.mirror = mirror;
    this.loop = loop;
    this.side = side;
  }

  Mirror mirror() {
    return mirror;
  }

  Loop loop() {
    return loop;
  }

  Side side() {
    return side;
  }
}
