package io.penstock.core.assembly;

import io.penstock.core.observe.Label;
import io.penstock.core.tcp.HealthChecks;
import io.penstock.core.tcp.TcpClients;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpServers;
import io.penstock.core.tcp.TcpSettings;
import io.penstock.core.transport.LoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * An upstream over plain TCP: its servers, and the clients of all its listeners. A change of the
 * settings changes it in place, because a client keeps its server. All methods are safe from any
 * thread.
 */
public final class TcpUpstream implements ProxyUpstream {

  private final TcpServers servers;
  private final HealthChecks checks;
  private final List<LoopParts<TcpClients>> clients = new CopyOnWriteArrayList<>();
  private volatile ProxySettings.Upstream.Tcp settings;

  /**
   * @param alone whether the proxy has no other upstream
   */
  public TcpUpstream(ProxySettings.Upstream.Tcp settings, boolean alone, LoopGroup group) {
    this.settings = settings;
    this.servers = new TcpServers(settings.servers(), Label.ofUpstream(settings.name(), alone));
    this.checks = new HealthChecks(group, servers);
  }

  @Override
  public ProxySettings.Upstream.Tcp settings() {
    return settings;
  }

  @Override
  public String name() {
    return settings.name();
  }

  @Override
  public String description() {
    return settings.servers().description();
  }

  TcpServers servers() {
    return servers;
  }

  /** Returns the state of each server, in the order of the settings. */
  public List<TcpServers.Status> status() {
    return servers.status();
  }

  /** Returns how many clients were closed because no server could be had. */
  public long turnedAway() {
    return servers.turnedAway();
  }

  @Override
  public void start() {
    if (settings.servers().check() != null) {
      checks.start();
    }
  }

  @Override
  public void endTrial() {}

  @Override
  public boolean isReady() {
    return servers.isReady();
  }

  /** Returns whether a server is up, as far as is known. */
  public boolean answers() {
    return servers.answers();
  }

  /** Returns whether all servers are up, except those that are configured as down. */
  public boolean isComplete() {
    return servers.isComplete();
  }

  @Override
  public boolean hasServersOf(ProxyUpstream other) {
    return other.equals(this);
  }

  /** Closes these clients with the upstream. */
  void add(LoopParts<TcpClients> some) {
    clients.add(some);
  }

  /** Forgets clients that have all left. */
  void remove(LoopParts<TcpClients> some) {
    clients.remove(some);
  }

  /**
   * Tries servers before clients get them. Completes when one of them can be connected to, or none
   * is new; fails with the reasons if none can.
   */
  public CompletableFuture<Void> trial(TcpSettings next) {
    TcpSettings now = settings.servers();
    boolean same =
        next.servers().stream().allMatch(server -> hasUsable(now, server))
            && next.transport().equals(now.transport());
    return same ? CompletableFuture.completedFuture(null) : firstThatAnswers(next);
  }

  private static boolean hasUsable(TcpSettings settings, TcpServer wanted) {
    return settings.servers().stream()
        .anyMatch(server -> server.address().equals(wanted.address()) && !server.down());
  }

  /** Completes when a server of the settings can be connected to; fails if none can. */
  public CompletableFuture<Void> firstThatAnswers(TcpSettings next) {
    var result = new CompletableFuture<Void>();
    List<CompletableFuture<String>> probes = new ArrayList<>();
    for (TcpServer server : next.servers()) {
      if (!server.down()) {
        probes.add(
            checks
                .probe(server.address(), next)
                .thenApply(failure -> {
                  if (failure == null) {
                    result.complete(null);
                  }
                  return server + ": " + failure;
                }));
      }
    }
    CompletableFuture.allOf(probes.toArray(CompletableFuture[]::new))
        .thenRun(() ->
            result.completeExceptionally(
                new NoServerException(
                    String.join(
                        "; ", probes.stream().map(CompletableFuture::resultNow).toList()))));
    return result;
  }

  /** No server of a TCP upstream can be connected to. The message has the reasons. */
  public static final class NoServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoServerException(String reasons) {
      super(reasons);
    }
  }

  /**
   * Applies other settings. Clients keep their servers; those whose server is not in the settings
   * any more are closed later.
   *
   * @param drainTimeout after which they are
   */
  public void adopt(ProxySettings.Upstream.Tcp next, Duration drainTimeout) {
    boolean checked = settings.servers().check() != null;
    settings = next;
    servers.adopt(next.servers());
    if (checked || next.servers().check() != null) {
      checks.start();
    }
    new CompletableFuture<Void>()
        .completeOnTimeout(null, drainTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .thenRun(() -> clients.forEach(each -> each.forEach(TcpClients::closeOfRemovedServers)));
  }

  @Override
  public CompletableFuture<Boolean> isUsed() {
    CompletableFuture<Boolean> used = CompletableFuture.completedFuture(false);
    for (LoopParts<TcpClients> each : clients) {
      used =
          used.thenCombine(
              each.collect(TcpClients::size),
              (before, sizes) -> before || sizes.stream().anyMatch(size -> size > 0));
    }
    return used;
  }

  /** A client cannot move: all are closed. */
  @Override
  public void drainLaggards() {
    clients.forEach(each -> each.forEach(TcpClients::closeAll));
  }

  @Override
  public CompletableFuture<Void> close() {
    checks.stop();
    return CompletableFuture.allOf(
        clients.stream()
            .map(each -> each.run(TcpClients::closeAll))
            .toArray(CompletableFuture[]::new));
  }
}
