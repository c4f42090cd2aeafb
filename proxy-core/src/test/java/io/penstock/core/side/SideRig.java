package io.penstock.core.side;

import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.discovery.ClusterTopology;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Upstream;
import io.penstock.testkit.cluster.EmbeddedCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An upstream of real servers, as the first loop of a group reaches it. */
public final class SideRig implements AutoCloseable {

  private static final boolean SYNC = "sync".equals(System.getProperty("penstock.dispatch"));

  private final @Nullable ControlPlane control;
  private final Upstream upstream;
  private final Duration timeout;
  private final Loop loop;
  private final Dispatcher dispatcher;

  private SideRig(
      LoopGroup group, @Nullable ControlPlane control, Upstream upstream, Duration timeout) {
    this.control = control;
    this.upstream = upstream;
    this.timeout = timeout;
    this.loop = group.loops().getFirst();
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
    this.dispatcher =
        SYNC
            ? new SyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE)
            : new AsyncDispatcher(group, loop, settings, upstream, ProxyEvents.NONE);
    loop.executor().submit(dispatcher::adoptPlacement).syncUninterruptibly();
    upstream.onChange(_ -> loop.executor().execute(dispatcher::adoptPlacement));
    loop.executor()
        .scheduleAtFixedRate(() -> dispatcher.tick(loop.tick()), 10, 10, TimeUnit.MILLISECONDS);
  }

  /** Returns a single server. */
  public static SideRig of(LoopGroup group, Endpoint server, Duration timeout) {
    return new SideRig(group, null, new StaticTopology(server), timeout);
  }

  /**
   * Returns a cluster whose masters are known.
   *
   * @param refresh time between periodic refreshes
   */
  public static SideRig of(
      LoopGroup group, EmbeddedCluster cluster, Duration timeout, Duration refresh) {
    ControlPlane control = ControlPlane.create(Duration.ofSeconds(1));
    List<Endpoint> seeds =
        cluster.members().stream().map(each -> new Endpoint(each.host(), each.port())).toList();
    var topology =
        ClusterTopology.create(
            new TopologySettings(seeds, Duration.ofSeconds(1), refresh, Duration.ofMillis(100)),
            control,
            ProxyEvents.NONE);
    topology.start();
    await().until(() -> topology.current().isFullyCovered());
    return new SideRig(group, control, topology, timeout);
  }

  public Upstream upstream() {
    return upstream;
  }

  public Side side() {
    return new Side(dispatcher, upstream, timeout.toNanos());
  }

  @Override
  public void close() {
    loop.executor().submit(dispatcher::close).syncUninterruptibly();
    upstream.close();
    if (control != null) {
      control.close().toCompletableFuture().join();
    }
  }
}
