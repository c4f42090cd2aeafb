package io.penstock.core.assembly;

import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a listener or an upstream, one for each event loop and lane ({@link
 * io.penstock.core.upstream.Upstream#lanes}), each made when it is first needed. A part is confined
 * to its loop. Safe from any thread.
 *
 * @param <T> the parts
 */
public final class LoopParts<T> {

  private final List<Slot<T>> slots = new ArrayList<>(); // all loops of a lane, then the next lane
  private final int loops;

  public LoopParts(LoopGroup group, int lanes) {
    this.loops = group.loops().size();
    for (int i = 0; i < lanes; i++) {
      group.loops().forEach(loop -> slots.add(new Slot<>(loop)));
    }
  }

  /** Makes the part of a loop for a lane, on that loop. */
  public interface Maker<T> {

    T make(Loop loop, int lane);
  }

  /** A loop and its part. */
  private static final class Slot<T> {

    private final Loop loop;
    private @Nullable T part; // used on the loop only

    Slot(Loop loop) {
      this.loop = loop;
    }
  }

  /** Returns the part of the loop for a lane; makes it if there is none. On that loop. */
  public T of(Loop loop, int lane, Maker<T> maker) {
    Slot<T> slot = slot(loop, lane);
    T part = slot.part;
    if (part == null) {
      part = maker.make(loop, lane);
      slot.part = part;
    }
    return part;
  }

  /** Runs an action for the part of the loop for a lane, if it has been made. On that loop. */
  void ifMade(Loop loop, int lane, Consumer<T> action) {
    runIfMade(slot(loop, lane), action);
  }

  private Slot<T> slot(Loop loop, int lane) {
    return slots.get(lane * loops + loop.index());
  }

  /** Is given each part, on its loop. */
  interface Visitor<T> {

    void visit(T part, Loop loop, int lane);
  }

  /** Runs an action for each part, on its loop. Completes on one of the loops. */
  CompletableFuture<Void> visit(Visitor<T> visitor) {
    List<CompletableFuture<Void>> visits = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      Slot<T> slot = slots.get(i);
      int lane = i / loops;
      visits.add(
          CompletableFuture.runAsync(
              () -> runIfMade(slot, part -> visitor.visit(part, slot.loop, lane)),
              slot.loop.executor()));
    }
    return CompletableFuture.allOf(visits.toArray(CompletableFuture[]::new));
  }

  /** Runs an action for each part, on its loop. Returns at once. */
  void forEach(Consumer<T> action) {
    for (Slot<T> slot : slots) {
      slot.loop.executor().execute(() -> runIfMade(slot, action));
    }
  }

  private static <T> void runIfMade(Slot<T> slot, Consumer<T> action) {
    T part = slot.part;
    if (part != null) {
      action.accept(part);
    }
  }

  /** Runs an action for each part, on its loop. Completes on one of the loops. */
  CompletableFuture<Void> run(Consumer<T> action) {
    return collect(
            part -> {
              action.accept(part);
              return part;
            })
        .thenApply(_ -> null);
  }

  /** Returns a value of each part, read on its loop. Completes on one of the loops. */
  public <R> CompletableFuture<List<R>> collect(Function<T, R> read) {
    List<CompletableFuture<@Nullable R>> results = new ArrayList<>();
    for (Slot<T> slot : slots) {
      results.add(CompletableFuture.supplyAsync(() -> read(slot, read), slot.loop.executor()));
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(_ ->
            results.stream().map(CompletableFuture::resultNow).filter(Objects::nonNull).toList());
  }

  private static <T, R> @Nullable R read(Slot<T> slot, Function<T, R> read) {
    T part = slot.part;
    return part == null ? null : read.apply(part);
  }
}
