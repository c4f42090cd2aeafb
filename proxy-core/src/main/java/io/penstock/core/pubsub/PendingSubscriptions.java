package io.penstock.core.pubsub;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The channels and shard channels that clients of all loops have asked for and are not subscribed
 * to yet. A server subscribes a client at once; here it takes a round trip to the node, and what
 * other clients publish meanwhile can wait for it. Safe from any thread; no thread waits for
 * another.
 */
public final class PendingSubscriptions {

  /** Only so many names of a request are known here, so that it takes little memory for them. */
  public static final int MOST_NAMES = 1_000;

  /**
   * What a message is published to.
   *
   * @param kind {@link Kind#CHANNEL} or {@link Kind#SHARD}
   */
  public record Channel(Kind kind, Name name) {}

  /**
   * What waits for the requests up to a number.
   *
   * @param action must not throw
   */
  private record Waiting(long last, Runnable action) {}

  /** The requests for one name, and what waits for them. Used by one thread at a time. */
  private static final class Pending {

    private final TreeSet<Long> requests = new TreeSet<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0); // the lowest number first

    /** What waits for a request, too, waits for the last one. */
    void waitForLast(long request) {
      for (int i = waiting.size(); i > 0; i--) {
        Waiting next = waiting.remove();
        boolean concerned = next.last() >= request && next.last() < requests.last();
        waiting.add(concerned ? new Waiting(requests.last(), next.action()) : next);
      }
    }

    void takeDue(List<Waiting> due) {
      long first = requests.isEmpty() ? Long.MAX_VALUE : requests.first();
      for (Waiting next = waiting.peek();
          next != null && next.last() < first;
          next = waiting.peek()) {
        due.add(waiting.remove());
      }
    }
  }

  private final AtomicLong lastRequest = new AtomicLong();
  private final ConcurrentHashMap<Name, Pending> channels = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Name, Pending> shardChannels = new ConcurrentHashMap<>();

  private @Nullable ConcurrentHashMap<Name, Pending> of(Kind kind) {
    return switch (kind) {
      case CHANNEL -> channels;
      case SHARD -> shardChannels;
      case PATTERN -> null;
    };
  }

  /** Returns the number of a new request, by which its names are known. */
  public long nextRequest() {
    return lastRequest.incrementAndGet();
  }

  /** Whether there has been one: if not, no message need wait. */
  public boolean isUsed() {
    return lastRequest.get() > 0;
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return channels.isEmpty() && shardChannels.isEmpty();
  }

  /** A request asks for a name. Patterns are not known here. */
  public void begin(Kind kind, Name name, long request) {
    ConcurrentHashMap<Name, Pending> ofKind = of(kind);
    if (ofKind != null) {
      ofKind.compute(
          name,
          (_, known) -> {
            Pending pending = known == null ? new Pending() : known;
            pending.requests.add(request);
            return pending;
          });
    }
  }

  /** The client is subscribed, or the request was given up. Runs what has waited for it. */
  void end(Kind kind, Name name, long request) {
    end(kind, name, request, false);
  }

  /**
   * The request is handled now, with another number, or is given up: what has waited for it, waits
   * for those that ask for the name now.
   */
  public void handOver(Kind kind, Name name, long request) {
    end(kind, name, request, true);
  }

  private void end(Kind kind, Name name, long request, boolean toOthers) {
    ConcurrentHashMap<Name, Pending> ofKind = of(kind);
    if (ofKind != null && ofKind.containsKey(name)) {
      List<Waiting> due = new ArrayList<>(0);
      ofKind.computeIfPresent(
          name,
          (_, pending) -> {
            if (pending.requests.remove(request) && toOthers && !pending.requests.isEmpty()) {
              pending.waitForLast(request);
            }
            pending.takeDue(due);
            return pending.requests.isEmpty() ? null : pending;
          });
      due.forEach(each -> each.action().run());
    }
  }

  /**
   * Runs {@code action} when the requests that ask for the channel by now have ended, on the thread
   * that ends the last one.
   *
   * @return false if there is none; the action does not run then
   */
  public boolean whenEnded(Channel channel, Runnable action) {
    ConcurrentHashMap<Name, Pending> ofKind = of(channel.kind());
    @Nullable Pending found =
        ofKind == null
            ? null
            : ofKind.computeIfPresent(
                channel.name(),
                (_, pending) -> {
                  pending.waiting.add(new Waiting(pending.requests.last(), action));
                  return pending;
                });
    return found != null;
  }
}
