package io.penstock.core.assembly;

import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ClientService;
import io.penstock.core.listener.LoopService;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.session.ClientAddress;
import io.penstock.core.tcp.TcpClients;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A listener for clients of a TCP upstream: each has a server of its own. All methods are safe from
 * any thread.
 */
public final class TcpListener extends ProxyListener {

  private static final Set<String> OPTIONS =
      Set.of("id", "addr", "laddr", "user", "type", "maxage");

  private final LoopGroup group;
  private final Admission admission;
  private final Map<CloseReason, LongAdder> closed = new EnumMap<>(CloseReason.class);
  private final List<Serving> leaving = new CopyOnWriteArrayList<>();
  private final ClientService service = new Service();
  private volatile Serving serving;

  /** The settings in force, and the clients that have come since. Replaced as a whole. */
  private record Serving(
      ProxySettings.Listener settings, TcpUpstream upstream, LoopParts<TcpClients> loops) {}

  public TcpListener(
      ProxySettings.Listener settings, TcpUpstream upstream, LoopGroup group, Admission admission) {
    super(group, admission, settings);
    this.group = group;
    this.admission = admission;
    for (CloseReason reason : CloseReason.values()) {
      closed.put(reason, new LongAdder());
    }
    this.serving = begin(settings, upstream);
  }

  private Serving begin(ProxySettings.Listener settings, TcpUpstream upstream) {
    LoopParts<TcpClients> loops = new LoopParts<>(group, 1);
    upstream.add(loops);
    return new Serving(settings, upstream, loops);
  }

  /** A client above the limit is closed without a word: no protocol is known. */
  private final class Service implements ClientService {

    @Override
    public LoopService on(EventLoop executor) {
      Serving now = serving;
      for (Loop loop : group.loops()) {
        if (loop.executor().equals(executor)) {
          return new OnLoop(now.loops().of(loop, 0, (_, _) -> make(now, loop)));
        }
      }
      throw new IllegalArgumentException("not a loop of this proxy");
    }

    @Override
    public byte @Nullable [] rejection() {
      return null;
    }
  }

  private TcpClients make(Serving now, Loop loop) {
    return new TcpClients(
        group, loop, now.upstream().servers(), ClientAddress::of, this::countClose);
  }

  private void countClose(CloseReason why) {
    LongAdder count = closed.get(why);
    if (count != null) {
      count.increment();
    }
  }

  private record OnLoop(TcpClients clients) implements LoopService {

    @Override
    public ChannelHandler handler(@Nullable String user) {
      return clients.newHandler();
    }

    @Override
    public void countClose(CloseReason why) {
      clients.countClose(why);
    }
  }

  @Override
  ClientService service() {
    return service;
  }

  @Override
  public ProxySettings.Listener settings() {
    return serving.settings();
  }

  @Override
  public TcpUpstream upstream() {
    return serving.upstream();
  }

  @Override
  public boolean canServe(ProxyUpstream other) {
    return other instanceof TcpUpstream;
  }

  @Override
  public CompletableFuture<ProxyStats> figures() {
    Map<CloseReason, Long> counts = new EnumMap<>(CloseReason.class);
    closed.forEach((reason, count) -> counts.put(reason, count.sum()));
    return CompletableFuture.completedFuture(StatsCollector.ofTcpListener(admission, counts));
  }

  /** Clients keep their upstream: those of another one are closed after some time. */
  @Override
  public CompletableFuture<Void> adopt(
      ProxySettings.Listener next, ProxyUpstream other, Duration drainTimeout) {
    if (!(other instanceof TcpUpstream upstream)) {
      throw new IllegalArgumentException("not an upstream of this listener");
    }
    Serving before = serving;
    if (upstream.equals(before.upstream())) {
      serving = new Serving(next, upstream, before.loops());
    } else {
      serving = begin(next, upstream);
      leave(before, drainTimeout);
    }
    adopt(next.listen());
    return CompletableFuture.completedFuture(null);
  }

  /** Closes clients that new ones do not join, after some time. */
  private void leave(Serving before, Duration drainTimeout) {
    leaving.add(before);
    new CompletableFuture<Void>()
        .completeOnTimeout(null, drainTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .thenCompose(_ -> closeAll(before))
        .thenRun(() -> leaving.remove(before));
  }

  private static CompletableFuture<Void> closeAll(Serving some) {
    return some.loops()
        .run(TcpClients::closeAll)
        .thenRun(() -> some.upstream().remove(some.loops()));
  }

  @Override
  public CompletableFuture<Void> suspend(Duration drainTimeout) {
    return stopAccepting()
        .thenCompose(_ -> serving.loops().run(_ -> {})) // clients on their way are there then
        .thenRun(() -> {
          Serving before = serving;
          serving = begin(before.settings(), before.upstream());
          leave(before, drainTimeout);
        });
  }

  /**
   * Clients have an address, but no id, user or type: options about these match none.
   *
   * @throws IllegalArgumentException if an option is unknown or its value is not valid
   */
  @Override
  public CompletableFuture<Integer> kill(Map<String, String> options) {
    for (String option : options.keySet()) {
      if (!OPTIONS.contains(option)) {
        throw new IllegalArgumentException("no option is named " + option);
      }
    }
    if (!Set.of("addr", "laddr", "maxage").containsAll(options.keySet())) {
      return CompletableFuture.completedFuture(0);
    }
    long age = leastAge(options.get("maxage"));
    CompletableFuture<Integer> killed = CompletableFuture.completedFuture(0);
    for (Serving each : all()) {
      killed =
          killed.thenCombine(
              each.loops()
                  .collect(clients -> clients.kill(options.get("addr"), options.get("laddr"), age)),
              (sum, numbers) -> sum + numbers.stream().mapToInt(Integer::intValue).sum());
    }
    return killed;
  }

  private static long leastAge(@Nullable String seconds) {
    if (seconds == null) {
      return 0;
    }
    if (!seconds.matches("\\d{1,9}")) {
      throw new IllegalArgumentException("maxage is not a number of seconds");
    }
    return TimeUnit.SECONDS.toNanos(Long.parseLong(seconds));
  }

  private List<Serving> all() {
    return Stream.concat(leaving.stream(), Stream.of(serving)).toList();
  }

  /** When a client has finished cannot be known: each may stay until it goes. */
  @Override
  public CompletableFuture<Void> drain() {
    return stopAccepting().thenCompose(_ -> admission.whenEmpty());
  }

  @Override
  public CompletableFuture<Void> close() {
    CompletableFuture<Void> closing = stopAccepting();
    for (Serving each : all()) {
      closing = closing.thenCompose(_ -> closeAll(each));
    }
    return closing;
  }
}
