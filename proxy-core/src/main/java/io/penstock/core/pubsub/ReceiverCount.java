package io.penstock.core.pubsub;

import io.penstock.core.pubsub.SubscriberCounts.Subscribers;
import io.penstock.core.spec.Glob;
import io.penstock.core.spec.GlobMatch;
import io.penstock.core.upstream.Endpoint;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the clients that received one message, in slices: there may be many patterns, and matching
 * a pattern against a long channel may take long.
 */
public final class ReceiverCount {

  /** Returned by {@link #advance} if there is more to count. */
  static final int UNDECIDED = GlobMatch.UNDECIDED;

  /** The minimal cost of a pattern, in steps of matching. */
  private static final int PATTERN_STEPS = 16;

  private final Kind kind;
  private final Name channel;
  private final Endpoint node;
  private final long counted;
  private @Nullable Iterator<Map.Entry<Name, Subscribers>> patterns;
  private String text = "";
  private @Nullable GlobMatch match; // of the current pattern
  private Subscribers matching = Subscribers.NONE;
  private long clients;
  private long connections;

  /**
   * @param kind {@link Kind#CHANNEL} or {@link Kind#SHARD}
   * @param node that published the message
   * @param counted the number of receivers that the node returned
   */
  public ReceiverCount(Kind kind, Name channel, Endpoint node, long counted) {
    this.kind = kind;
    this.channel = channel;
    this.node = node;
    this.counted = counted;
  }

  /** Runs for about {@code steps} steps. Returns the steps left over, or {@link #UNDECIDED}. */
  int advance(SubscriberCounts audience, int steps) {
    Iterator<Map.Entry<Name, Subscribers>> all = patterns;
    if (all == null) {
      add(audience, audience.subscribersOf(kind, channel));
      if (kind != Kind.CHANNEL || audience.nameCount(Kind.PATTERN) == 0) {
        return steps;
      }
      text = channel.toString();
      all = audience.patterns();
      patterns = all;
    }
    int left = steps;
    while (left > 0) {
      left = finishMatch(audience, left);
      if (left > 0) {
        if (!all.hasNext()) {
          return left;
        }
        left -= begin(all.next());
      }
    }
    return UNDECIDED;
  }

  /** Begins to match a pattern. Returns the steps used. */
  private int begin(Map.Entry<Name, Subscribers> pattern) {
    Name name = pattern.getKey();
    if (name.cannotMatch(channel)) {
      return PATTERN_STEPS;
    }
    match = new GlobMatch(Glob.exact(name.toString()), text);
    matching = pattern.getValue();
    return PATTERN_STEPS + name.length();
  }

  private int finishMatch(SubscriberCounts audience, int steps) {
    GlobMatch current = match;
    if (current == null) {
      return steps;
    }
    int left = current.step(steps);
    if (left != UNDECIDED) {
      match = null;
      if (current.isMatch()) {
        add(audience, matching);
      }
    }
    return left;
  }

  private void add(SubscriberCounts audience, Subscribers subscribers) {
    clients += subscribers.clients();
    connections += audience.connectionsCounted(subscribers, node);
  }

  /** The number of receivers; valid when counting is complete. */
  long result() {
    return Math.max(0, counted - connections) + clients;
  }
}
