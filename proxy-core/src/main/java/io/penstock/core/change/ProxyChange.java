package io.penstock.core.change;

import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.failure.Causes;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.ListeningSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One change of the settings of a running proxy. First everything new is made, tried and bound,
 * while the proxy goes on as before; if that fails, it is closed again, and nothing has changed.
 * Then all parts change to it, which cannot fail. Used once; its stages run one after the other, on
 * any thread.
 */
public final class ProxyChange {

  private final Running before;
  private final ProxySettings next;
  private final PartsFactory factory;
  private final Map<String, ProxyUpstream> upstreams = new LinkedHashMap<>();
  private final Map<String, ProxyListener> listeners = new LinkedHashMap<>();
  private final List<RespUpstream> trials = new ArrayList<>(); // only to try changed passwords
  private final Map<TcpUpstream, Upstream.Tcp> changedInPlace = new LinkedHashMap<>();
  private final List<Opened> opened = new ArrayList<>();

  /**
   * @param next with what only a restart changes as in {@code before}
   */
  public ProxyChange(Running before, ProxySettings next, PartsFactory factory) {
    this.before = before;
    this.next = next;
    this.factory = factory;
  }

  /** Makes parts of the proxy. */
  public interface PartsFactory {

    RespUpstream upstream(Upstream.Resp settings, ProxySettings all, @Nullable RespUpstream before);

    TcpUpstream upstream(Upstream.Tcp settings, ProxySettings all);

    ProxyListener listener(Listener settings, ProxySettings all, ProxyUpstream upstream);

    /**
     * Completes when a new upstream answers as well as an earlier one, or fails with the reason.
     */
    CompletableFuture<Void> trial(RespUpstream upstream, RespUpstream earlier);
  }

  /** The sockets that a listener will have. */
  private record Opened(ProxyListener listener, List<ListeningSocket> sockets) {}

  /**
   * Makes, tries and binds everything new.
   *
   * @return completes when the change can be committed; fails, with everything closed that was
   *     made, if it cannot
   */
  public CompletableFuture<Void> prepare() {
    return prepareUpstreams()
        .thenCompose(_ -> prepareListeners())
        .handle((_, failure) -> failure)
        .thenCompose(failure ->
            failure == null
                ? CompletableFuture.completedFuture(null)
                : abandon().thenCompose(_ -> CompletableFuture.failedFuture(failure)));
  }

  private CompletableFuture<Void> prepareUpstreams() {
    List<CompletableFuture<Void>> tried = new ArrayList<>();
    for (String name : next.usedUpstreams()) {
      Upstream settings = next.upstream(name);
      ProxyUpstream earlier = before.upstreams().get(name);
      upstreams.put(name, upstream(settings, earlier, tried));
    }
    return CompletableFuture.allOf(tried.toArray(CompletableFuture[]::new));
  }

  private ProxyUpstream upstream(
      Upstream settings, @Nullable ProxyUpstream earlier, List<CompletableFuture<Void>> tried) {
    return switch (settings) {
      case Upstream.Resp resp ->
          upstream(resp, earlier instanceof RespUpstream same ? same : null, tried);
      case Upstream.Tcp tcp ->
          earlier instanceof TcpUpstream same
              ? changed(tcp, same, tried)
              : made(tcp, earlier, tried);
    };
  }

  /** A TCP upstream is changed in place, with {@link #commit}. */
  private TcpUpstream changed(
      Upstream.Tcp settings, TcpUpstream earlier, List<CompletableFuture<Void>> tried) {
    if (!earlier.settings().equals(settings)) {
      changedInPlace.put(earlier, settings);
      if (earlier.answers()) {
        tried.add(rejected(settings, earlier.trial(settings.servers())));
      }
    }
    return earlier;
  }

  private TcpUpstream made(
      Upstream.Tcp settings, @Nullable ProxyUpstream earlier, List<CompletableFuture<Void>> tried) {
    TcpUpstream made = factory.upstream(settings, next);
    made.start();
    if (earlier != null && earlier.isReady()) {
      tried.add(rejected(settings, made.firstThatAnswers(settings.servers())));
    }
    return made;
  }

  private static CompletableFuture<Void> rejected(
      Upstream settings, CompletableFuture<Void> trial) {
    return trial.exceptionallyCompose(failure ->
        CompletableFuture.failedFuture(
            new ChangeRejectedException(
                "upstream %s: no server can be connected to: %s"
                    .formatted(settings.name(), Causes.unwrapped(failure).getMessage()))));
  }

  private RespUpstream upstream(
      Upstream.Resp settings, @Nullable RespUpstream earlier, List<CompletableFuture<Void>> tried) {
    boolean same =
        earlier != null
            && earlier.settings().equals(settings)
            && earlier.hasCopies() == (next.mirrorOf(settings.name()) != null);
    if (earlier != null
        && same
        && earlier.settings().kind().passwords().equals(settings.kind().passwords())) {
      return earlier;
    }
    RespUpstream made = factory.upstream(settings, next, earlier);
    made.start();
    if (earlier != null) {
      tried.add(factory.trial(made, earlier));
    }
    if (earlier != null && same) {
      trials.add(made);
      return earlier; // with other passwords, which are changed in place
    }
    return made;
  }

  private CompletableFuture<Void> prepareListeners() {
    CompletableFuture<Void> bound = CompletableFuture.completedFuture(null);
    for (Listener settings : next.listeners()) {
      ProxyUpstream upstream = Objects.requireNonNull(upstreams.get(settings.upstream()));
      ProxyListener running = before.listeners().get(settings.name());
      ProxyListener earlier = running != null && running.canServe(upstream) ? running : null;
      ProxyListener listener =
          earlier == null ? factory.listener(settings, next, upstream) : earlier;
      listeners.put(settings.name(), listener);
      ListenAddress address = settings.listen().address();
      if (earlier == null || !earlier.settings().listen().address().equals(address)) {
        bound = bound.thenCompose(_ -> open(listener, address));
      }
    }
    return bound;
  }

  private CompletableFuture<Void> open(ProxyListener listener, ListenAddress address) {
    return listener
        .open(address, this::boundNow)
        .thenAccept(sockets -> opened.add(new Opened(listener, sockets)));
  }

  private @Nullable ListeningSocket boundNow(ListenAddress address) {
    for (ProxyListener listener : before.listeners().values()) {
      ListeningSocket socket = listener.find(address);
      if (socket != null) {
        return socket;
      }
    }
    return null;
  }

  /** Closes everything that was made. In place of {@link #commit}. */
  public CompletableFuture<Void> abandon() {
    List<CompletableFuture<Void>> closed = new ArrayList<>();
    opened.forEach(each -> closed.add(each.listener().discard(each.sockets())));
    Running.without(listeners.values(), before.listeners().values())
        .forEach(each -> closed.add(each.close()));
    Running.without(upstreams.values(), before.upstreams().values())
        .forEach(each -> closed.add(each.close()));
    trials.forEach(each -> closed.add(each.close()));
    return CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new));
  }

  /** Returns the proxy after the change. */
  public Running after() {
    return new Running(next, listeners, upstreams);
  }

  /**
   * Changes all parts that go on. To be called after {@link #prepare}.
   *
   * @return completes when new clients and new requests follow the new settings
   */
  public CompletableFuture<Void> commit() {
    upstreams.values().forEach(ProxyUpstream::endTrial);
    changePasswords();
    return takeOver().thenCompose(_ -> after().connectCopies(before)).thenCompose(_ -> adopt());
  }

  private CompletableFuture<Void> adopt() {
    List<CompletableFuture<Void>> adopted = new ArrayList<>();
    changedInPlace.forEach((each, settings) -> each.adopt(settings, next.drainTimeout()));
    for (ProxyUpstream each : upstreams.values()) {
      if (each instanceof RespUpstream resp) {
        adopted.add(resp.adopt(next.commands()));
      }
    }
    for (Listener settings : next.listeners()) {
      ProxyUpstream upstream = Objects.requireNonNull(upstreams.get(settings.upstream()));
      ProxyListener listener = Objects.requireNonNull(listeners.get(settings.name()));
      if (!listener.settings().equals(settings) || !listener.upstream().equals(upstream)) {
        adopted.add(listener.adopt(settings, upstream, next.drainTimeout()));
      }
    }
    opened.forEach(each -> each.listener().take(each.sockets()));
    opened.forEach(each -> adopted.add(each.listener().closeOthers()));
    trials.forEach(each -> adopted.add(each.close()));
    for (ProxyUpstream each : replacedUpstreams()) {
      if (each instanceof RespUpstream resp) {
        adopted.add(resp.shadow(null));
      }
    }
    adopted.add(after().connectShadows());
    return CompletableFuture.allOf(adopted.toArray(CompletableFuture[]::new));
  }

  private void changePasswords() {
    for (RespUpstream trial : trials) {
      if (upstreams.get(trial.name()) instanceof RespUpstream running) {
        running.changePasswords(trial.settings().kind().allCredentials());
      }
    }
  }

  /** Subscriptions follow before the clients that publish do. */
  private CompletableFuture<Void> takeOver() {
    List<CompletableFuture<Void>> moved = new ArrayList<>();
    for (ProxyUpstream each : upstreams.values()) {
      if (each instanceof RespUpstream upstream
          && before.upstreams().get(upstream.name()) instanceof RespUpstream earlier
          && !earlier.equals(upstream)) {
        moved.add(upstream.takeOver(earlier));
      }
    }
    return CompletableFuture.allOf(moved.toArray(CompletableFuture[]::new));
  }

  /** Returns the listeners that the new settings do not have. */
  public List<ProxyListener> removedListeners() {
    return Running.without(before.listeners().values(), listeners.values());
  }

  /** Returns the upstreams that are replaced, or that no listener serves any more. */
  public List<ProxyUpstream> replacedUpstreams() {
    return Running.without(before.upstreams().values(), upstreams.values());
  }
}
