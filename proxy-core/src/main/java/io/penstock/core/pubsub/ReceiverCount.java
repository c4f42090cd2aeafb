package io.penstock.core.pubsub;

import io.penstock.core.pubsub.SubscriberCounts.Listeners;
import io.penstock.core.spec.Glob;
import io.penstock.core.spec.GlobMatch;
import io.penstock.core.upstream.Endpoint;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many clients got one message, counted in as many slices as it takes: there may be many
 * patterns, and a pattern may take long on a long channel.
 */
public final class ReceiverCount {

  /** What {@link #advance} gives when there is more to count. */
  static final int UNDECIDED = GlobMatch.UNDECIDED;

  /** What looking at a pattern costs in any case, in steps of matching. */
  private static final int PATTERN_STEPS = 16;

  private final Kind kind;
  private final Name channel;
  private final Endpoint node;
  private final long counted;
  private @Nullable Iterator<Map.Entry<Name, Listeners>> patterns;
  private String text = "";
  private @Nullable GlobMatch match; // of the pattern of these
  private Listeners matching = Listeners.NONE;
  private long clients;
  private long connections;

  /**
   * @param kind {@link Kind#CHANNEL} or {@link Kind#SHARD}
   * @param node the one that published it
   * @param counted what it answered
   */
  public ReceiverCount(Kind kind, Name channel, Endpoint node, long counted) {
    this.kind = kind;
    this.channel = channel;
    this.node = node;
    this.counted = counted;
  }

  /** Takes about as many steps; gives those left over, or {@link #UNDECIDED}. */
  int advance(SubscriberCounts audience, int steps) {
    Iterator<Map.Entry<Name, Listeners>> all = patterns;
    if (all == null) {
      add(audience.subscribersOf(kind, channel));
      if (kind != Kind.CHANNEL || audience.nameCount(Kind.PATTERN) == 0) {
        return steps;
      }
      text = channel.toString();
      all = audience.patterns();
      patterns = all;
    }
    int left = steps;
    while (left > 0) {
      left = finishMatch(left);
      if (left > 0) {
        if (!all.hasNext()) {
          return left;
        }
        left -= begin(all.next());
      }
    }
    return UNDECIDED;
  }

  /** Gives the steps that it took. */
  private int begin(Map.Entry<Name, Listeners> pattern) {
    Name name = pattern.getKey();
    if (name.cannotMatch(channel)) {
      return PATTERN_STEPS;
    }
    match = new GlobMatch(Glob.exact(name.toString()), text);
    matching = pattern.getValue();
    return PATTERN_STEPS + name.length();
  }

  private int finishMatch(int steps) {
    GlobMatch current = match;
    if (current == null) {
      return steps;
    }
    int left = current.step(steps);
    if (left != UNDECIDED) {
      match = null;
      if (current.isMatch()) {
        add(matching);
      }
    }
    return left;
  }

  private void add(Listeners listeners) {
    clients += listeners.clients();
    connections += listeners.connectionsTo(node);
  }

  /** All in all, when they are counted. */
  long result() {
    return Math.max(0, counted - connections) + clients;
  }
}
