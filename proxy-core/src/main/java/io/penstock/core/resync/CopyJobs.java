package io.penstock.core.resync;

import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.Kind;
import io.penstock.core.observe.CopyJobStatus.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Resyncs and comparisons of one copy, one at a time. All methods are safe from any thread; what
 * they return completes on the jobs' loop, with a {@link JobRefusedException} if it cannot be done.
 */
public final class CopyJobs {

  /** Keys per second unless told otherwise. */
  public static final int KEYS_PER_SECOND = 2_000;

  /** The highest number of keys per second. */
  public static final int MOST_KEYS_PER_SECOND = 1_000_000;

  private final ResyncEnds ends;
  private volatile @Nullable Resync resync;
  private volatile @Nullable Compare compare;
  private boolean closed;

  public CopyJobs(ResyncEnds ends) {
    this.ends = ends;
  }

  public ResyncEnds.Names names() {
    return ends.names();
  }

  /**
   * Brings the copy level: goes on with a resync that was stopped, or begins one.
   *
   * @param keysPerSecond 1 to {@link #MOST_KEYS_PER_SECOND}
   * @param anew whether one that was stopped begins anew
   */
  public CompletableFuture<CopyJobStatus> resync(int keysPerSecond, boolean anew) {
    return onLoop(() -> {
      refuseIfActive();
      Resync earlier = resync;
      Resync next =
          earlier == null || anew || earlier.state() != State.STOPPED
              ? new Resync(ends, keysPerSecond)
              : earlier;
      resync = next;
      next.run(keysPerSecond);
      return next.status();
    });
  }

  /**
   * Compares keys of both sides.
   *
   * @param keysPerSecond 1 to {@link #MOST_KEYS_PER_SECOND}
   * @param sample how many keys of each side; 0 for all
   * @param repair whether keys that differ are copied again
   */
  public CompletableFuture<CopyJobStatus> compare(int keysPerSecond, long sample, boolean repair) {
    return onLoop(() -> {
      refuseIfActive();
      Compare next = Compare.of(ends, keysPerSecond, new Compare.Sample(sample, repair));
      compare = next;
      next.run(keysPerSecond);
      return next.status();
    });
  }

  /** Stops what runs. A resync keeps its position. */
  public CompletableFuture<CopyJobStatus> stop() {
    return onLoop(() -> {
      KeyJob active = active();
      if (active == null) {
        throw new JobRefusedException("no resync and no comparison of this copy is running");
      }
      active.stop();
      return active.status();
    });
  }

  /** Returns how the last resync and the last comparison stand, as far as there were some. */
  public List<CopyJobStatus> status() {
    List<CopyJobStatus> all = new ArrayList<>(2);
    Resync lastResync = resync;
    if (lastResync != null) {
      all.add(lastResync.status());
    }
    Compare lastCompare = compare;
    if (lastCompare != null) {
      all.add(lastCompare.status());
    }
    return all;
  }

  /** Ends what runs. Safe from any thread. */
  public void close() {
    ends.loop()
        .executor()
        .execute(() -> {
          closed = true;
          KeyJob active = active();
          if (active != null) {
            active.close();
          }
        });
  }

  private @Nullable KeyJob active() {
    return Stream.<@Nullable KeyJob>of(resync, compare)
        .filter(each -> each != null && each.state().isActive())
        .findFirst()
        .orElse(null);
  }

  private void refuseIfActive() {
    if (closed) {
      throw new JobRefusedException("the upstream was closed");
    }
    KeyJob active = active();
    if (active != null) {
      String what = active.status().kind() == Kind.RESYNC ? "a resync" : "a comparison";
      throw new JobRefusedException(what + " of this copy is already running");
    }
  }

  private CompletableFuture<CopyJobStatus> onLoop(Supplier<CopyJobStatus> action) {
    return CompletableFuture.supplyAsync(action, ends.loop().executor());
  }
}
