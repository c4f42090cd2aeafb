package io.penstock.core.retry;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Retries of one client by the order of their requests. Confined to its loop. */
final class RetryList {

  /** Behind so many others a request waits, that to look at each of them stays cheap. */
  private static final int MAX_EARLIER = 64;

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

  /** Removes the entry of a request that is over. */
  void remove(ClientExchange request) {
    int at = indexOf(request);
    if (at < retries.size() && retries.get(at).request == request) {
      retries.remove(at).markAnswered();
    }
  }

  /**
   * Those that came before a request that ran, wait to be sent, and may not be any more: they are
   * about a key of it, and not both only read. Those that are on their way are marked: they may
   * have run before it.
   *
   * @param map by which requests for a whole shard meet others
   */
  List<Retry> overtakenBy(ClientExchange request, Placement map) {
    List<Retry> overtaken = new ArrayList<>(0);
    RequestKeys keys = null;
    for (Retry retry : retries) {
      ClientExchange earlier = retry.request;
      if (earlier.requestNumber() >= request.requestNumber()) {
        break;
      }
      if (!retry.isOvertaken()
          && earlier.mayShareKeyWith(request, map)
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
   * Whether all before it, of its partition, are on their way to {@code target} and may be
   * followed.
   */
  boolean mayFollowEarlier(Retry retry, @Nullable Endpoint target) {
    int before = 0;
    for (Retry earlier : retries) {
      if (earlier.request.requestNumber() >= retry.request.requestNumber()) {
        break;
      }
      boolean sameSlot =
          earlier.request.hasSameDestination(retry.request)
              || earlier.request.isForShard()
              || retry.request.isForShard();
      if (++before > MAX_EARLIER
          || (sameSlot
              && (earlier.isWaiting()
                  || earlier.mustRunAlone()
                  || retry.mustRunAlone()
                  || !Objects.equals(target, earlier.request.sentTo())))) {
        return false;
      }
    }
    return true;
  }

  /** Where the request is, or belongs: behind those that came before it. */
  private int indexOf(ClientExchange request) {
    int at = firstNotBefore(request.requestNumber());
    for (; at < retries.size(); at++) { // parts of one request share their place in the order
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
