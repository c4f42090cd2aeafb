package io.penstock.core.subscribe;

import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.Subscriber;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the subscriptions of a client that has closed or reset its connection, in slices: there
 * may be a million. Their memory counts until then. Confined to its loop.
 */
final class SubscriptionRemoval implements Sliced {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionRemoval.class);

  private final SubscribeLoop loop;
  private final Subscriber subscriber;
  private final SubscribedNames names;
  private final long size;
  private final Queue<Kind> kinds = new ArrayDeque<>(List.of(Kind.values()));
  private Kind kind = Kind.CHANNEL;
  private Iterator<Name> rest = List.<Name>of().iterator();

  /**
   * @param names takes ownership
   */
  SubscriptionRemoval(SubscribeLoop loop, Subscriber subscriber, SubscribedNames names, long size) {
    this.loop = loop;
    this.subscriber = subscriber;
    this.names = names;
    this.size = size;
  }

  /**
   * Runs the first slice now, if there are few names, and the others in later turns of the loop.
   */
  void run(Slices slices) {
    loop.memory().addClosedHeapBytes(size);
    slices.startInTurn(this, names.count());
  }

  @Override
  public boolean step() {
    Hub hub = loop.hub();
    boolean more = next();
    for (int i = 1; more; i++) {
      hub.removeSubscriber(subscriber, kind, rest.next());
      more = i < Slices.LONG_STEPS_PER_SLICE && next();
    }
    hub.flush();
    more = next();
    if (!more) {
      loop.memory().addClosedHeapBytes(-size);
    }
    return more;
  }

  @Override
  public void onFailure(Throwable cause) {
    log.error("The subscriptions of a closed client could not be removed", cause);
    loop.memory().addClosedHeapBytes(-size);
  }

  private boolean next() {
    while (!rest.hasNext() && !kinds.isEmpty()) {
      kind = kinds.remove();
      rest = names.of(kind).iterator();
    }
    return rest.hasNext();
  }
}
