package io.penstock.core.pubsub;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The topics of one loop that clients are subscribed to and that are not subscribed to yet where a
 * changed placement wants them. Confined to its loop.
 */
final class TopicMoves {

  /** How long a change of the settings waits for them. */
  static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Set<Topic> moving = Set.of();
  private CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

  /**
   * Begins to wait for some topics; nobody waits for earlier ones any more. The result completes on
   * the loop, or on another thread after {@link #MOST_NANOS}.
   */
  CompletableFuture<Void> begin(Set<Topic> topics) {
    ended.complete(null);
    moving = new HashSet<>(topics);
    ended =
        topics.isEmpty()
            ? CompletableFuture.completedFuture(null)
            : new CompletableFuture<Void>()
                .completeOnTimeout(null, MOST_NANOS, TimeUnit.NANOSECONDS);
    return ended;
  }

  /** A topic is subscribed to where it is wanted, or no client wants it any more. */
  void end(Topic topic) {
    if (!moving.isEmpty() && moving.remove(topic) && moving.isEmpty()) {
      ended.complete(null);
    }
  }
}
