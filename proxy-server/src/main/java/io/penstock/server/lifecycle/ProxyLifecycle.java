package io.penstock.server.lifecycle;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.listener.CannotBindException;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.Label;
import io.penstock.server.config.PropertiesReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the proxy after the management port and stops it before. Stopping first fails the
 * readiness probe; then Penstock accepts no clients, answers the requests in flight, and closes.
 */
public class ProxyLifecycle implements SmartLifecycle, DisposableBean {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock");

  /** The drain's share of the shutdown phase; the rest is for closing. */
  private static final double DRAIN_SHARE = 0.8;

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final Proxy proxy;
  private final ProxySettings settings;
  private final PropertiesReader keys;
  private final ApplicationContext application;
  private final Duration phase;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean listening;

  ProxyLifecycle(
      Proxy proxy,
      ProxySettings settings,
      PropertiesReader keys,
      ApplicationContext application,
      Duration phase) {
    this.proxy = proxy;
    this.settings = settings;
    this.keys = keys;
    this.application = application;
    this.phase = phase;
  }

  /**
   * Returns the TCP address of the first listener; null while the proxy does not listen, and for a
   * Unix socket.
   */
  public @Nullable InetSocketAddress address() {
    return listening ? proxy.listeners().getFirst().address() : null;
  }

  /** Returns where the first listener listens; null while it does not. */
  @Nullable ListenAddress listenAddress() {
    return listening ? proxy.listeners().getFirst().listenAddress() : null;
  }

  @Override
  public void start() {
    try {
      proxy.start().toCompletableFuture().join();
      listening = true;
    } catch (CompletionException | CancellationException e) {
      throw failedStart(e.getCause() == null ? e : e.getCause(), keys);
    }
    logListeners();
    logUpstreams();
  }

  private void logListeners() {
    boolean alone = settings.listeners().size() == 1;
    boolean onlyUpstream = settings.upstreams().size() == 1;
    for (ProxyListener listener : proxy.listeners()) {
      LOG.info(
          "{}Listening on {}{} ({}{}, {} event loops)",
          Label.ofListener(listener.name(), alone).prefix(),
          listener.listenAddress(),
          onlyUpstream ? "" : " for upstream " + listener.upstream().name(),
          listener.isEncrypted() ? "TLS, " : "",
          proxy.transportName(),
          settings.eventLoops());
    }
  }

  private void logUpstreams() {
    boolean alone = settings.upstreams().size() == 1;
    for (ProxyUpstream upstream : proxy.upstreams()) {
      LOG.info(
          "{}Proxying to {}",
          Label.ofUpstream(upstream.name(), alone).prefix(),
          upstream.description());
      ProxySettings.Mirror mirror = settings.mirrorOf(upstream.name());
      if (mirror != null) {
        LOG.info(
            "{}Copying what is written to {}",
            Label.ofUpstream(upstream.name(), alone).prefix(),
            String.join(", ", mirror.copies()));
      }
      ProxySettings.Shadow shadow = settings.shadowOf(upstream.name());
      if (shadow != null) {
        LOG.info(
            "{}Sending {} % of the reads to upstream {} too",
            Label.ofUpstream(upstream.name(), alone).prefix(), shadow.percent(), shadow.upstream());
      }
    }
  }

  /**
   * Returns a {@link ListenException} only if the bind failed. A failure after it, such as a thread
   * that cannot be created, does not concern the port.
   */
  static RuntimeException failedStart(Throwable cause, PropertiesReader keys) {
    if (!(cause instanceof CannotBindException failed)) {
      return new IllegalStateException("Penstock could not start: " + cause, cause);
    }
    return ListenException.of(failed, keys);
  }

  @Override
  public void stop() {
    Duration grace = Duration.ofMillis((long) (phase.toMillis() * DRAIN_SHARE));
    LOG.info(
        "Stopping: no new clients, waiting up to {} ms for requests in flight", grace.toMillis());
    AvailabilityChangeEvent.publish(application, ReadinessState.REFUSING_TRAFFIC);
    try {
      proxy
          .drain(grace)
          .toCompletableFuture()
          .orTimeout(phase.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException | CancellationException e) {
      LOG.warn("Draining failed; closing all connections now", e);
    } finally {
      listening = false;
      destroy();
    }
    LOG.info("Stopped");
  }

  /** Closes the proxy, also if the application failed to start before the proxy did. */
  @Override
  public void destroy() {
    if (closed.compareAndSet(false, true)) {
      proxy
          .shutdown()
          .toCompletableFuture()
          .orTimeout(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .exceptionally(failure -> {
            LOG.warn("The event loops did not shut down", failure);
            return null;
          })
          .join();
    }
  }

  @Override
  public boolean isRunning() {
    return listening;
  }

  /** Returns false: pausing a context restarts its beans, and a closed proxy cannot start again. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  /** Returns the highest phase: starts last, stops first. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
