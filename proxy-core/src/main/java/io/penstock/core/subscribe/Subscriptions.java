package io.penstock.core.subscribe;

import io.penstock.core.client.ClientContext;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import java.util.EnumSet;
import java.util.Set;

/**
 * The subscriptions of one client as its session knows them. {@link #NONE} is for all clients that
 * have never sent a request to subscribe or unsubscribe, so that these take no memory for it.
 * Confined to the client's loop.
 */
public sealed interface Subscriptions permits NoSubscriptions, ClientSubscriptions {

  /** Of a client that has never sent a request to subscribe or unsubscribe. */
  Subscriptions NONE = new NoSubscriptions();

  /** What a RESP2 client with subscriptions may send besides requests about subscriptions. */
  Set<LocalCommand> OTHER_PERMITTED =
      EnumSet.of(LocalCommand.PING, LocalCommand.QUIT, LocalCommand.RESET);

  /** Whether a RESP2 client with subscriptions may send the command. */
  static boolean permits(CommandSpec spec) {
    return spec.handling() instanceof Handling.Local(LocalCommand which)
        && (which.area() == LocalCommand.Area.SUBSCRIPTION || OTHER_PERMITTED.contains(which));
  }

  /**
   * Returns the object that handles the client's requests to subscribe and unsubscribe: this one,
   * or a new one that replaces {@link #NONE}.
   */
  ClientSubscriptions open(ClientContext context, SubscribeLoop subscribeLoop);

  /**
   * Whether the client may change to other routes when its requests are answered: the hub is the
   * same, or the client has nothing in it.
   */
  boolean mayChangeTo(SubscribeLoop other);

  /** Returns these subscriptions for other routes, if the client {@link #mayChangeTo} them. */
  Subscriptions changedTo(ClientContext other, SubscribeLoop otherLoop);

  /** Whether the client has subscriptions. */
  boolean isSubscriber();

  /** Whether the client may only send the commands that {@link #permits} allows. */
  boolean isRestricted();

  /** A condition of names that a client is subscribed to. */
  interface NameTest {

    /**
     * Returns whether a name meets the condition.
     *
     * @param name one character per byte
     */
    boolean test(String name, boolean isPattern);
  }

  /** Whether all names that the client is subscribed to meet the condition. */
  boolean allMatch(NameTest test);

  /** The number of names of a kind that the client is subscribed to. */
  int count(Kind kind);

  /** Estimated memory of the names in bytes. */
  long size();

  /** Length of the messages that wait to be written, in bytes. */
  long bufferedBytes();

  /**
   * Whether a request must wait: for the one that subscribes or unsubscribes now, or, if it changes
   * how messages are written, for all requests before it. Messages may still be buffered after the
   * client has unsubscribed.
   */
  boolean mustWait(RoutePlan plan);

  /** The number of requests to subscribe or unsubscribe that are not answered yet. */
  int unansweredCalls();

  /** A reply that was written in parts has ended, and the next one has not begun. */
  void onReplyEnded();

  /** The reply to the request of this number was written: messages that wait for it may follow. */
  void releaseMessages(long requestNumber);

  /** Writes the buffered messages, before the protocol changes. */
  void beforeProtocolChange();

  /** A transaction has ended, with or without an effect. */
  void onTransactionEnd();

  /** {@code RESET}: messages received so far are written before its reply, and none behind it. */
  void reset();

  /** The connection closes when all pending replies are written. */
  void drain();

  /** Drops the buffered messages: the connection is closed before they are written. */
  void discardMessages();

  /** The connection is closed: releases everything. */
  void close();
}
