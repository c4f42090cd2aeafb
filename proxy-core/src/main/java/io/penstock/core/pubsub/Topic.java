package io.penstock.core.pubsub;

import org.jspecify.annotations.Nullable;

/**
 * A channel, pattern or shard channel that clients of this loop are subscribed to or want to
 * subscribe to, and the feeds where it is subscribed to. Its home is the one feed whose messages
 * are delivered. Messages that servers publish only locally are delivered from every master.
 */
final class Topic {

  private final Kind kind;
  private final Name name;
  private int partition;
  private final boolean onEveryMaster;
  private final CompactSet<Subscriber> subscribers = new CompactSet<>();
  private final CompactSet<SubscribeRequest> requests = new CompactSet<>();
  private boolean ready; // as the requests have counted it
  private @Nullable TopicNode owner; // of the node that owns it
  private long staysUntil;
  private boolean stayed; // staysUntil has passed
  private @Nullable TopicNode home;
  private @Nullable TopicNode next; // becomes home as soon as the subscription is confirmed

  /**
   * @param partition of the name
   */
  Topic(Kind kind, Name name, int partition) {
    this.kind = kind;
    this.name = name;
    this.partition = partition;
    this.onEveryMaster =
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

  void partition(int changed) {
    partition = changed;
  }

  /** Whether keyspace notifications may match, which each node publishes only locally. */
  boolean isOnEveryMaster() {
    return onEveryMaster;
  }

  CompactSet<Subscriber> subscribers() {
    return subscribers;
  }

  /** Delivers a message to all subscribers; releases it. */
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
    } catch (
        Throwable e) { // must not fail for other subscribers or close the connection to the node
      subscriber.onFailure(e);
    }
  }

  CompactSet<SubscribeRequest> requests() {
    return requests;
  }

  /**
   * Whether the topic is subscribed to at all feeds that it needs, as the requests have counted it.
   */
  boolean isReady() {
    return ready;
  }

  void ready(boolean now) {
    ready = now;
  }

  boolean isWanted() {
    return !subscribers.isEmpty() || !requests.isEmpty();
  }

  @Nullable TopicNode home() {
    return home;
  }

  /** Whether the feed is the home or the next one. */
  boolean uses(TopicNode feed) {
    return feed == home || feed == next;
  }

  /**
   * Sets the feed of the owner, if it has changed.
   *
   * @param until how long the subscription stays at the old owner
   */
  void assignTo(TopicNode feed, long until) {
    if (feed != owner) {
      owner = feed;
      staysUntil = until;
      stayed = false;
      next = null;
    }
  }

  /** Returns whether the topic may move to its new owner. */
  boolean mayMove(long now) {
    stayed |= now - staysUntil >= 0;
    return stayed;
  }

  /**
   * Whether the subscription stays at the old owner for now. This holds for a shard channel too,
   * although messages published elsewhere do not reach the old owner: the old owner ends the
   * subscription behind its last message.
   */
  boolean mustStay() {
    TopicNode current = home;
    return !stayed && current != null && current != owner && current.isSubscribed(this);
  }

  /**
   * Makes {@code feed} the home: once it is subscribed to there, if the current home has a
   * subscription and {@code feed} has not.
   */
  void moveTo(TopicNode feed) {
    TopicNode current = home;
    if (current == null || !current.isSubscribed(this) || feed.isSubscribed(this)) {
      home = feed;
      next = null;
    } else {
      next = feed;
    }
  }

  /**
   * The subscription at the feed is confirmed. Returns the former home if the feed replaces it,
   * otherwise null.
   */
  @Nullable TopicNode onConfirmed(TopicNode feed) {
    if (feed != next) {
      return null;
    }
    TopicNode before = home;
    home = feed;
    next = null;
    return before;
  }

  /** The subscription at the feed has ended. */
  void onLost(TopicNode feed) {
    if (feed == home && next != null) {
      home = next;
      next = null;
    }
  }
}
