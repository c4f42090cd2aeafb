package io.penstock.core.subscribe;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Message;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.Subscriber;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The messages for names that nodes have confirmed before the client may get its confirmation,
 * since earlier requests of it are not answered yet. Confined to its loop.
 */
final class KeptMessages implements Subscriber {

  private final Hub hub;
  private final Client client;
  private final Allowance account;
  private final Map<Kind, Map<Name, ArrayDeque<Message>>> kept = new EnumMap<>(Kind.class);

  KeptMessages(ClientContext context, Hub hub) {
    this.hub = hub;
    this.client = context.client();
    this.account = context.account();
  }

  /**
   * Keeps the messages for a name from now on; it is subscribed to with this subscriber. Does
   * nothing if they are kept already.
   */
  void begin(Kind kind, Name name) {
    kept.computeIfAbsent(kind, _ -> new HashMap<>()).putIfAbsent(name, new ArrayDeque<>(0));
  }

  @Override
  public void onMessage(Message message) {
    ArrayDeque<Message> earlier = messages(message.kind()).get(message.name());
    if (earlier != null) {
      earlier.add(message.copy());
      account.addKept(message.length());
      account.check();
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }

  private Map<Name, ArrayDeque<Message>> messages(Kind kind) {
    return kept.getOrDefault(kind, Map.of());
  }

  /**
   * Ends keeping the messages for a name, and passes on those that were kept.
   *
   * @param to the client, which is subscribed to the name now
   */
  void handOver(Kind kind, Name name, Subscriber to) {
    Map<Name, ArrayDeque<Message>> ofKind = kept.get(kind);
    ArrayDeque<Message> messages = ofKind == null ? null : ofKind.remove(name);
    if (messages != null) {
      hub.removeSubscriber(this, kind, name);
      messages.forEach(message -> {
        to.onMessage(message);
        release(message);
      });
    }
  }

  private void release(Message message) {
    account.addKept(-message.length());
    message.release();
  }

  /** Drops what was not handed over. The caller flushes the hub. */
  void close() {
    kept.forEach((kind, names) ->
        names.forEach((name, messages) -> {
          hub.removeSubscriber(this, kind, name);
          messages.forEach(this::release);
        }));
    kept.clear();
  }
}
