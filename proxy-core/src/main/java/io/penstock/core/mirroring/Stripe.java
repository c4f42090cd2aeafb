package io.penstock.core.mirroring;

import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys. Its writes are sent on one lane at a time, the owner. Another lane becomes
 * the owner when all writes in flight have left: they are answered, and their effects are queued.
 * So effects are queued in the order in which the primary ran the writes.
 *
 * <p>Safe for lanes of different loops, without a lock.
 */
final class Stripe {

  private static final State FREE = new State(null, List.of());

  private final AtomicReference<State> state = new AtomicReference<>(FREE);
  private int entered; // writes under way; belongs to the owner
  private @Nullable Placement placement; // by which they were sent; belongs to the owner

  /**
   * The owner and the claims that wait.
   *
   * @param owner null before the first write
   * @param waiting in the order in which they came
   */
  private record State(@Nullable Lane owner, List<Claim> waiting) {

    State with(Claim next) {
      List<Claim> all = new ArrayList<>(waiting.size() + 1);
      all.addAll(waiting);
      all.add(next);
      return new State(owner, all);
    }
  }

  /**
   * Enters a write, on its lane's loop.
   *
   * @return false if it must wait: {@link Claim#onEntered} is called on that loop when it is in
   */
  boolean enter(Claim claim) {
    while (true) {
      State now = state.get();
      Lane owner = now.owner();
      if (owner == null) {
        if (state.compareAndSet(now, new State(claim.lane(), List.of()))) {
          count(claim);
          return true;
        }
      } else if (owner == claim.lane() && now.waiting().isEmpty() && mayJoin(claim)) {
        count(claim);
        return true;
      } else if (state.compareAndSet(now, now.with(claim))) {
        if (now.waiting().isEmpty()) {
          owner.execute(() -> passOn(owner));
        }
        return false;
      }
    }
  }

  /** Writes that are sent by different placements may go to different nodes. */
  private boolean mayJoin(Claim claim) {
    return entered == 0 || placement == claim.placement();
  }

  private void count(Claim claim) {
    entered++;
    placement = claim.placement();
  }

  /** A write has ended, and what copies get is queued. On the loop of its lane. */
  void leave(Lane lane) {
    entered--;
    if (entered == 0 && !state.get().waiting().isEmpty()) {
      passOn(lane);
    }
  }

  /** Gives it to the lane of the first claim that waits; all claims beside it enter too. */
  private void passOn(Lane from) {
    State now = state.get();
    while (now.owner() == from && entered == 0 && !now.waiting().isEmpty()) {
      Claim first = now.waiting().getFirst();
      int count = 1;
      while (count < now.waiting().size() && isBeside(first, now.waiting().get(count))) {
        count++;
      }
      List<Claim> rest = List.copyOf(now.waiting().subList(count, now.waiting().size()));
      entered = count;
      placement = first.placement();
      if (state.compareAndSet(now, new State(first.lane(), rest))) { // the next lane's from here on
        now.waiting().subList(0, count).forEach(each -> each.lane().execute(each::onEntered));
        return;
      }
      entered = 0; // others wait, too
      now = state.get();
    }
  }

  private static boolean isBeside(Claim first, Claim other) {
    return other.lane() == first.lane() && other.placement() == first.placement();
  }
}
