package io.penstock.core.forward;

import io.penstock.core.client.Client;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.transport.Loop;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of messages until the clients that have asked for their channels before are subscribed
 * to them. If nobody is subscribed to a channel, other loops first read what their clients have
 * sent. The request that sends the messages is put back meanwhile. Confined to the loop of the
 * client that publishes.
 */
final class SubscribersWait {

  /** The longest wait: a node that does not answer must not keep the client waiting. */
  private static final long MOST_MILLIS = 250;

  private final Loop loop;
  private final Hub hub;
  private final List<Channel> channels;
  private final Resumption then;
  private int awaited; // channels
  private boolean over;

  private SubscribersWait(Loop loop, Hub hub, List<Channel> channels, Resumption then) {
    this.loop = loop;
    this.hub = hub;
    this.channels = channels;
    this.then = then;
  }

  /** Handles a client's request that has waited, and those that have arrived with it. */
  static final class Resumption {

    private final Client client;
    private boolean othersAreRead; // all that had arrived at other loops before these requests

    Resumption(Client client) {
      this.client = client;
    }

    private void run() {
      othersAreRead = true;
      try {
        client.processInput();
      } catch (Throwable e) { // the executor would drop it, and the client would wait for ever
        client.fail(e);
      } finally {
        othersAreRead = false;
      }
    }
  }

  /** Begins a wait, if there is something to wait for. */
  static @Nullable SubscribersWait begin(
      Loop loop, Hub hub, List<Channel> channels, Resumption then) {
    if (!then.othersAreRead && channels.stream().anyMatch(hub::mayHaveUnreadSubscriber)) {
      var wait = new SubscribersWait(loop, hub, channels, then);
      hub.whenAllAreRead(wait::onRead);
      return wait;
    }
    if (hub.subscriberCounts().pending().isEmpty()) {
      return null;
    }
    var wait = new SubscribersWait(loop, hub, channels, then);
    return wait.awaitPending() ? wait : null;
  }

  private void onRead() {
    if (!awaitPending()) {
      end();
    }
  }

  private boolean awaitPending() {
    for (Channel channel : channels) {
      if (hub.subscriberCounts().pending().whenEnded(channel, this::endOneFromAnyThread)) {
        awaited++;
      }
    }
    if (awaited > 0) {
      loop.executor().schedule(this::end, MOST_MILLIS, TimeUnit.MILLISECONDS);
    }
    return awaited > 0;
  }

  /** Whether the messages may be sent. */
  boolean isOver() {
    return over;
  }

  private void endOneFromAnyThread() {
    try {
      loop.executor().execute(this::endOne);
    } catch (RejectedExecutionException _) {
      // The loop has been shut down, and its clients are closed.
    }
  }

  private void endOne() {
    awaited--;
    if (awaited == 0) {
      end();
    }
  }

  /** Ends the wait: has the messages sent. */
  void end() {
    if (!over) {
      over = true;
      then.run();
    }
  }
}
