package io.penstock.core;

import io.penstock.core.command.ServerFacts;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.UnavailableTransportException;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.TopologyStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A proxy: event loops, the control plane that queries nodes outside the data path, and the
 * services that run on them. For now there is one service. A proxy is built from its settings,
 * started once, drained and closed once. All methods are safe from any thread.
 */
public final class Proxy implements AutoCloseable {

  private final LoopGroup group;
  private final ControlPlane control;
  private final List<Service> services;
  private final StatsCollector collector;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private Proxy(ProxySettings settings, ProxyEvents events) {
    this.group = new LoopGroup(settings.transport(), settings.eventLoops(), settings.timeSlice());
    this.control = ControlPlane.create(settings.backend().connectTimeout());
    this.services = List.of(new Service(settings, group, control, events));
    this.collector =
        new StatsCollector(
            services.stream().map(Service::admission).toList(),
            services.stream().map(Service::audience).toList());
  }

  /**
   * Creates a proxy. Opens nothing before {@link #start}.
   *
   * @throws UnavailableTransportException if the transport does not work on this machine
   */
  public static Proxy create(ProxySettings settings, ProxyEvents events) {
    return new Proxy(settings, events);
  }

  /** The service that methods without a service name refer to. */
  private Service first() {
    return services.getFirst();
  }

  /**
   * Binds the listener and starts to refresh the topology. Fails with {@link
   * io.penstock.core.listener.CannotBindException} if the address cannot be bound. Does not fail if
   * the cluster is down.
   *
   * @return a stage that completes with the address that clients connect to
   */
  public CompletionStage<InetSocketAddress> start() {
    return onEachService(Service::start).thenApply(List::getFirst);
  }

  private <T> CompletableFuture<List<T>> onEachService(
      Function<Service, CompletionStage<T>> action) {
    List<CompletableFuture<T>> results = new ArrayList<>();
    for (Service service : services) {
      results.add(action.apply(service).toCompletableFuture());
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(_ -> results.stream().map(CompletableFuture::resultNow).toList());
  }

  /** Returns whether the listener is open and the master of at least one slot answers. */
  public boolean isReady() {
    return services.stream()
        .allMatch(each -> each.isListening() && each.upstreamStatus().coveredSlots() > 0);
  }

  /** Returns which slots can be served now, and which nodes answer. */
  public UpstreamStatus upstreamStatus() {
    return first().upstreamStatus();
  }

  /** Returns the name of the transport in use, for example {@code epoll}. Never {@code auto}. */
  public String transportName() {
    return group.transport().configName();
  }

  /** Returns the latest topology snapshot. */
  public Placement topology() {
    return first().upstream().current();
  }

  /** Returns the lowest version of all nodes that have answered, and all commands known so far. */
  public ServerFacts servers() {
    return first().servers();
  }

  /** Returns the known members of the cluster and the result of the last refresh. */
  public TopologyStatus topologyStatus() {
    return first().upstream().status();
  }

  /** Returns whether nodes accept Penstock's connections, and if not, why. */
  public Reachability reachability() {
    return first().reachability();
  }

  /** Returns the statistics of all services, summed. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return onEachService(Service::figures)
        .thenApply(figures -> collector.sum(figures.stream().flatMap(List::stream).toList()));
  }

  /**
   * Stops accepting clients, answers the requests in flight, and closes each client after its last
   * reply.
   *
   * @return a stage that completes when all clients are closed, or after {@code grace}
   */
  public CompletionStage<Void> drain(Duration grace) {
    return onEachService(Service::drain)
        .<Void>thenApply(_ -> null)
        .completeOnTimeout(null, grace.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Closes everything at once. Later calls return the same stage as the first.
   *
   * @return a stage that completes when the event loops have ended
   */
  public CompletionStage<Void> shutdown() {
    if (ending.compareAndSet(false, true)) {
      end().whenComplete((_, _) -> ended.complete(null));
    }
    return ended;
  }

  private CompletionStage<Void> end() {
    CompletableFuture<?> servicesClosed = onEachService(Service::close);
    CompletionStage<Void> controlClosed = control.close();
    return servicesClosed.thenCompose(_ -> controlClosed).thenCompose(_ -> group.shutdown());
  }

  /** Like {@link #shutdown}, without waiting for the end. */
  @Override
  public void close() {
    shutdown();
  }
}
