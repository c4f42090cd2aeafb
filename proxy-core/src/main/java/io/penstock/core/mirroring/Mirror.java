package io.penstock.core.mirroring;

import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.Repairs;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The mirrored writes of one upstream: the order of its writes, and its copies. One for all loops,
 * as long as the upstream has copies. Safe from any thread.
 */
public final class Mirror implements Repairs {

  private volatile MirrorSettings settings;
  private final BooleanSupplier fieldsMayExpire;
  private final Stripes stripes = new Stripes();
  private final List<LoopMirror> loops = new CopyOnWriteArrayList<>();
  private volatile List<CopyQueue> copies = List.of();

  /**
   * @param fieldsMayExpire says whether the primary and all copies know deadlines of fields, {@code
   *     HSETEX} among them
   */
  public Mirror(MirrorSettings settings, BooleanSupplier fieldsMayExpire) {
    this.settings = settings;
    this.fieldsMayExpire = fieldsMayExpire;
  }

  public MirrorSettings settings() {
    return settings;
  }

  /** Has requests follow other settings from now on. */
  public void settings(MirrorSettings next) {
    settings = next;
  }

  /** See {@link io.penstock.core.mirror.MirroredCall#of}. */
  BooleanSupplier fieldsMayExpire() {
    return fieldsMayExpire;
  }

  Stripes stripes() {
    return stripes;
  }

  /** Sets the copies: before any loop is connected, or others instead while they are in use. */
  public void copies(List<CopyQueue> all) {
    copies = List.copyOf(all);
  }

  public List<CopyQueue> copies() {
    return copies;
  }

  /**
   * Has a loop send its own requests to the primary through {@code side}. On that loop, before its
   * first client's request.
   */
  public LoopMirror connect(Loop loop, Side side) {
    var made = new LoopMirror(this, loop, side);
    loops.add(made);
    return made;
  }

  /** Sends nothing through a loop's side any more, which is about to be closed. On that loop. */
  public void disconnect(LoopMirror former) {
    loops.remove(former);
  }

  @Override
  public void copyAgain(int copy, int database, List<byte[]> keys, Consumer<Boolean> done) {
    LoopMirror[] connected = loops.toArray(LoopMirror[]::new); // others may be closed meanwhile
    if (connected.length == 0) {
      done.accept(false); // the upstream is closed
      return;
    }
    LoopMirror on = connected[copy % connected.length];
    try {
      on.loop().executor().execute(() -> copyAgain(on, copy, database, keys, done));
    } catch (RejectedExecutionException _) {
      done.accept(false); // the loop has been shut down
    }
  }

  private static void copyAgain(
      LoopMirror on, int copy, int database, List<byte[]> keys, Consumer<Boolean> done) {
    var outstanding = new AtomicInteger(keys.size());
    var all = new AtomicBoolean(true);
    for (byte[] key : keys) {
      var one =
          new KeyCopy(
              on,
              copy,
              database,
              key,
              same -> {
                if (!same) {
                  all.set(false);
                }
                if (outstanding.decrementAndGet() == 0) {
                  done.accept(all.get());
                }
              });
      one.begin();
    }
  }

  /** Has one copy do a task. */
  void offerTo(int copy, CopyTask task, CopyTask.Listener listener) {
    for (CopyQueue each : copies) {
      if (each.number() == copy) {
        each.offer(task, listener);
        return;
      }
    }
    listener.onEnd(CopyTask.Result.DROPPED); // the copy was removed
  }

  /** See {@link CopyQueue#markBehind}. */
  void markBehind(int copy, String reason) {
    copies.stream().filter(each -> each.number() == copy).forEach(each -> each.markBehind(reason));
  }

  void markAllBehind(String reason) {
    copies.forEach(each -> each.markBehind(reason));
  }

  public MirrorStats stats() {
    MirrorSettings limits = settings;
    return new MirrorStats(
        copies.stream().map(CopyQueue::stats).toList(), limits.maxRequests(), limits.maxBytes());
  }

  /** Ends the copies. Writes under way are not copied. */
  public void close() {
    copies.forEach(CopyQueue::close);
  }
}
