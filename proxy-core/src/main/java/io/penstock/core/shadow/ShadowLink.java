package io.penstock.core.shadow;

import io.penstock.core.observe.ShadowStats;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Whether reads of an upstream go to a shadow too, on one event loop: an empty link if not, which
 * is most upstreams. A change of the settings replaces the shadow. Confined to the loop.
 */
public final class ShadowLink {

  private @Nullable ShadowReads reads;
  private @Nullable ShadowCounts counts; // of all shadows so far

  /**
   * A shadow.
   *
   * @param own the upstream that clients read
   * @param shadow the other one
   */
  public record Ends(Loop loop, Side own, Side shadow) {}

  /** The reads that go to the shadow; null if there is none. */
  public @Nullable ShadowReads reads() {
    return reads;
  }

  /** Sends a share of the reads to a shadow from now on. Reads under way are not compared. */
  public void connect(Ends ends, ShadowSettings settings) {
    disconnect();
    ShadowCounts counted = counts;
    if (counted == null) {
      counted = new ShadowCounts();
      counts = counted;
    }
    reads = new ShadowReads(ends, settings, counted);
  }

  /** Sends no reads to a shadow any more. */
  public void disconnect() {
    ShadowReads earlier = reads;
    if (earlier != null) {
      reads = null;
      earlier.close();
    }
  }

  /** Returns what all shadows so far have counted. */
  public ShadowStats stats() {
    ShadowCounts counted = counts;
    return counted == null ? ShadowStats.NONE : counted.stats();
  }
}
