package io.penstock.core.retry;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The retries of one client in the order of their requests. Confined to its loop. */
final class RetryList {

  /** A request behind more retries waits, which bounds the search. */
  private static final int MAX_EARLIER = 64;

  private final List<Retry> retries = new ArrayList<>(0);

  boolean isEmpty() {
    return retries.isEmpty();
  }

  /** Returns the retries; they must not change during iteration. */
  List<Retry> view() {
    return retries;
  }

  /** Returns a copy, for iterations whose callbacks may add or remove retries. */
  List<Retry> copy() {
    return List.copyOf(retries);
  }

  /**
   * Returns the entry of a request that did not run: a new one, or its existing one, for another
   * attempt.
   */
  Retry entryFor(ClientExchange request) {
    int at = indexOf(request);
    if (at < retries.size() && retries.get(at).request == request) {
      Retry known = retries.get(at);
      known.markNotRun();
      return known;
    }
    Retry retry = new Retry(request);
    retries.add(at, retry);
    return retry;
  }

  /** Removes the entry of a request that has ended. */
  void remove(ClientExchange request) {
    int at = indexOf(request);
    if (at < retries.size() && retries.get(at).request == request) {
      retries.remove(at).markAnswered();
    }
  }

  /**
   * Returns the waiting retries that came before a request that ran and may not be sent any more:
   * they may concern a key of it, and not both only read. Such retries in flight are only marked:
   * they may have run before it.
   *
   * @param placement by which a request for a whole shard is compared with others
   */
  List<Retry> overtakenBy(ClientExchange request, Placement placement) {
    List<Retry> overtaken = new ArrayList<>(0);
    RequestKeys keys = null;
    for (Retry retry : retries) {
      ClientExchange earlier = retry.request;
      if (earlier.requestNumber() >= request.requestNumber()) {
        break;
      }
      if (!retry.isOvertaken()
          && earlier.mayShareKeyWith(request, placement)
          && !(earlier.isReadOnly() && request.isReadOnly())) {
        keys = keys == null ? request.keys() : keys;
        if (keys.overlaps(retry.keys())) {
          if (retry.overtake()) {
            overtaken.add(retry);
          }
        }
      }
    }
    return overtaken;
  }

  /**
   * Returns whether all earlier retries of its partition are in flight to {@code target} and may be
   * followed closely.
   */
  boolean mayFollowEarlier(Retry retry, @Nullable Endpoint target) {
    int before = 0;
    for (Retry earlier : retries) {
      if (earlier.request.requestNumber() >= retry.request.requestNumber()) {
        break;
      }
      boolean samePartition =
          earlier.request.hasSameDestination(retry.request)
              || earlier.request.isForShard()
              || retry.request.isForShard();
      if (++before > MAX_EARLIER
          || (samePartition
              && (earlier.isWaiting()
                  || earlier.mustRunAlone()
                  || retry.mustRunAlone()
                  || !Objects.equals(target, earlier.request.sentTo())))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the request, or where to insert it: behind those that came before it. */
  private int indexOf(ClientExchange request) {
    int at = firstNotBefore(request.requestNumber());
    for (; at < retries.size(); at++) { // parts of one request have the same number
      ClientExchange there = retries.get(at).request;
      if (there == request || there.requestNumber() > request.requestNumber()) {
        break;
      }
    }
    return at;
  }

  private int firstNotBefore(long order) {
    int low = 0;
    int high = retries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (retries.get(middle).request.requestNumber() < order) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
