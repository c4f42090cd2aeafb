package io.penstock.core.mirroring;

import org.jspecify.annotations.Nullable;

/**
 * Whether an upstream has copies, on one event loop: an empty link if not, which is most upstreams.
 * Confined to the loop.
 */
public final class MirrorLink {

  private @Nullable LoopMirror mirror;

  /** The mirrored writes of the loop; null if there are no copies. */
  public @Nullable LoopMirror mirror() {
    return mirror;
  }

  /** Has the writes go to copies from now on, or to none. */
  public void connect(@Nullable LoopMirror next) {
    mirror = next;
  }
}
