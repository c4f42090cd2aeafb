package io.penstock.core.sentinel;

import io.penstock.core.control.Outage;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ShownTime;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes that sentinels name as the master whether they are masters, one after the other,
 * until one is. The known master is not asked. Confined to the topology thread.
 */
final class MasterCheck {

  private final SentinelSource source;
  private final TopologyThread thread;
  private final Duration answerTimeout;
  private final @Nullable Endpoint current;
  private final ArrayDeque<Claim> claims = new ArrayDeque<>();
  private final Map<Endpoint, String> rejected = new LinkedHashMap<>();
  private Consumer<Result> onEnd = _ -> {};
  private @Nullable Claim unreachable; // the best of a majority whose node does not answer
  private int asked;

  /**
   * @param answerTimeout time after which a node counts as unreachable
   * @param current the known master; null if none is known: then the claim of a majority is
   *     believed even if its node cannot be reached, so that the replicas are known
   */
  MasterCheck(
      SentinelSource source,
      TopologyThread thread,
      Duration answerTimeout,
      @Nullable Endpoint current) {
    this.source = source;
    this.thread = thread;
    this.answerTimeout = answerTimeout;
    this.current = current;
  }

  /**
   * The result of a check.
   *
   * @param claim the claim to believe, or null
   * @param rejected why better claims are not believed, by the node that they name
   */
  record Result(@Nullable Claim claim, Map<Endpoint, String> rejected) {}

  /**
   * Starts the check.
   *
   * @param candidates the best first
   * @param whenDone called once, on the topology thread
   */
  void start(List<Claim> candidates, Consumer<Result> whenDone) {
    claims.addAll(candidates);
    onEnd = whenDone;
    checkNext();
  }

  private void checkNext() {
    Claim claim = claims.poll();
    if (claim == null) {
      end(current == null ? unreachable : null);
    } else if (claim.master().equals(current)) {
      end(claim);
    } else {
      ask(claim);
    }
  }

  private void ask(Claim claim) {
    int question = ++asked;
    Stages.call(() -> source.role(claim.master()))
        .whenComplete((role, failure) ->
            thread.execute(() -> {
              if (question == asked) {
                asked++;
                onAnswer(claim, role, failure);
              }
            }));
    thread.runAfter(
        answerTimeout,
        () -> {
          if (question == asked) {
            asked++;
            onAnswer(
                claim,
                null,
                new IllegalStateException("no answer in " + ShownTime.seconds(answerTimeout)));
          }
        });
  }

  private void onAnswer(
      Claim claim, SentinelSource.@Nullable Role role, @Nullable Throwable failure) {
    if (role == null) {
      if (claim.ofMajority() && unreachable == null) {
        unreachable = claim;
      }
      String reason = failure == null ? "no answer" : Outage.reason(failure);
      reject(claim, "the node does not say that it is a master: " + reason);
      return;
    }
    switch (role) {
      case MASTER -> end(claim);
      case REPLICA -> reject(claim, "it is a replica");
      case SENTINEL -> reject(claim, "it is a sentinel");
      case UNKNOWN -> {
        if (claim.ofMajority()) {
          end(claim);
        } else {
          reject(claim, "Penstock's user has no permission for ROLE and INFO");
        }
      }
    }
  }

  private void reject(Claim claim, String reason) {
    rejected.put(claim.master(), reason);
    checkNext();
  }

  private void end(@Nullable Claim claim) {
    onEnd.accept(new Result(claim, rejected));
  }
}
