package io.penstock.server.lifecycle;

import io.penstock.core.Proxy;
import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.listener.CannotBindException;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.PropertiesReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
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
 * Starts the proxy after the management port, stops it before. Stopping begins with the readiness
 * probe going down, then Penstock accepts nobody, answers what is in flight, and closes.
 */
public class ProxyLifecycle implements SmartLifecycle, DisposableBean {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock");

  /** Left of the phase's time for closing after the drain. */
  private static final double DRAIN_SHARE = 0.8;

  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final Proxy proxy;
  private final ProxySettings settings;
  private final PropertiesReader keys;
  private final ApplicationContext application;
  private final Duration phase;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable InetSocketAddress address;

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

  /** Where clients connect, or null while nobody can. */
  public @Nullable InetSocketAddress address() {
    return address;
  }

  @Override
  public void start() {
    try {
      address = proxy.start().toCompletableFuture().join();
    } catch (CompletionException | CancellationException e) {
      throw failedStart(e.getCause() == null ? e : e.getCause(), settings.listen(), keys);
    }
    LOG.info(
        "Listening on {} ({}, {} event loops)",
        new Endpoint(settings.listen().bind(), address.getPort()),
        proxy.transportName(),
        settings.eventLoops());
    LOG.info("Proxying to {}", settings.upstream().description());
  }

  /** What fails behind the bind, like a thread that cannot be had, is no matter of the port. */
  static RuntimeException failedStart(Throwable cause, Listen listen, PropertiesReader keys) {
    return cause instanceof CannotBindException
        ? new ListenException(
            listen,
            Objects.requireNonNullElse(cause.getCause(), cause),
            keys.written("bind"),
            keys.written("port"))
        : new IllegalStateException("Penstock could not start: " + cause, cause);
  }

  @Override
  public void stop() {
    LOG.info("Stopping: no new clients, answering what is in flight");
    AvailabilityChangeEvent.publish(application, ReadinessState.REFUSING_TRAFFIC);
    Duration grace = Duration.ofMillis((long) (phase.toMillis() * DRAIN_SHARE));
    try {
      proxy
          .drain(grace)
          .toCompletableFuture()
          .orTimeout(phase.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException | CancellationException e) {
      LOG.warn("Draining failed, closing now", e);
    } finally {
      address = null;
      destroy();
    }
    LOG.info("Stopped");
  }

  /** Closes the proxy; also when the application's start failed before the proxy's. */
  @Override
  public void destroy() {
    if (closed.compareAndSet(false, true)) {
      proxy
          .shutdown()
          .toCompletableFuture()
          .orTimeout(CLOSE.toMillis(), TimeUnit.MILLISECONDS)
          .exceptionally(failure -> {
            LOG.warn("The event loops did not end", failure);
            return null;
          })
          .join();
    }
  }

  @Override
  public boolean isRunning() {
    return address != null;
  }

  /** A proxy that was closed does not start again, which pausing a context would ask for. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  /** The last to start and the first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
