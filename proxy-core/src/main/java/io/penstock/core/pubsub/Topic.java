package io.penstock.core.pubsub;

import org.jspecify.annotations.Nullable;

/**
 * A channel, pattern or shard channel that clients of this loop listen to or want to, and where it
 * is subscribed to. Its home is the one node whose messages count; what servers publish only
 * locally counts from every master.
 */
final class Topic {

  private final Kind kind;
  private final Name name;
  private final int partition;
  private final boolean everywhere;
  private final CompactSet<Subscriber> subscribers = new CompactSet<>();
  private final CompactSet<SubscribeRequest> requests = new CompactSet<>();
  private boolean ready; // as its joinings have counted it
  private @Nullable Feed owner; // where it belongs
  private long staysUntil;
  private boolean stayed; // long enough
  private @Nullable Feed home;
  private @Nullable Feed next; // takes over as soon as it listens

  /**
   * @param partition that the name belongs to
   */
  Topic(Kind kind, Name name, int partition) {
    this.kind = kind;
    this.name = name;
    this.partition = partition;
    this.everywhere =
        switch (kind) {
          case CHANNEL -> KeyspaceChannels.isKeyspaceChannel(name.toString());
          case PATTERN -> KeyspaceChannels.canMatch(name.toString());
          case SHARD -> false;
        };
  }

  Kind kind() {
    return kind;
  }

  Name name() {
    return name;
  }

  int partition() {
    return partition;
  }

  /** Whether keyspace notifications may come through it, which are each node's own. */
  boolean isOnEveryMaster() {
    return everywhere;
  }

  CompactSet<Subscriber> subscribers() {
    return subscribers;
  }

  /** Passes a message on to those who have joined; releases it. */
  void deliver(Message message) {
    try {
      for (Subscriber subscriber : subscribers) {
        deliver(message, subscriber);
      }
    } finally {
      message.release();
    }
  }

  private static void deliver(Message message, Subscriber subscriber) {
    try {
      subscriber.onMessage(message);
    } catch (Throwable e) { // the others, and the node's connection, are not to blame
      subscriber.onFailure(e);
    }
  }

  CompactSet<SubscribeRequest> requests() {
    return requests;
  }

  /** Whether all feeds that it needs listen, as its joinings have counted it. */
  boolean isReady() {
    return ready;
  }

  void ready(boolean now) {
    ready = now;
  }

  boolean isWanted() {
    return !subscribers.isEmpty() || !requests.isEmpty();
  }

  @Nullable Feed home() {
    return home;
  }

  /** Whether the feed is the home or is to become it. */
  boolean uses(Feed feed) {
    return feed == home || feed == next;
  }

  /**
   * Notes where it belongs from now on, if that is new.
   *
   * @param until how long it stays where it is listened to
   */
  void assignTo(Feed feed, long until) {
    if (feed != owner) {
      owner = feed;
      staysUntil = until;
      stayed = false;
      next = null;
    }
  }

  /** Answers true when it may move. */
  boolean mayMove(long now) {
    stayed |= now - staysUntil >= 0;
    return stayed;
  }

  /**
   * Whether it stays for now where it is listened to and does not belong. A shard channel too,
   * although what is published elsewhere does not come there: the old owner ends the subscription
   * behind its last message.
   */
  boolean mustStay() {
    Feed current = home;
    return !stayed && current != null && current != owner && current.isSubscribed(this);
  }

  /** The home is to be {@code feed}: later, if the present one listens and the new one does not. */
  void moveTo(Feed feed) {
    Feed current = home;
    if (current == null || !current.isSubscribed(this) || feed.isSubscribed(this)) {
      home = feed;
      next = null;
    } else {
      next = feed;
    }
  }

  /** The feed listens; answers the home that it takes the place of, or null. */
  @Nullable Feed onConfirmed(Feed feed) {
    if (feed != next) {
      return null;
    }
    Feed before = home;
    home = feed;
    next = null;
    return before;
  }

  /** The feed does not listen any more. */
  void onLost(Feed feed) {
    if (feed == home && next != null) {
      home = next;
      next = null;
    }
  }
}
