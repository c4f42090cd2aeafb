package io.penstock.core.copies;

import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.copies.CopyTask.Result;
import io.penstock.core.discovery.ClusterTopology;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.side.Side;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Upstream;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The queue of one copy over a real dispatcher, with repairs that are only recorded. */
final class CopyRig implements AutoCloseable {

  private static final boolean SYNC = "sync".equals(System.getProperty("penstock.dispatch"));

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final Loop loop = group.loops().getFirst();
  private final @Nullable ControlPlane control;
  private final Upstream upstream;
  private final Dispatcher dispatcher;
  private final Queue<Repair> repairs = new ConcurrentLinkedQueue<>();
  final CopyQueue queue;

  /** What the queue wants to have copied again. */
  record Repair(int database, String key, Consumer<Boolean> done) {}

  private CopyRig(
      @Nullable ControlPlane control, Upstream upstream, Duration timeout, MirrorSettings limits) {
    this.control = control;
    this.upstream = upstream;
    var settings =
        new BackendSettings(
            timeout,
            timeout,
            2,
            8,
            8,
            10_000,
            QueueLimits.DEFAULTS,
            ReadSettings.MASTER_ONLY,
            Label.ONLY);
    dispatcher =
        SYNC
            ? new SyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE)
            : new AsyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE);
    upstream.onChange(_ -> loop.executor().execute(dispatcher::adoptPlacement));
    loop.executor()
        .scheduleAtFixedRate(() -> dispatcher.tick(loop.tick()), 10, 10, TimeUnit.MILLISECONDS);
    var side = new Side(dispatcher, upstream, timeout.toNanos());
    queue =
        new CopyQueue(
            0,
            "copy",
            loop,
            side,
            limits,
            (_, database, keys, done) ->
                keys.forEach(key -> repairs.add(new Repair(database, Wire.text(key), done))));
  }

  static MirrorSettings limits(int requests) {
    return new MirrorSettings(ReplyPolicy.PRIMARY, requests, 256 << 20);
  }

  static CopyRig of(ServerProcess server, Duration timeout, MirrorSettings limits) {
    var upstream = new StaticTopology(new Endpoint(server.host(), server.port()));
    return new CopyRig(null, upstream, timeout, limits);
  }

  static CopyRig of(int port, Duration timeout, MirrorSettings limits) {
    var upstream = new StaticTopology(new Endpoint("127.0.0.1", port));
    return new CopyRig(null, upstream, timeout, limits);
  }

  static CopyRig of(ServerProcess server) {
    return of(server, Duration.ofSeconds(5), limits(1_000_000));
  }

  static CopyRig of(EmbeddedCluster cluster) {
    ControlPlane control = ControlPlane.create(Duration.ofSeconds(1));
    List<Endpoint> seeds =
        cluster.members().stream().map(each -> new Endpoint(each.host(), each.port())).toList();
    var topology =
        ClusterTopology.create(
            new TopologySettings(
                seeds, Duration.ofSeconds(1), Duration.ofSeconds(60), Duration.ofMillis(100)),
            control,
            ProxyEvents.NONE);
    topology.start();
    await().until(() -> topology.current().isFullyCovered());
    return new CopyRig(control, topology, Duration.ofSeconds(5), limits(1_000_000));
  }

  /** Adds a task; its result comes later. */
  Outcome offer(CopyTask task) {
    var outcome = new Outcome();
    queue.offer(task, outcome);
    return outcome;
  }

  Result result(CopyTask task) {
    Outcome outcome = offer(task);
    await().until(() -> outcome.result() != null);
    return java.util.Objects.requireNonNull(outcome.result());
  }

  /** Returns the next key to copy again. */
  Repair awaitRepair() {
    await().until(() -> !repairs.isEmpty());
    return repairs.remove();
  }

  Queue<Repair> repairs() {
    return repairs;
  }

  void awaitEmpty() {
    await().atMost(Duration.ofSeconds(60)).until(() -> queue.stats().queued() == 0);
  }

  @Override
  public void close() {
    queue.close();
    loop.executor().submit(dispatcher::close).syncUninterruptibly();
    upstream.close();
    group.shutdown().toCompletableFuture().join();
    if (control != null) {
      control.close().toCompletableFuture().join();
    }
  }

  /** The result of a task. */
  final class Outcome implements CopyTask.Listener {

    private volatile @Nullable Result result;
    private volatile boolean repeated;

    @Override
    public void onEnd(Result end) {
      repeated |= result != null || !loop.executor().inEventLoop();
      result = end;
    }

    @Nullable Result result() {
      if (repeated) {
        throw new AssertionError("told twice, or not on the loop");
      }
      return result;
    }
  }
}
