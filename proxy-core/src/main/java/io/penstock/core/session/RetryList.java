package io.penstock.core.session;

import java.util.ArrayList;
import java.util.List;

/** Retries of one session by the order of their requests. Confined to its loop. */
final class RetryList {

  private final List<Retry> retries = new ArrayList<>(0);

  boolean isEmpty() {
    return retries.isEmpty();
  }

  /** To be looked at while nothing is added or removed. */
  List<Retry> view() {
    return retries;
  }

  /** To be looked at while callbacks may add or remove. */
  List<Retry> copy() {
    return List.copyOf(retries);
  }

  /**
   * The entry of a request that was refused now: a new one, or the one it has, for another attempt.
   */
  Retry entryFor(Routed request) {
    int at = retries.size(); // from the end: refusals come in the order of the requests
    for (; at > 0; at--) {
      Retry known = retries.get(at - 1);
      if (known.request == request) {
        known.sent = false;
        known.attempts++;
        return known;
      }
      if (known.request.order() < request.order()) {
        break;
      }
    }
    Retry retry = new Retry(request);
    retries.add(at, retry);
    return retry;
  }

  /** Removes the entry of a request that is over. */
  void remove(Routed request) {
    for (int i = 0; i < retries.size(); i++) {
      if (retries.get(i).request == request) {
        retries.remove(i).over = true;
        return;
      }
    }
  }
}
