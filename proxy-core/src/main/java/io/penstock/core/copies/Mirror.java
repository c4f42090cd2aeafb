package io.penstock.core.copies;

import io.penstock.core.observe.MirrorStats;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import java.util.List;
import java.util.function.Consumer;

/**
 * The mirrored writes of one upstream: the order of its writes, and its copies. One for all loops,
 * as long as the upstream has copies. Safe from any thread.
 */
public final class Mirror implements Repairs {

  private final MirrorSettings settings;
  private volatile List<CopyQueue> copies = List.of();

  public Mirror(MirrorSettings settings) {
    this.settings = settings;
  }

  public MirrorSettings settings() {
    return settings;
  }

  /** Sets the copies, once, before any loop is connected. */
  public void copies(List<CopyQueue> all) {
    copies = List.copyOf(all);
  }

  public List<CopyQueue> copies() {
    return copies;
  }

  /**
   * Has a loop send its own requests to the primary through {@code side}. On that loop, before its
   * first client's request.
   */
  public LoopMirror connect(Loop loop, Side side) {
    return new LoopMirror(this, loop, side);
  }

  @Override
  public void copyAgain(int copy, int database, List<byte[]> keys, Consumer<Boolean> done) {
    throw new UnsupportedOperationException();
  }

  public MirrorStats stats() {
    return new MirrorStats(copies.stream().map(CopyQueue::stats).toList());
  }

  /** Ends the copies. Writes under way are not copied. */
  public void close() {
    copies.forEach(CopyQueue::close);
  }
}
