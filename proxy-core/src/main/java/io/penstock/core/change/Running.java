package io.penstock.core.change;

import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.UpstreamMirror;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a running proxy at one time. Immutable; a change of the settings replaces it.
 *
 * @param settings in force
 * @param listeners by name, in the order of the settings
 * @param upstreams those that a listener serves, by name, in the order of the first that does; then
 *     their shadows and copies
 */
public record Running(
    ProxySettings settings,
    Map<String, ProxyListener> listeners,
    Map<String, ProxyUpstream> upstreams) {

  public Running {
    listeners = Collections.unmodifiableMap(new LinkedHashMap<>(listeners));
    upstreams = Collections.unmodifiableMap(new LinkedHashMap<>(upstreams));
  }

  /** Has the reads of upstreams go to their shadows. Completes when each loop sends them. */
  public CompletableFuture<Void> connectShadows() {
    List<CompletableFuture<Void>> connected = new ArrayList<>();
    for (ProxyUpstream each : upstreams.values()) {
      if (each instanceof RespUpstream upstream) {
        connected.add(upstream.shadow(shadowOf(upstream)));
      }
    }
    return CompletableFuture.allOf(connected.toArray(CompletableFuture[]::new));
  }

  /**
   * Has the writes of upstreams go to their copies. Completes when each copy has a queue.
   *
   * @param before the parts until now; null at the start, when copies are as the primary
   */
  public CompletableFuture<Void> connectCopies(@Nullable Running before) {
    List<CompletableFuture<Void>> connected = new ArrayList<>();
    for (ProxyUpstream each : upstreams.values()) {
      if (each instanceof RespUpstream upstream && upstream.hasCopies()) {
        connected.add(upstream.mirror(copiesOf(upstream, before)));
      }
    }
    return CompletableFuture.allOf(connected.toArray(CompletableFuture[]::new));
  }

  private UpstreamMirror.Copies copiesOf(RespUpstream upstream, @Nullable Running before) {
    ProxySettings.Mirror mirror = Objects.requireNonNull(settings.mirrorOf(upstream.name()));
    List<RespUpstream> copies = new ArrayList<>();
    for (String name : mirror.copies()) {
      copies.add((RespUpstream) Objects.requireNonNull(upstreams.get(name)));
    }
    return new UpstreamMirror.Copies(
        copies,
        mirror.settings(),
        settings.drainTimeout(),
        before == null ? null : whyBehind(upstream, before));
  }

  private static String whyBehind(RespUpstream upstream, Running before) {
    return before.upstreams.get(upstream.name()) instanceof RespUpstream earlier
            && earlier.hasCopies()
            && !upstream.sharesCopiesWith(earlier)
        ? UpstreamMirror.primaryChangedNow()
        : UpstreamMirror.addedNow();
  }

  private RespUpstream.@Nullable Shadow shadowOf(RespUpstream upstream) {
    ProxySettings.Shadow shadow = settings.shadowOf(upstream.name());
    return shadow != null && upstreams.get(shadow.upstream()) instanceof RespUpstream other
        ? new RespUpstream.Shadow(other, shadow.share())
        : null;
  }

  /** Returns what {@code some} has and {@code others} has not. */
  static <T> List<T> without(Collection<T> some, Collection<T> others) {
    List<T> rest = new ArrayList<>(some);
    rest.removeAll(others);
    return rest;
  }
}
