package io.penstock.core.copies;

import static org.awaitility.Awaitility.await;

import io.penstock.core.copies.CopyTask.Result;
import io.penstock.core.side.SideRig;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The queue of one copy over a real dispatcher, with repairs that are only recorded. */
final class CopyRig implements AutoCloseable {

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final Loop loop = group.loops().getFirst();
  private final SideRig rig;
  private final Queue<Repair> repairs = new ConcurrentLinkedQueue<>();
  final CopyQueue queue;

  /** What the queue wants to have copied again. */
  record Repair(int database, String key, Consumer<Boolean> done) {}

  private CopyRig(Function<LoopGroup, SideRig> reached, MirrorSettings limits) {
    rig = reached.apply(group);
    queue =
        new CopyQueue(
            0,
            "copy",
            loop,
            rig.side(),
            limits,
            (_, database, keys, done) ->
                keys.forEach(key -> repairs.add(new Repair(database, Wire.text(key), done))));
  }

  static MirrorSettings limits(int requests) {
    return new MirrorSettings(ReplyPolicy.PRIMARY, requests, 256 << 20);
  }

  static CopyRig of(ServerProcess server, Duration timeout, MirrorSettings limits) {
    return of(server.port(), timeout, limits);
  }

  static CopyRig of(int port, Duration timeout, MirrorSettings limits) {
    return new CopyRig(
        group -> SideRig.of(group, new Endpoint("127.0.0.1", port), timeout), limits);
  }

  static CopyRig of(ServerProcess server) {
    return of(server, Duration.ofSeconds(5), limits(1_000_000));
  }

  static CopyRig of(EmbeddedCluster cluster) {
    return new CopyRig(
        group -> SideRig.of(group, cluster, Duration.ofSeconds(5), Duration.ofSeconds(60)),
        limits(1_000_000));
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
    rig.close();
    group.shutdown().toCompletableFuture().join();
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
