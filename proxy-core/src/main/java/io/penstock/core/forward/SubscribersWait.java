package io.penstock.core.forward;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.PendingSubscriptions;
import io.penstock.core.transport.Loop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a message until the clients that have asked for its channel before are subscribed to
 * it. Its request is put back meanwhile. Confined to the loop of the client that publishes.
 */
final class SubscribersWait {

  /** The longest wait: a node that does not answer must not keep the client waiting. */
  private static final long MOST_MILLIS = 250;

  private final Client client;
  private final Loop loop;
  private boolean over;

  private SubscribersWait(ClientContext context) {
    this.client = context.client();
    this.loop = context.loop();
  }

  /** Begins a wait, if there is something to wait for. */
  static @Nullable SubscribersWait begin(
      ClientContext context, PendingSubscriptions pending, Kind kind, Name channel) {
    var wait = new SubscribersWait(context);
    if (!pending.whenEnded(kind, channel, wait::endFromAnyThread)) {
      return null;
    }
    wait.loop.executor().schedule(wait::end, MOST_MILLIS, TimeUnit.MILLISECONDS);
    return wait;
  }

  /** Whether the message may be sent. */
  boolean isOver() {
    return over;
  }

  private void endFromAnyThread() {
    try {
      loop.executor().execute(this::end);
    } catch (RejectedExecutionException _) {
      // The loop has been shut down, and its clients are closed.
    }
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    try {
      client.processInput();
    } catch (Throwable e) { // the executor would drop it, and the client would wait for ever
      client.fail(e);
    }
  }
}
