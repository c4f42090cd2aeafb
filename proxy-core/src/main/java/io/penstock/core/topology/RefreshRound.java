package io.penstock.core.topology;

import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.failure.Causes;
import io.penstock.core.observe.ShownTime;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queries of one refresh. Some nodes are queried at once, a wave: three of a cluster, all
 * sentinels. When all of them have answered or failed, or after {@link #WAVE_TIMEOUT}, the round
 * ends if one view is sufficient; otherwise the next wave is queried. So a dead or frozen node
 * costs at most {@link #WAVE_TIMEOUT}, and a healthy cluster gets three connections. A view that is
 * newer than what is known ends the round at once: clients wait for the result of a failover. After
 * the last wave the round waits for the outstanding answers and ends with the views that it has.
 *
 * <p>Confined to the topology thread.
 *
 * @param <V> the view of one node
 */
public final class RefreshRound<V> {

  /** Nodes of a cluster that are queried at once. */
  public static final int WAVE_SIZE = 3;

  /** How good a view is for a round. */
  public enum Rating {
    /** More nodes are queried. */
    INSUFFICIENT,
    /** No other node is queried; outstanding answers are still awaited. */
    SUFFICIENT,
    /** The round ends at once. */
    NEWER
  }

  /** How long a round waits for the slowest node of a wave before it queries more nodes. */
  public static final Duration WAVE_TIMEOUT = Duration.ofMillis(300);

  private final Queries<V> queries;
  private final TopologyThread thread;
  private final Function<V, Rating> rate;
  private final Consumer<Result<V>> onEnd;

  private final ArrayDeque<Endpoint> candidates;
  private final List<V> views = new ArrayList<>();
  private final Map<Endpoint, Throwable> failures = new LinkedHashMap<>();
  private final Set<Endpoint> outstanding = new HashSet<>();
  private int wave;
  private Rating best = Rating.INSUFFICIENT;
  private boolean ended;

  /**
   * The result of a round.
   *
   * @param failures the failure of each node without a view, in the order of failing
   */
  public record Result<V>(List<V> views, Map<Endpoint, Throwable> failures) {}

  /**
   * How nodes are queried.
   *
   * @param query queries one node; completes on any thread
   * @param answerTimeout time after which a node counts as failed
   * @param atOnce nodes of one wave, at least 1
   */
  public record Queries<V>(
      Function<Endpoint, CompletionStage<V>> query, Duration answerTimeout, int atOnce) {}

  /**
   * @param candidates the nodes to query, in this order
   * @param rate rates a view; called once for each, in the order of the answers
   * @param onEnd called once, on the topology thread
   */
  public RefreshRound(
      Queries<V> queries,
      TopologyThread thread,
      Collection<Endpoint> candidates,
      Function<V, Rating> rate,
      Consumer<Result<V>> onEnd) {
    this.queries = queries;
    this.thread = thread;
    this.candidates = new ArrayDeque<>(candidates);
    this.rate = rate;
    this.onEnd = onEnd;
  }

  /** Begins to query. Topology thread. */
  public void start() {
    advance();
  }

  private void advance() {
    if (best != Rating.INSUFFICIENT || (candidates.isEmpty() && outstanding.isEmpty())) {
      ended = true;
      onEnd.accept(new Result<>(views, failures));
    } else if (!candidates.isEmpty()) {
      queryNextWave();
    }
  }

  private void queryNextWave() {
    int current = ++wave;
    List<Endpoint> queried = new ArrayList<>(queries.atOnce);
    while (queried.size() < queries.atOnce && !candidates.isEmpty()) {
      queried.add(candidates.remove());
    }
    outstanding.addAll(queried);
    for (Endpoint node : queried) {
      query(node);
    }
    thread.runAfter(
        WAVE_TIMEOUT,
        () -> {
          if (!ended && wave == current) {
            advance();
          }
        });
  }

  private void query(Endpoint node) {
    Stages.call(() -> queries.query.apply(node))
        .whenComplete((view, failure) -> thread.execute(() -> onAnswer(node, view, failure)));
    Duration timeout = queries.answerTimeout;
    thread.runAfter(
        timeout,
        () ->
            onAnswer(
                node,
                null,
                new IllegalStateException("no answer in " + ShownTime.seconds(timeout))));
  }

  private void onAnswer(Endpoint node, @Nullable V view, @Nullable Throwable failure) {
    if (ended || !outstanding.remove(node)) {
      return;
    }
    if (view != null) {
      views.add(view);
      Rating rating = rate.apply(view);
      best = rating.compareTo(best) > 0 ? rating : best;
    } else if (failure != null) {
      failures.put(node, Causes.unwrapped(failure));
    }
    if (outstanding.isEmpty() || best == Rating.NEWER) {
      advance();
    }
  }
}
