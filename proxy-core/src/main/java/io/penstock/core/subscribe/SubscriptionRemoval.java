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
 * Ends the subscriptions of a client that is gone or has reset its connection, in slices: there may
 * be a million. What they take counts until then. Confined to its loop.
 */
final class SubscriptionRemoval implements Sliced {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionRemoval.class);

  private final SubscribeSite site;
  private final Subscriber subscriber;
  private final SubscribedNames names;
  private final long size;
  private final Queue<Kind> kinds = new ArrayDeque<>(List.of(Kind.values()));
  private Kind kind = Kind.CHANNEL;
  private Iterator<Name> rest = List.<Name>of().iterator();

  /**
   * @param names nobody else's any more
   */
  SubscriptionRemoval(SubscribeSite site, Subscriber subscriber, SubscribedNames names, long size) {
    this.site = site;
    this.subscriber = subscriber;
    this.names = names;
    this.size = size;
  }

  /** Begins, as far as one turn of the loop goes. */
  void run(Slices slices) {
    site.memory().addClosedHeapBytes(size);
    slices.startNow(this);
  }

  @Override
  public boolean step() {
    Hub hub = site.hub();
    boolean more = next();
    for (int i = 1; more; i++) {
      hub.removeSubscriber(subscriber, kind, rest.next());
      more = i < Slices.LONG_STEPS_PER_SLICE && next();
    }
    hub.flush();
    more = next();
    if (!more) {
      site.memory().addClosedHeapBytes(-size);
    }
    return more;
  }

  @Override
  public void onFailure(Throwable cause) {
    log.error("the subscriptions of a client that is gone could not be ended", cause);
    site.memory().addClosedHeapBytes(-size);
  }

  private boolean next() {
    while (!rest.hasNext() && !kinds.isEmpty()) {
      kind = kinds.remove();
      rest = names.of(kind).iterator();
    }
    return rest.hasNext();
  }
}
