package io.penstock.bench;

import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.read.ReadRoutes;
import io.penstock.core.read.ReadRoutes.Way;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code read}: where a request goes if its upstream is also read from replicas. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ReadBenchmark {

  private static final Endpoint MASTER = new Endpoint("127.0.0.1", 6379);
  private static final List<Endpoint> REPLICAS =
      List.of(new Endpoint("127.0.0.1", 6380), new Endpoint("127.0.0.1", 6381));

  private final ReadRoutes client = client();

  private static final class Replicated implements Topology {

    private final Placement placement = new SinglePlacement(MASTER);
    private final ReadTargets targets = new ReadTargets(Map.of(MASTER, REPLICAS), false);

    @Override
    public Placement current() {
      return placement;
    }

    @Override
    public ReadTargets readTargets() {
      return targets;
    }

    @Override
    public void moved(int partition, Endpoint owner) {}

    @Override
    public ErrorPolicy errorPolicy() {
      return ErrorPolicy.SINGLE;
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {}
  }

  private static ReadRoutes client() {
    Loop loop = Loop.over(new EmbeddedChannel().eventLoop());
    Duration timeout = Duration.ofSeconds(2);
    var backend =
        new BackendSettings(
            timeout,
            timeout,
            1,
            1,
            1,
            65_536,
            QueueLimits.DEFAULTS,
            ReadSettings.of(ReadFrom.REPLICA_PREFERRED),
            Label.ONLY);
    var group = new LoopGroup(Transport.NIO, 1); // its threads are never started
    var dispatcher = new AsyncDispatcher(group, loop, backend, new Replicated(), ProxyEvents.NONE);
    ReadNodes nodes = Objects.requireNonNull(dispatcher.nodes().readNodes());
    return new ReadRoutes(nodes, loop);
  }

  /** A read that a replica serves. */
  @Benchmark
  public Way readReplica() {
    client.mustWait(0, true);
    Way way = client.begin(0, true);
    client.end(0, way, false);
    return way;
  }

  /** A write, and a read behind it. */
  @Benchmark
  public Way readOwnWrite() {
    client.mustWait(1, false);
    client.begin(1, false);
    client.end(1, Way.MASTER, true);
    client.mustWait(1, true);
    Way way = client.begin(1, true);
    client.end(1, way, false);
    return way;
  }
}
