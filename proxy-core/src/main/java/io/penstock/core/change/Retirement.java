package io.penstock.core.change;

import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.StatsCollector;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.control.TopologyThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that a change of the settings has replaced or removed, until their last client has left
 * them. While the servers of an upstream stay the right ones, clients that are blocked, or in a
 * transaction, may keep it for as long as they are; other clients are closed after some time.
 * Checked on the topology thread while there are any. Safe from any thread.
 */
public final class Retirement {

  private static final Logger log = LoggerFactory.getLogger(Retirement.class);

  private static final Duration PERIOD = Duration.ofMillis(100);

  /** Most earlier upstreams of one name that keep clients without a limit of time. */
  private static final int MOST_EARLIER = 4;

  private final TopologyThread thread;
  private final Supplier<Map<String, ProxyUpstream>> running;
  private final List<Leaving> leaving = new CopyOnWriteArrayList<>();
  private final List<ProxyListener> listeners = new CopyOnWriteArrayList<>();
  private boolean scheduled; // on the topology thread

  /**
   * @param running returns the upstreams in use, by name
   */
  public Retirement(TopologyThread thread, Supplier<Map<String, ProxyUpstream>> running) {
    this.thread = thread;
    this.running = running;
  }

  /** An upstream that new clients do not use. Confined to the topology thread. */
  private static final class Leaving {

    private final ProxyUpstream upstream;
    private final Duration drainTimeout;
    private boolean isDrained; // its clients have been told to leave
    private @Nullable Long deadline; // at which they are; null for none
    private boolean checking;

    Leaving(ProxyUpstream upstream, Duration drainTimeout) {
      this.upstream = upstream;
      this.drainTimeout = drainTimeout;
    }
  }

  /** Closes a listener after its clients: they are answered, and have some time for it. */
  public void retire(ProxyListener listener, Duration drainTimeout) {
    listeners.add(listener);
    listener
        .drain()
        .completeOnTimeout(null, drainTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .thenCompose(_ -> listener.close())
        .whenComplete((_, failure) -> {
          listeners.remove(listener);
          logFailure(failure);
        });
  }

  /** Returns the removed listeners that have clients. */
  public List<ProxyListener> listeners() {
    return List.copyOf(listeners);
  }

  /**
   * Closes an upstream after its clients.
   *
   * @param drainTimeout how long clients that stay may take, if another has its name and other
   *     servers, or none has its name
   */
  public void retire(ProxyUpstream upstream, Duration drainTimeout) {
    leaving.add(new Leaving(upstream, drainTimeout));
    thread.execute(this::schedule);
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      thread.runAfter(PERIOD, this::check);
    }
  }

  private void check() {
    scheduled = false;
    for (Leaving each : leaving) {
      if (!each.checking) {
        each.checking = true;
        each.upstream
            .isUsed()
            .whenComplete((used, failure) -> thread.execute(() -> onChecked(each, used, failure)));
      }
    }
    if (!leaving.isEmpty()) {
      schedule();
    }
  }

  private void onChecked(Leaving each, @Nullable Boolean used, @Nullable Throwable failure) {
    each.checking = false;
    if (failure != null) {
      logFailure(failure);
    } else if (used == null || !used) {
      close(each);
    } else {
      limitTime(each, thread.nanoTime());
    }
  }

  private void limitTime(Leaving each, long now) {
    Long deadline = each.deadline;
    if (!each.isDrained && mayStay(each)) {
      each.deadline = null;
    } else if (deadline == null) {
      each.deadline = now + each.drainTimeout.toNanos();
    } else if (now - deadline >= 0) {
      if (each.isDrained) {
        close(each);
      } else {
        each.isDrained = true;
        each.deadline = now + each.drainTimeout.toNanos();
        each.upstream.drainLaggards();
      }
    }
  }

  /** Whether its servers have stayed the right ones, and it is one of the latest of its name. */
  private boolean mayStay(Leaving each) {
    ProxyUpstream latest = running.get().get(each.upstream.name());
    long later =
        leaving.stream()
            .skip(leaving.indexOf(each) + 1L)
            .filter(other -> other.upstream.name().equals(each.upstream.name()))
            .count();
    return latest != null && latest.hasServersOf(each.upstream) && later < MOST_EARLIER;
  }

  private void close(Leaving each) {
    if (leaving.remove(each)) {
      each.upstream
          .close()
          .thenCompose(_ -> bequeath(each.upstream))
          .whenComplete((_, failure) -> logFailure(failure));
    }
  }

  private CompletableFuture<Void> bequeath(ProxyUpstream closed) {
    return switch (closed) {
      case RespUpstream resp ->
          resp.inheritance().thenAccept(counts -> bequeath(resp.name(), counts));
      case TcpUpstream _ -> CompletableFuture.completedFuture(null);
    };
  }

  private void bequeath(String name, StatsCollector.UpstreamFigures counts) {
    if (running.get().get(name) instanceof RespUpstream heir) {
      heir.inherit(counts);
    }
  }

  private static void logFailure(@Nullable Throwable failure) {
    if (failure != null) {
      log.error("A part that the settings do not have any more could not be closed", failure);
    }
  }

  /** Returns those with this name whose servers speak RESP, oldest first. */
  public List<RespUpstream> earlier(String name) {
    return leaving.stream()
        .map(each -> each.upstream)
        .filter(upstream -> upstream.name().equals(name))
        .<RespUpstream>mapMulti((upstream, each) -> {
          if (upstream instanceof RespUpstream resp) {
            each.accept(resp);
          }
        })
        .toList();
  }

  /** Closes all at once. */
  public CompletableFuture<Void> close() {
    List<CompletableFuture<Void>> closed = new ArrayList<>();
    for (Leaving each : leaving) {
      closed.add(each.upstream.close());
    }
    leaving.clear();
    return CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new));
  }
}
