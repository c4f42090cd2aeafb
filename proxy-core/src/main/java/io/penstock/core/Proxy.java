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
 * A proxy: event loops, the control plane that asks nodes beside the data path, and the services
 * that run on them; for now there is one. Assembled from its settings, started once, drained and
 * closed once. Methods are safe from any thread.
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
   * Builds a proxy; nothing is opened before {@link #start}.
   *
   * @throws UnavailableTransportException when the transport does not work on this machine
   */
  public static Proxy create(ProxySettings settings, ProxyEvents events) {
    return new Proxy(settings, events);
  }

  /** The one that questions without a name are about. */
  private Service first() {
    return services.getFirst();
  }

  /**
   * Binds and begins to look for the topology. Fails with {@link
   * io.penstock.core.listener.CannotBindException} when the address cannot be bound; a cluster that
   * is down does not fail it.
   *
   * @return completes with the address that clients connect to
   */
  public CompletionStage<InetSocketAddress> start() {
    return onEachService(Service::start).thenApply(List::getFirst);
  }

  private <T> CompletableFuture<List<T>> onEachService(
      Function<Service, CompletionStage<T>> question) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (Service service : services) {
      answers.add(question.apply(service).toCompletableFuture());
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }

  /** Listening, and the master of a slot at least answers. */
  public boolean isReady() {
    return services.stream()
        .allMatch(each -> each.isListening() && each.upstreamStatus().coveredSlots() > 0);
  }

  /** Which slots can be served right now, and which nodes answer. */
  public UpstreamStatus upstreamStatus() {
    return first().upstreamStatus();
  }

  /** The transport in use, after {@code auto} was decided, for example {@code epoll}. */
  public String transportName() {
    return group.transport().configName();
  }

  /** The newest topology snapshot. */
  public Placement topology() {
    return first().upstream().current();
  }

  /** The lowest of the nodes' versions, and all commands, as far as nodes have answered. */
  public ServerFacts servers() {
    return first().servers();
  }

  /** What is known about the cluster's members and the last refresh. */
  public TopologyStatus topologyStatus() {
    return first().upstream().status();
  }

  /** Whether nodes let Penstock in, and why not. */
  public Reachability reachability() {
    return first().reachability();
  }

  /** Sums the figures of all services; completes on one of the loops. */
  public CompletionStage<ProxyStats> stats() {
    return onEachService(Service::figures)
        .thenApply(figures -> collector.sum(figures.stream().flatMap(List::stream).toList()));
  }

  /**
   * Stops accepting, answers what is in flight and closes each client when it has its replies.
   *
   * @return completes when all clients are gone, or after {@code grace}
   */
  public CompletionStage<Void> drain(Duration grace) {
    return onEachService(Service::drain)
        .<Void>thenApply(_ -> null)
        .completeOnTimeout(null, grace.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Closes everything at once. Further calls answer as the first does.
   *
   * @return completes when the event loops have ended
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

  /** As {@link #shutdown}, without waiting for the end. */
  @Override
  public void close() {
    shutdown();
  }
}
