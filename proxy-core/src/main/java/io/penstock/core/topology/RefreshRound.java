package io.penstock.core.topology;

import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One refresh's questions. Three nodes are asked at once. When all of them have answered or failed,
 * or after {@link #PATIENCE}, the round ends if there is a view that suffices, else three more are
 * asked. So a dead or frozen node costs {@link #PATIENCE} at most, and a healthy cluster sees three
 * connections. A view that brings news ends the round at once: clients wait for a failover's
 * outcome. When nobody is left to ask, the round waits for those that still may answer and ends
 * with what it has.
 *
 * <p>Confined to the topology thread.
 */
final class RefreshRound {

  /** Nodes asked at once. */
  static final int WAVE = 3;

  /** What a view is worth to a round. */
  enum Worth {
    /** Others are asked as well. */
    INSUFFICIENT,
    /** No other node is asked. */
    SUFFICIENT,
    /** Nobody needs to be waited for. */
    NEWER
  }

  /** How long the slowest of a wave is waited for while there are others to ask. */
  static final Duration PATIENCE = Duration.ofMillis(300);

  private final ViewSource source;
  private final TopologyThread thread;
  private final Duration answerTimeout;
  private final Function<ClusterView, Worth> worth;
  private final Consumer<Result> done;

  private final ArrayDeque<Endpoint> toAsk;
  private final List<ClusterView> views = new ArrayList<>();
  private final Map<Endpoint, Throwable> failures = new LinkedHashMap<>();
  private final Set<Endpoint> waitingFor = new HashSet<>();
  private int wave;
  private Worth best = Worth.INSUFFICIENT;
  private boolean ended;

  /**
   * What a round found.
   *
   * @param failures why nodes gave no view, in the order they failed
   */
  record Result(List<ClusterView> views, Map<Endpoint, Throwable> failures) {}

  /**
   * @param candidates whom to ask, in this order
   * @param answerTimeout after which a node counts as failed
   * @param worth of a view to this round
   * @param done told once, on the topology thread
   */
  RefreshRound(
      ViewSource source,
      TopologyThread thread,
      Collection<Endpoint> candidates,
      Duration answerTimeout,
      Function<ClusterView, Worth> worth,
      Consumer<Result> done) {
    this.source = source;
    this.thread = thread;
    this.toAsk = new ArrayDeque<>(candidates);
    this.answerTimeout = answerTimeout;
    this.worth = worth;
    this.done = done;
  }

  void start() {
    advance();
  }

  private void advance() {
    if (best != Worth.INSUFFICIENT || (toAsk.isEmpty() && waitingFor.isEmpty())) {
      ended = true;
      done.accept(new Result(views, failures));
    } else if (!toAsk.isEmpty()) {
      askNextWave();
    }
  }

  private void askNextWave() {
    int current = ++wave;
    List<Endpoint> asked = new ArrayList<>(WAVE);
    while (asked.size() < WAVE && !toAsk.isEmpty()) {
      asked.add(toAsk.remove());
    }
    waitingFor.addAll(asked);
    for (Endpoint node : asked) {
      ask(node);
    }
    thread.runAfter(
        PATIENCE,
        () -> {
          if (!ended && wave == current) {
            advance();
          }
        });
  }

  private void ask(Endpoint node) {
    Stages.call(() -> source.query(node))
        .whenComplete((view, failure) -> thread.execute(() -> onAnswer(node, view, failure)));
    thread.runAfter(
        answerTimeout,
        () -> onAnswer(node, null, new IllegalStateException("no answer in " + answerTimeout)));
  }

  private void onAnswer(Endpoint node, @Nullable ClusterView view, @Nullable Throwable failure) {
    if (ended || !waitingFor.remove(node)) {
      return;
    }
    if (view != null) {
      views.add(view);
      Worth brought = worth.apply(view);
      best = brought.compareTo(best) > 0 ? brought : best;
    } else if (failure != null) {
      failures.put(node, causeOf(failure));
    }
    if (waitingFor.isEmpty() || best == Worth.NEWER) {
      advance();
    }
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
