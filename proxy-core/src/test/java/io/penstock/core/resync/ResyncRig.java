package io.penstock.core.resync;

import io.penstock.core.copies.Repairs;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The jobs of a copy over real dispatchers. Keys are copied again by one thread, which tests also
 * use to write to both sides, as a queue of a copy orders both.
 */
final class ResyncRig implements AutoCloseable, Repairs, ResyncEnds.Progress {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final ExecutorService writer = Executors.newSingleThreadExecutor();
  final AtomicLong losses = new AtomicLong();
  final AtomicLong copied = new AtomicLong();
  final ResyncSide primary;
  final ResyncSide copy;
  final CopyJobs jobs;
  volatile boolean level;

  ResyncRig(Function<LoopGroup, ResyncSide> primary, Function<LoopGroup, ResyncSide> copy) {
    this.primary = primary.apply(group);
    this.copy = copy.apply(group);
    this.jobs = new CopyJobs(new Ends());
  }

  private final class Ends implements ResyncEnds {

    @Override
    public Names names() {
      return new Names("orders", "far", 0);
    }

    @Override
    public Loop loop() {
      return group.loops().getFirst();
    }

    @Override
    public Side primary() {
      return primary.side();
    }

    @Override
    public Side copy() {
      return copy.side();
    }

    @Override
    public Repairs repairs() {
      return ResyncRig.this;
    }

    @Override
    public Progress progress() {
      return ResyncRig.this;
    }
  }

  @Override
  public void copyAgain(int number, int database, List<byte[]> keys, Consumer<Boolean> done) {
    writer.execute(() -> {
      try {
        keys.forEach(key -> copy(database, key));
        copied.addAndGet(keys.size());
        done.accept(true);
      } catch (RuntimeException e) {
        copy.reconnect();
        done.accept(false);
      }
    });
  }

  private void copy(int database, byte[] key) {
    Object value = primary.value(database, Wire.bytes("DUMP"), key);
    if (!(value instanceof byte[] dump)) {
      copy.value(database, Wire.bytes("DEL"), key);
      return;
    }
    String deadline = String.valueOf(primary.value(database, Wire.bytes("PEXPIRETIME"), key));
    copy.value(
        database,
        Wire.bytes("RESTORE"),
        key,
        Wire.bytes(deadline.startsWith("-") ? "0" : deadline),
        dump,
        Wire.bytes("REPLACE"),
        Wire.bytes("ABSTTL"));
  }

  /** Writes to both sides, in the order of all writes and copies. */
  void write(String... command) {
    run(() -> {
      primary.write(command);
      copy.write(command);
    });
  }

  /** Runs on the thread that writes, and waits for the end. */
  void run(Runnable action) {
    try {
      writer.submit(action).get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long losses() {
    return losses.get();
  }

  @Override
  public boolean markLevel(long lossesBefore) {
    level = losses.get() == lossesBefore;
    return level;
  }

  @Override
  public long lagNanos() {
    return 0;
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  CopyJobStatus status() {
    return jobs.status().getLast();
  }

  CopyJobStatus await(Predicate<CopyJobStatus> wanted) {
    return org.awaitility.Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(this::status, wanted);
  }

  CopyJobStatus awaitEnd() {
    return await(each -> each.state() == State.ENDED || each.state() == State.FAILED);
  }

  CopyJobStatus resync() {
    jobs.resync(CopyJobs.MOST_KEYS_PER_SECOND, true).join();
    return await(each -> !each.state().isActive());
  }

  CopyJobStatus compare(long sample, boolean repair) {
    jobs.compare(CopyJobs.MOST_KEYS_PER_SECOND, sample, repair).join();
    return await(each -> !each.state().isActive());
  }

  @Override
  public void close() {
    jobs.close();
    writer.shutdown();
    primary.close();
    copy.close();
    group.shutdown().toCompletableFuture().join();
  }
}
