package io.penstock.core.pubsub;

import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.pubsub.SubscriberCounts.Subscribers;
import io.penstock.core.spec.Glob;
import io.penstock.core.spec.GlobMatch;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts the clients that received one message, in slices: there may be many patterns, and matching
 * a pattern against a long channel may take long. Clients may have closed before the message was
 * published although their loops have not noticed it: when these have, {@link #recount}.
 */
public final class ReceiverCount {

  /** Returned by {@link #advance} if there is more to count. */
  static final int UNDECIDED = GlobMatch.UNDECIDED;

  /** The minimal cost of a pattern, in steps of matching. */
  private static final int PATTERN_STEPS = 16;

  private static final int NOT_YET = -1;

  /** The clients of a channel, or of a pattern that matches it, when they were counted first. */
  private record Receivers(Kind kind, Name name, int clients) {}

  private final Kind kind;
  private final Name channel;
  private final Endpoint node;
  private final long counted;
  private @Nullable Iterator<Map.Entry<Name, Subscribers>> patterns;
  private String text = "";
  private @Nullable GlobMatch match; // of the current pattern
  private Name matchingName;
  private Subscribers matching = Subscribers.NONE;
  private final List<Receivers> receivers = new ArrayList<>();
  private final Set<Loop> loops = new HashSet<>(); // of the receivers
  private int recounted = NOT_YET; // the number of those in receivers
  private long clients;
  private long connections;

  /**
   * @param node that published the message
   * @param counted the number of receivers that the node returned
   */
  public ReceiverCount(Channel channel, Endpoint node, long counted) {
    this.kind = channel.kind();
    this.channel = channel.name();
    this.matchingName = channel.name();
    this.node = node;
    this.counted = counted;
  }

  /** Runs for about {@code steps} steps. Returns the steps left over, or {@link #UNDECIDED}. */
  int advance(SubscriberCounts audience, int steps) {
    return recounted == NOT_YET ? count(audience, steps) : countAgain(audience, steps);
  }

  private int count(SubscriberCounts audience, int steps) {
    Iterator<Map.Entry<Name, Subscribers>> all = patterns;
    if (all == null) {
      add(audience, kind, channel, audience.subscribersOf(kind, channel));
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
    matchingName = name;
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
        add(audience, Kind.PATTERN, matchingName, matching);
      }
    }
    return left;
  }

  private void add(SubscriberCounts audience, Kind kind, Name name, Subscribers subscribers) {
    if (subscribers.clients() > 0) {
      clients += subscribers.clients();
      receivers.add(new Receivers(kind, name, subscribers.clients()));
      loops.addAll(subscribers.loops());
    }
    connections += audience.connectionsCounted(subscribers, node);
  }

  /** The loops of the clients that have been counted. */
  Set<Loop> loops() {
    return loops;
  }

  boolean isRecounted() {
    return recounted != NOT_YET;
  }

  /** Has {@link #advance} count those clients that are still subscribed. */
  void recount() {
    clients = 0;
    recounted = 0;
  }

  private int countAgain(SubscriberCounts audience, int steps) {
    int left = steps;
    while (recounted < receivers.size()) {
      if (left <= 0) {
        return UNDECIDED;
      }
      Receivers of = receivers.get(recounted++);
      clients += Math.min(of.clients(), audience.subscribersOf(of.kind(), of.name()).clients());
      left -= PATTERN_STEPS;
    }
    return Math.max(0, left);
  }

  /** The number of receivers; valid when counting is complete. */
  long result() {
    return Math.max(0, counted - connections) + clients;
  }
}
