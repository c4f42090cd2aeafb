package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Backend;
import io.penstock.core.assembly.ProxySettings.Listen;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.change.ChangeRejectedException;
import io.penstock.core.command.CommandRules;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.CannotBindException;
import io.penstock.core.listener.ListenAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Changes the settings of a proxy at random, again and again, on a thread of its own, while a test
 * goes on: connections to nodes, limits on clients, rules, another listener that comes and goes.
 * One change in five is invalid. No client has to notice any of it. {@code -Dpenstock.seed} makes
 * other changes.
 */
public final class BackgroundChanges implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST = 20_000;
  private static final long SEED = Long.getLong("penstock.seed", 31);

  /** A command that no test calls. */
  private static final CommandRules RULES = CommandRules.of(List.of(), List.of("lolwut"));

  private final Random random = new Random(SEED);
  private final Proxy proxy;
  private final ProxySettings start;
  private final AtomicInteger applied = new AtomicInteger();
  private final AtomicInteger rejected = new AtomicInteger();
  private final CompletableFuture<Void> done;
  private volatile boolean stopped;

  private BackgroundChanges(Proxy proxy) {
    this.proxy = proxy;
    this.start = proxy.settings();
    System.out.println("random changes: -Dpenstock.seed=" + SEED);
    this.done = CompletableFuture.runAsync(this::run, Thread.ofPlatform()::start);
  }

  public static BackgroundChanges of(Proxy proxy) {
    return new BackgroundChanges(proxy);
  }

  private void run() {
    for (int i = 0; i < MOST && !stopped; i++) {
      if (random.nextInt(5) == 0) {
        applyInvalid();
      } else {
        apply();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void apply() {
    Throwable failure = failureOf(next(random.nextBoolean() ? extra(0) : null));
    if (failure == null) {
      applied.incrementAndGet();
    } else if (!(failure instanceof ChangeRejectedException)) { // while no node answers
      throw new AssertionError("a change of seed " + SEED + " failed", failure);
    }
  }

  /** Applies a change of which one part cannot be done. */
  private void applyInvalid() {
    ProxySettings before = proxy.settings();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(failureOf(next(extra(taken.getLocalPort()))))
          .as("seed %d", SEED)
          .isInstanceOfAny(CannotBindException.class, ChangeRejectedException.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(proxy.plan(before).isEmpty()).as("seed %d", SEED).isTrue();
    rejected.incrementAndGet();
  }

  /** Applies settings; returns why that has failed, or null. */
  private @Nullable Throwable failureOf(ProxySettings settings) {
    try {
      proxy.apply(settings).toCompletableFuture().get(1, TimeUnit.MINUTES);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("a change did not end", e);
    }
  }

  private ProxySettings next(@Nullable Listener extra) {
    List<Listener> listeners =
        new ArrayList<>(start.listeners().stream().map(this::changed).toList());
    if (extra != null) {
      listeners.add(extra);
    }
    return new ProxySettings(
        listeners,
        start.respUpstreams().stream().<Upstream>map(this::changed).toList(),
        start.shadows(),
        start.mirrors(),
        start.dispatch(),
        random.nextBoolean() ? start.commands() : RULES,
        start.transport(),
        start.eventLoops(),
        start.timeSlice(),
        start.drainTimeout());
  }

  private Listener changed(Listener listener) {
    Listen listen = listener.listen();
    AcceptSettings arrivals = listen.arrivals();
    ClientLimits clients = listen.clients();
    return new Listener(
        listener.name(),
        listener.upstream(),
        new Listen(
            listen.address(),
            listen.maxClients() + random.nextInt(100),
            listen.password(),
            Duration.ofSeconds(random.nextInt(60)),
            listen.maxBulkLength() + random.nextInt(1_000),
            new AcceptSettings(
                random.nextInt(2) * 10_000,
                Duration.ofMinutes(1 + random.nextInt(9)),
                arrivals.proxyProtocol(),
                arrivals.tls()),
            new ClientLimits(
                clients.normal(),
                clients.subscribers(),
                clients.memory() - random.nextInt(1_000),
                clients.timeouts(),
                clients.inFlight() + random.nextInt(100),
                clients.totalInFlight(),
                clients.patterns() - random.nextInt(100)),
            listen.crossSlot(),
            null),
        listener.facade());
  }

  /** Returns a listener like the first one, at another port. */
  private Listener extra(int port) {
    Listener first = start.listeners().getFirst();
    Listen listen = first.listen();
    return new Listener(
        "extra",
        first.upstream(),
        new Listen(
            new ListenAddress.Tcp("127.0.0.1", port),
            listen.maxClients(),
            listen.password(),
            listen.passwordOverlap(),
            listen.maxBulkLength(),
            listen.arrivals(),
            listen.clients(),
            listen.crossSlot(),
            null),
        first.facade());
  }

  private Upstream.Resp changed(Upstream.Resp upstream) {
    Backend backend = upstream.backend();
    return new Upstream.Resp(
        upstream.name(),
        upstream.kind(),
        new Backend(
            backend.connectTimeout(),
            backend.commandTimeout().plusMillis(random.nextInt(50)),
            1 + random.nextInt(3),
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

  /** Returns how many invalid changes have been rejected. */
  public int rejected() {
    return rejected.get();
  }

  /** Stops; throws if a change failed, or an invalid one did not. */
  @Override
  public void close() {
    stopped = true;
    ProxyFixture.await(done);
  }
}
