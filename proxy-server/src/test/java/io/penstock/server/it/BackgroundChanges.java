package io.penstock.server.it;

import io.penstock.core.ChangeRejectedException;
import io.penstock.core.Proxy;
import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Backend;
import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.ProxySettings.Listener;
import io.penstock.core.ProxySettings.Upstream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Changes the settings of a proxy again and again, on a thread of its own, while a test goes on:
 * the connections to the nodes and their timeouts, and the limits on clients. No client has to
 * notice any of it.
 */
public final class BackgroundChanges implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST = 20_000;

  private final Proxy proxy;
  private final AtomicInteger applied = new AtomicInteger();
  private final CompletableFuture<Void> done;
  private volatile boolean stopped;

  private BackgroundChanges(Proxy proxy) {
    this.proxy = proxy;
    this.done = CompletableFuture.runAsync(this::run, Thread.ofPlatform()::start);
  }

  public static BackgroundChanges of(Proxy proxy) {
    return new BackgroundChanges(proxy);
  }

  private void run() {
    for (int i = 1; i <= MOST && !stopped; i++) {
      try {
        proxy.apply(changed(proxy.settings(), i)).toCompletableFuture().get(1, TimeUnit.MINUTES);
        applied.incrementAndGet();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof ChangeRejectedException)) { // while no node answers
          throw new AssertionError("a change failed", e);
        }
      } catch (InterruptedException | TimeoutException e) {
        throw new AssertionError("a change did not end", e);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static ProxySettings changed(ProxySettings settings, int number) {
    return new ProxySettings(
        settings.listeners().stream().map(each -> changed(each, number)).toList(),
        settings.upstreams().stream().map(each -> changed(each, number)).toList(),
        settings.dispatch(),
        settings.commands(),
        settings.transport(),
        settings.eventLoops(),
        settings.timeSlice(),
        settings.drainTimeout());
  }

  private static Listener changed(Listener listener, int number) {
    Listen listen = listener.listen();
    return new Listener(
        listener.name(),
        listener.upstream(),
        new Listen(
            listen.address(),
            listen.maxClients(),
            listen.password(),
            Duration.ofSeconds(number % 60),
            listen.maxBulkLength(),
            listen.arrivals(),
            listen.clients()),
        listener.facade());
  }

  private static Upstream changed(Upstream upstream, int number) {
    Backend backend = upstream.backend();
    return new Upstream(
        upstream.name(),
        upstream.kind(),
        new Backend(
            backend.connectTimeout(),
            backend.commandTimeout(),
            1 + number % 3,
            backend.exclusiveConnectionsPerLoop(),
            backend.hold(),
            backend.bounds()),
        upstream.refresh(),
        upstream.reads());
  }

  /** Returns how many changes have been applied. */
  public int applied() {
    return applied.get();
  }

  /** Stops; throws if a change failed. */
  @Override
  public void close() {
    stopped = true;
    ProxyFixture.await(done);
  }
}
