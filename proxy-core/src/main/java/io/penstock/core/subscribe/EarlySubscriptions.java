package io.penstock.core.subscribe;

import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscribeRequest;
import io.penstock.core.pubsub.Subscriber;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names that a transaction will subscribe to, subscribed to before its commands run at a node,
 * so that the client misses no message that is published after they ran. Keeps messages until
 * {@code EXEC} comes to the {@code SUBSCRIBE}. Confined to its loop.
 */
final class EarlySubscriptions {

  /** Names of a transaction for which this is done; these take one slice of the loop's time. */
  static final int MOST_NAMES = 1_000;

  private final Hub hub;
  private final Client client;
  private final KeptMessages kept;
  private final Map<Kind, SubscribeRequest> pending = new EnumMap<>(Kind.class);
  private @Nullable Runnable then;

  EarlySubscriptions(ClientContext context, Hub hub) {
    this.hub = hub;
    this.client = context.client();
    this.kept = new KeptMessages(context, hub);
  }

  /**
   * Begins to subscribe.
   *
   * @param deadline {@link System#nanoTime()} until which it is tried
   * @param next runs when all names are subscribed to, or some cannot be; not after {@link #close}
   */
  void begin(Map<Kind, Set<Name>> names, long deadline, Runnable next) {
    then = next;
    names.forEach((kind, ofKind) ->
        pending.put(kind, hub.begin(kept, kind, deadline, new Result(kind, ofKind))));
    names.forEach((kind, ofKind) -> {
      SubscribeRequest request = Objects.requireNonNull(pending.get(kind));
      ofKind.forEach(name -> hub.add(request, name));
      hub.end(request);
    });
    hub.flush();
    runIfComplete();
  }

  private void runIfComplete() {
    Runnable next = then;
    if (next == null || !pending.isEmpty()) {
      return;
    }
    then = null;
    try {
      next.run();
    } catch (Throwable e) { // must not close the connection to the node
      client.fail(e);
    }
  }

  /** The result for the names of one kind. */
  private final class Result implements SubscribeRequest.Callback {

    private final Kind kind;
    private final Set<Name> names;

    Result(Kind kind, Set<Name> names) {
      this.kind = kind;
      this.names = names;
    }

    @Override
    public void onSubscribed() {
      SubscribeRequest request = Objects.requireNonNull(pending.remove(kind));
      for (Name name : names) {
        kept.begin(kind, hub.addSubscriber(request, name));
      }
      runIfComplete();
    }

    /** The {@code SUBSCRIBE} itself will get the error. */
    @Override
    public void onError(byte[] error) {
      giveUp();
    }

    @Override
    public void onRefused(HandshakeError error) {
      giveUp();
    }

    @Override
    public void onFailure(Failure failure) {
      giveUp();
    }

    private void giveUp() {
      pending.remove(kind);
      runIfComplete();
    }
  }

  /** The client itself is subscribed to the name now: passes on the messages kept for it. */
  void handOver(Kind kind, Name name, Subscriber to) {
    kept.handOver(kind, name, to);
  }

  /** Ends what was not handed over, and drops its messages. */
  void close() {
    then = null;
    pending.values().forEach(hub::cancel);
    pending.clear();
    kept.close();
    hub.flush();
  }
}
