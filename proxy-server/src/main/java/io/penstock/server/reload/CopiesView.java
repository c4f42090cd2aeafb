package io.penstock.server.reload;

import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.observe.MirrorStats;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The copies of an upstream, for {@code GET /actuator/penstock}.
 *
 * @param primary the upstream with the same servers
 * @param reply when clients get the reply to a write
 */
record CopiesView(String primary, String reply, List<CopyView> copies) {

  /**
   * One copy.
   *
   * @param behindSince null if it is level
   * @param queued writes that wait for it or are in flight to it
   * @param queuedBytes of them
   * @param lagMillis how long the oldest of them has waited
   * @param keysToCopy keys that wait to be copied again
   */
  record CopyView(
      String name,
      @Nullable Instant behindSince,
      @Nullable String behindReason,
      long queued,
      long queuedBytes,
      long lagMillis,
      long keysToCopy) {

    static CopyView of(MirrorStats.Copy copy) {
      return new CopyView(
          copy.name(),
          copy.behindSince(),
          copy.behindReason(),
          copy.queued(),
          copy.queuedBytes(),
          TimeUnit.NANOSECONDS.toMillis(copy.lagNanos()),
          copy.keysToCopy());
    }
  }

  /**
   * Returns the view of an upstream; null if it has no copies.
   *
   * @param mirror its settings; null without copies
   */
  static @Nullable CopiesView of(ProxyUpstream upstream, @Nullable Mirror mirror) {
    if (mirror == null || !(upstream instanceof RespUpstream resp)) {
      return null;
    }
    return new CopiesView(
        mirror.primary(),
        mirror.settings().reply().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        resp.mirrorStats().copies().stream().map(CopyView::of).toList());
  }
}
