package io.penstock.core.topology;

import io.penstock.core.control.Outage;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Upstream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topology of a single node that has all keys, at one address. There are no redirects (a
 * cluster node must be configured with a {@code redis-cluster://} URL) and no refreshes.
 *
 * <p>If the server rejects a write because it is a replica, its address may lead to another server
 * by now: its name has another address, for example. A new connection asks for the role. If a
 * master answers, the placement has another {@linkplain Endpoint#successor node} of the same
 * address, so that all requests go over new connections, and those under way end as in a failover.
 */
public final class StaticTopology implements Upstream {

  private static final Logger LOG = LoggerFactory.getLogger(StaticTopology.class);

  /** Time between two questions while the server rejects writes. */
  static final Duration ASK_PERIOD = Duration.ofSeconds(1);

  /** Time after a change: an address that leads to several servers must not cause it often. */
  static final Duration CHANGE_PERIOD = Duration.ofSeconds(10);

  private final @Nullable RoleCheck check; // null: no server is asked
  private final AtomicBoolean mayAsk = new AtomicBoolean(true);
  private volatile SinglePlacement placement;
  private volatile boolean closed;

  /**
   * What finds out whether the address leads to another server.
   *
   * @param isMaster asks the server that a new connection reaches
   * @param logPrefix what log lines begin with
   */
  record Environment(
      TopologyThread thread,
      Function<Endpoint, CompletionStage<Boolean>> isMaster,
      LogPrefix logPrefix) {}

  /**
   * What a topology that asks for roles has in addition.
   *
   * @param rejections for the rate of log lines
   */
  private record RoleCheck(Environment around, Outage rejections, TopologyReports reports) {

    static RoleCheck in(Environment around) {
      return new RoleCheck(
          around,
          new Outage(around.thread::nanoTime),
          new TopologyReports(around.thread, ProxyEvents.NONE));
    }
  }

  public StaticTopology(Endpoint server) {
    this(server, List.of(), null);
  }

  StaticTopology(Endpoint master, List<Endpoint> replicas, @Nullable Environment environment) {
    this.placement = new SinglePlacement(new Shard(master, replicas, 0));
    this.check = environment == null ? null : RoleCheck.in(environment);
  }

  @Override
  public Placement current() {
    return placement;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return ErrorPolicy.SINGLE;
  }

  /** {@inheritDoc} The thread is the topology thread. */
  @Override
  public void onChange(Consumer<Placement> listener) {
    if (check != null) {
      check.reports.onChange(listener);
    }
  }

  @Override
  public void demoted(Endpoint node) {
    if (check != null && !closed && mayAsk.compareAndSet(true, false)) {
      check.around.thread.execute(() -> ask(check, node));
    }
  }

  private void ask(RoleCheck with, Endpoint node) {
    if (!node.equals(placement.shard().master())) {
      mayAsk.set(true); // an earlier one: it is not used any more
      return;
    }
    Environment around = with.around;
    Stages.call(() -> around.isMaster.apply(node))
        .whenComplete((isMaster, failure) ->
            around.thread.execute(() -> {
              boolean changes = failure == null && isMaster && !closed;
              if (changes) {
                change(with, node);
              } else {
                logRejections(with, node, failure);
              }
              around.thread.runAfter(changes ? CHANGE_PERIOD : ASK_PERIOD, () -> mayAsk.set(true));
            }));
  }

  private void change(RoleCheck with, Endpoint node) {
    LOG.warn(
        "{}{} rejects writes (READONLY): it is a replica. Its address leads to a master now:"
            + " connecting anew",
        with.around.logPrefix,
        node);
    placement = new SinglePlacement(new Shard(node.successor(), placement.shard().replicas(), 0));
    with.rejections.recordSuccess();
    with.reports.changed(placement);
  }

  private void logRejections(RoleCheck with, Endpoint node, @Nullable Throwable failure) {
    if (!closed && with.rejections.recordFailure()) {
      LOG.warn(
          "{}{} rejects writes (READONLY): it is a replica, and its address leads to no master: {}",
          with.around.logPrefix,
          node,
          failure == null ? "a new connection reaches a replica" : Outage.reason(failure));
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
