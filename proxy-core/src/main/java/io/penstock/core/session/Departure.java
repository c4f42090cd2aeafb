package io.penstock.core.session;

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
final class Departure implements Sliced {

  private static final Logger log = LoggerFactory.getLogger(Departure.class);

  private final SessionLoop loop;
  private final Subscriber subscriber;
  private final SubscribedNames names;
  private final long size;
  private final Queue<Kind> kinds = new ArrayDeque<>(List.of(Kind.values()));
  private Kind kind = Kind.CHANNEL;
  private Iterator<Name> rest = List.<Name>of().iterator();

  /**
   * @param names nobody else's any more
   */
  Departure(SessionLoop loop, Subscriber subscriber, SubscribedNames names, long size) {
    this.loop = loop;
    this.subscriber = subscriber;
    this.names = names;
    this.size = size;
  }

  void run() {
    loop.memory().lingersOnHeap(size);
    loop.loop().slices().beginNow(this);
  }

  @Override
  public boolean goOn() {
    Hub hub = loop.hub();
    boolean more = next();
    for (int i = 1; more; i++) {
      hub.leave(subscriber, kind, rest.next());
      more = i < Slices.LONG_STEPS && next();
    }
    hub.flush();
    more = next();
    if (!more) {
      loop.memory().lingersOnHeap(-size);
    }
    return more;
  }

  @Override
  public void broke(Throwable cause) {
    log.error("the subscriptions of a client that is gone could not be ended", cause);
    loop.memory().lingersOnHeap(-size);
  }

  private boolean next() {
    while (!rest.hasNext() && !kinds.isEmpty()) {
      kind = kinds.remove();
      rest = names.of(kind).iterator();
    }
    return rest.hasNext();
  }
}
