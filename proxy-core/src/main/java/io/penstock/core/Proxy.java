package io.penstock.core;

import io.penstock.core.assembly.LoopLag;
import io.penstock.core.assembly.LoopParts;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespListener;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.StatsCollector;
import io.penstock.core.assembly.TcpListener;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.change.ChangePlanner;
import io.penstock.core.change.ChangeRejectedException;
import io.penstock.core.change.ProxyChange;
import io.penstock.core.change.Retirement;
import io.penstock.core.change.Running;
import io.penstock.core.change.UpstreamTrial;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.failure.Causes;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.TotalMemory;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.StatsByName;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnavailableTransportException;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.users.AllUsers;
import io.penstock.core.users.Users;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A proxy: event loops, the control plane that queries nodes outside the data path, listeners, and
 * the upstreams that they serve. A proxy is built from its settings, started once, drained and
 * closed once. All methods are safe from any thread.
 *
 * <p>An upstream that no listener names, and that is no shadow and no copy, is not created. One
 * that consists of others creates these itself.
 */
public final class Proxy implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Proxy.class);

  /** How long a stop waits for a commit, which waits for subscriptions for a second at most. */
  private static final int COMMIT_SECONDS = 3;

  private final LoopGroup group;
  private final ControlPlane control;
  private final ProxyEvents events;
  private final RespUpstream.Common common;
  private final RespListener.Shared shared;
  private final TotalMemory memory;
  private final LoopParts<LoopLag> lags;
  private final Retirement retirement;
  private final AtomicReference<CompletableFuture<?>> lastChange =
      new AtomicReference<>(CompletableFuture.completedFuture(new ChangePlan(List.of())));
  private volatile Running running;
  private volatile CompletableFuture<?> commit =
      CompletableFuture.completedFuture(null); // the last
  private volatile boolean draining; // the proxy ends
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private Proxy(ProxySettings settings, ProxyEvents events) {
    this.group = new LoopGroup(transports(settings), settings.eventLoops(), settings.timeSlice());
    this.control = ControlPlane.create(settings.upstreams().getFirst().connectTimeout());
    this.events = events;
    this.lags = new LoopParts<>(group, 1);
    ServerFacts servers = ServerFacts.initial(CommandTable.load(settings.commands()));
    this.common = new RespUpstream.Common(group, control, servers, events, false);
    this.memory = TotalMemory.ofProcess(memoryLimit(settings));
    this.shared = new RespListener.Shared(new ClientDirectory.AllClients(memory), new AllUsers());
    this.retirement = new Retirement(control.thread(), () -> running().upstreams());
    Map<String, ProxyUpstream> upstreams = new LinkedHashMap<>();
    Map<String, ProxyListener> listeners = new LinkedHashMap<>();
    for (String name : settings.usedUpstreams()) {
      upstreams.put(name, upstream(settings.upstream(name), settings));
    }
    for (ProxySettings.Listener each : settings.listeners()) {
      ProxyUpstream upstream = Objects.requireNonNull(upstreams.get(each.upstream()));
      listeners.put(each.name(), listener(each, settings, upstream));
    }
    this.running = new Running(settings, listeners, upstreams);
    running.connectShadows();
  }

  private static List<Transport> transports(ProxySettings settings) {
    boolean unixClients =
        settings.listeners().stream()
            .anyMatch(each -> each.listen().address() instanceof ListenAddress.Unix);
    List<Transport> candidates = settings.transport().candidates(unixClients);
    List<Transport> usual = settings.transport().candidates(false);
    if (!candidates.equals(usual) && usual.getFirst().unavailability() == null) {
      log.info(
          "{} is preferred to {} because there is a listener with a Unix socket",
          candidates.getFirst().configName(),
          usual.getFirst().configName());
    }
    return candidates;
  }

  private ProxyListener listener(
      ProxySettings.Listener settings, ProxySettings all, ProxyUpstream upstream) {
    Admission admission = ProxyListener.admission(settings, all, events);
    return switch (upstream) {
      case RespUpstream resp -> new RespListener(settings, resp, group, shared, admission);
      case TcpUpstream tcp -> new TcpListener(settings, tcp, group, admission);
    };
  }

  private ProxyUpstream upstream(ProxySettings.Upstream settings, ProxySettings all) {
    return switch (settings) {
      case ProxySettings.Upstream.Resp resp -> new RespUpstream(resp, all, common, null);
      case ProxySettings.Upstream.Tcp tcp -> tcpUpstream(tcp, all);
    };
  }

  private TcpUpstream tcpUpstream(ProxySettings.Upstream.Tcp settings, ProxySettings all) {
    return new TcpUpstream(settings, all.upstreams().size() == 1, group);
  }

  private Running running() {
    return running;
  }

  /**
   * Returns the limit of client memory for the process, in bytes. Each listener has its own, and
   * the sum of these may be more than there is. 0 if the only listener's own is enough, or if one
   * has none.
   */
  private static long memoryLimit(ProxySettings settings) {
    if (settings.listeners().size() == 1) {
      return 0;
    }
    long largest = ClientLimits.memoryByDefault();
    for (ProxySettings.Listener each : settings.listeners()) {
      long own = each.listen().clients().memory();
      if (own == 0) {
        return 0;
      }
      largest = Math.max(largest, own);
    }
    return largest;
  }

  /**
   * Creates a proxy. Opens nothing before {@link #start}.
   *
   * @throws UnavailableTransportException if the transport does not work on this machine
   */
  public static Proxy create(ProxySettings settings, ProxyEvents events) {
    return new Proxy(settings, events);
  }

  /**
   * Binds all listeners and starts to discover the nodes of their upstreams. Fails with {@link
   * io.penstock.core.listener.CannotBindException} if an address cannot be bound; no listener stays
   * bound then. Does not fail if an upstream is down.
   *
   * @return a stage that completes when clients can connect
   */
  public CompletionStage<Void> start() {
    return running
        .connectCopies(null)
        .thenCompose(_ -> all(listeners(), ProxyListener::bind))
        .handle((_, failure) -> failure)
        .thenCompose(failure -> {
          if (failure != null) {
            return all(listeners(), ProxyListener::close)
                .thenCompose(_ -> CompletableFuture.failedFuture(failure));
          }
          startUpstreams();
          return CompletableFuture.completedFuture(null);
        });
  }

  private void startUpstreams() {
    logUnused(running.settings());
    upstreams().forEach(ProxyUpstream::start);
    group.loops().forEach(loop -> loop.executor().execute(() -> startLag(loop)));
  }

  private void startLag(Loop loop) {
    lags.of(loop, 0, (_, _) -> new LoopLag(loop)).start();
  }

  private void logUnused(ProxySettings settings) {
    Set<String> served = running.upstreams().keySet();
    settings.upstreams().stream()
        .filter(each -> !served.contains(each.name()))
        .filter(each -> settings.wholesOf(each).isEmpty())
        .forEach(each -> log.info("Upstream {} is not used: no listener names it", each.name()));
  }

  private static <P, T> CompletableFuture<List<T>> all(
      Collection<P> parts, Function<P, CompletableFuture<T>> action) {
    List<CompletableFuture<T>> results = new ArrayList<>();
    for (P part : parts) {
      results.add(action.apply(part));
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(_ -> results.stream().map(CompletableFuture::resultNow).toList());
  }

  /** Returns the settings in force. */
  public ProxySettings settings() {
    return running.settings();
  }

  /** Returns what {@link #apply} would do. */
  public ChangePlan plan(ProxySettings next) {
    return ChangePlanner.plan(running.settings(), next);
  }

  /**
   * Changes the settings of the running proxy: all of them, except what only a restart changes, or,
   * if the stage fails, none. Clients stay connected, unless their listener or their servers go
   * away. Changes are applied one after the other. It fails with {@link ChangeRejectedException} if
   * an upstream that answers would be replaced by one that does not, and with {@link
   * io.penstock.core.listener.CannotBindException} if an address cannot be bound.
   *
   * @return completes with what was done, when new clients and new requests follow the settings
   */
  public CompletionStage<ChangePlan> apply(ProxySettings next) {
    return afterOtherChanges(() -> change(next));
  }

  private <T> CompletableFuture<T> afterOtherChanges(Supplier<CompletableFuture<T>> change) {
    var done = new CompletableFuture<T>();
    lastChange
        .getAndSet(done)
        .handle((_, _) -> change)
        .thenComposeAsync(
            next -> isStopping() ? CompletableFuture.failedFuture(stopping()) : next.get(),
            Thread.ofVirtual()::start) // a change looks up names and makes files
        .whenComplete((result, failure) -> {
          if (failure == null) {
            done.complete(result);
          } else {
            done.completeExceptionally(Causes.unwrapped(failure));
          }
        });
    return done;
  }

  private boolean isStopping() {
    return draining || ending.get();
  }

  private static ChangeRejectedException stopping() {
    return new ChangeRejectedException("the proxy is stopping");
  }

  private CompletableFuture<ChangePlan> change(ProxySettings next) {
    ChangePlan plan = plan(next);
    Running before = running;
    var change = new ProxyChange(before, next.asRunning(before.settings()), new Parts());
    return change.prepare().thenCompose(_ -> commitUnlessStopping(change)).thenApply(_ -> plan);
  }

  /**
   * Commits a change, or abandons it if the proxy has begun to stop. The field is set before {@link
   * #isStopping} is read, and a stop does it in the other order: if the change does not see the
   * stop, the stop waits for the commit.
   */
  private CompletableFuture<Void> commitUnlessStopping(ProxyChange change) {
    var done = new CompletableFuture<Void>();
    commit = done;
    if (isStopping()) {
      done.complete(null);
      return change.abandon().thenCompose(_ -> CompletableFuture.failedFuture(stopping()));
    }
    running = change.after();
    memory.limit(memoryLimit(running.settings()));
    return CompletableFuture.completedFuture(change)
        .thenCompose(ProxyChange::commit)
        .whenComplete((_, _) -> {
          retire(change);
          done.complete(null);
        });
  }

  private void retire(ProxyChange change) {
    Duration drainTimeout = running.settings().drainTimeout();
    change.removedListeners().forEach(each -> retirement.retire(each, drainTimeout));
    change.replacedUpstreams().forEach(each -> retirement.retire(each, drainTimeout));
    logUnused(running.settings());
  }

  /**
   * Completes when no change is being committed, or soon, if a commit waits for threads that end.
   * To be called when the proxy has begun to stop.
   */
  private CompletableFuture<Void> afterCommit() {
    CompletableFuture<Void> committed = commit.handle((_, _) -> null);
    return committed.completeOnTimeout(null, COMMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Makes parts while the proxy runs. */
  private final class Parts implements ProxyChange.PartsFactory {

    @Override
    public RespUpstream upstream(
        ProxySettings.Upstream.Resp settings, ProxySettings all, @Nullable RespUpstream before) {
      return new RespUpstream(settings, all, common.forTrial(), before);
    }

    @Override
    public TcpUpstream upstream(ProxySettings.Upstream.Tcp settings, ProxySettings all) {
      return tcpUpstream(settings, all);
    }

    @Override
    public ProxyListener listener(
        ProxySettings.Listener settings, ProxySettings all, ProxyUpstream upstream) {
      return Proxy.this.listener(settings, all, upstream);
    }

    @Override
    public CompletableFuture<Void> trial(RespUpstream upstream, RespUpstream earlier) {
      return new UpstreamTrial(control.thread(), upstream, earlier).run();
    }
  }

  /**
   * Takes listeners out of service until {@link #resume}: they accept no clients, and those that
   * are connected are closed once they are answered, or after {@link ProxySettings#drainTimeout}.
   * If {@link #apply} changes the address of a listener, it is in service again.
   *
   * @param name of one listener; null for all
   * @return completes with the listeners that were in service; fails with {@link
   *     NoSuchListenerException} if none has the name
   */
  public CompletionStage<List<ProxyListener>> suspend(@Nullable String name) {
    return onListeners(
        name,
        true,
        each -> {
          log.info("Listener {} is out of service: {} clients leave", each.name(), each.clients());
          return each.suspend(running.settings().drainTimeout());
        });
  }

  /**
   * Has listeners accept clients again, at the same addresses. Fails like {@link #suspend}, and
   * with {@link io.penstock.core.listener.CannotBindException} if one cannot be bound; the others
   * are in service then.
   *
   * @return completes with the listeners that were out of service
   */
  public CompletionStage<List<ProxyListener>> resume(@Nullable String name) {
    return onListeners(
        name,
        false,
        each ->
            each.resume().thenRun(() -> log.info("Listener {} is in service again", each.name())));
  }

  private CompletableFuture<List<ProxyListener>> onListeners(
      @Nullable String name,
      boolean inService,
      Function<ProxyListener, CompletableFuture<Void>> action) {
    return afterOtherChanges(() -> {
      List<ProxyListener> concerned = new ArrayList<>();
      for (ProxyListener each : named(name)) {
        if (each.isInService() == inService) {
          concerned.add(each);
        }
      }
      return all(concerned, action).thenApply(_ -> concerned);
    });
  }

  /** Returns the listener with this name, or all. */
  private List<ProxyListener> named(@Nullable String name) {
    if (name == null) {
      return listeners();
    }
    ProxyListener found = running.listeners().get(name);
    if (found == null) {
      throw new NoSuchListenerException(name);
    }
    return List.of(found);
  }

  /**
   * Closes clients at once, like {@code CLIENT KILL}, which concerns one listener only.
   *
   * @param listener name of their listener; null for all listeners, also those that were removed
   *     and have clients
   * @param options of that command, such as {@code user} and its name; at least one
   * @return completes with the number of clients on one of the event loops
   * @throws NoSuchListenerException if no listener has the name
   * @throws IllegalArgumentException if an option is unknown or its value is not valid
   */
  public CompletionStage<Integer> kill(@Nullable String listener, Map<String, String> options) {
    if (isStopping()) {
      return CompletableFuture.failedFuture(stopping());
    }
    if (options.isEmpty()) {
      throw new IllegalArgumentException("an option is needed");
    }
    List<ProxyListener> concerned = listener == null ? allWithClients() : named(listener);
    return all(concerned, each -> each.kill(options))
        .thenApply(numbers -> numbers.stream().mapToInt(Integer::intValue).sum());
  }

  /** Returns the listeners, in the order of the settings. */
  public List<ProxyListener> listeners() {
    return List.copyOf(running.listeners().values());
  }

  private List<ProxyListener> allWithClients() {
    return Stream.concat(listeners().stream(), retirement.listeners().stream()).toList();
  }

  /**
   * Returns the upstreams that a listener names, in the order of the first that does; then shadows
   * and copies.
   */
  public List<ProxyUpstream> upstreams() {
    return List.copyOf(running.upstreams().values());
  }

  /** Returns the users of the listeners, once for each section of the configuration. */
  public List<Users> users() {
    return shared.users().all();
  }

  /** Returns those of the {@link #upstreams} whose servers speak RESP. */
  public List<RespUpstream> respUpstreams() {
    return respUpstreams(running);
  }

  private static List<RespUpstream> respUpstreams(Running now) {
    return now.upstreams().values().stream()
        .<RespUpstream>mapMulti((upstream, each) -> {
          if (upstream instanceof RespUpstream resp) {
            each.accept(resp);
          }
        })
        .toList();
  }

  /** The upstream that methods without a name of an upstream refer to: the first with RESP. */
  private RespUpstream first() {
    return respUpstreams().getFirst();
  }

  /** Returns whether all listeners are ready. */
  public boolean isReady() {
    return listeners().stream().allMatch(ProxyListener::isReady);
  }

  /** Returns {@link RespUpstream#status} of the first listener's upstream. */
  public UpstreamStatus upstreamStatus() {
    return first().status();
  }

  /** Returns the name of the transport in use, for example {@code epoll}. Never {@code auto}. */
  public String transportName() {
    return group.transport().configName();
  }

  /** Returns {@link RespUpstream#topology} of the first listener's upstream. */
  public Placement topology() {
    return first().topology();
  }

  /** Returns {@link RespUpstream#servers} of the first listener's upstream. */
  public ServerFacts servers() {
    return first().servers();
  }

  /** Returns {@link RespUpstream#topologyStatus} of the first listener's upstream. */
  public TopologyStatus topologyStatus() {
    return first().topologyStatus();
  }

  /** Returns {@link RespUpstream#reachability} of the first listener's upstream. */
  public Reachability reachability() {
    return first().reachability();
  }

  /** Returns the statistics of all listeners and upstreams. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return statsByName().thenApply(StatsByName::sum);
  }

  /**
   * Returns the statistics of each listener, and of each upstream with RESP. Completes on one of
   * the event loops.
   */
  public CompletionStage<StatsByName> statsByName() {
    Running now = running;
    CompletableFuture<Map<String, ProxyStats>> ofListeners =
        all(now.listeners().values(), ProxyListener::figures)
            .thenApply(stats -> byName(now.listeners().keySet(), stats));
    List<RespUpstream> upstreams = respUpstreams(now);
    CompletableFuture<Map<String, ProxyStats>> ofUpstreams =
        all(upstreams, this::figures)
            .thenApply(
                stats -> byName(upstreams.stream().map(ProxyUpstream::name).toList(), stats));
    return ofListeners
        .thenCombine(ofUpstreams, (each, other) -> new StatsByName(each, other, ProxyStats.NONE))
        .thenCombine(
            lags.collect(LoopLag::stats),
            (stats, loops) ->
                new StatsByName(
                    stats.listeners(), stats.upstreams(), StatsCollector.ofLoops(loops)));
  }

  /** Returns the statistics of an upstream with those that it replaces and that have clients. */
  private CompletableFuture<ProxyStats> figures(RespUpstream upstream) {
    CompletableFuture<ProxyStats> sum = upstream.figures();
    for (RespUpstream earlier : retirement.earlier(upstream.name())) {
      sum = sum.thenCombine(earlier.figures(), ProxyStats::plus);
    }
    return sum;
  }

  private static Map<String, ProxyStats> byName(Collection<String> names, List<ProxyStats> stats) {
    Map<String, ProxyStats> byName = new LinkedHashMap<>();
    Iterator<ProxyStats> each = stats.iterator();
    names.forEach(name -> byName.put(name, each.next()));
    return byName;
  }

  /**
   * Stops accepting clients, answers the requests in flight, and closes each client after its last
   * reply. Then copies get the writes that wait for them.
   *
   * @return a stage that completes when all clients are closed and nothing waits, or after {@code
   *     grace}
   */
  public CompletionStage<Void> drain(Duration grace) {
    draining = true;
    return afterCommit()
        .thenCompose(_ -> all(allWithClients(), ProxyListener::drain))
        .thenCompose(_ -> all(respUpstreams(), each -> each.emptyCopies(grace)))
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
    CompletableFuture<?> closed =
        afterCommit()
            .thenCompose(_ -> all(allWithClients(), ProxyListener::close))
            .thenRun(() -> respUpstreams().forEach(RespUpstream::closeCopies))
            .thenCompose(_ -> retirement.close())
            .thenCompose(_ -> all(upstreams(), ProxyUpstream::close));
    CompletionStage<Void> controlClosed = control.close();
    return closed.thenCompose(_ -> controlClosed).thenCompose(_ -> group.shutdown());
  }

  /** Like {@link #shutdown}, without waiting for the end. */
  @Override
  public void close() {
    shutdown();
  }
}
