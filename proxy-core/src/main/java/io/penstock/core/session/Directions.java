package io.penstock.core.session;

import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.ProxyStats.Redirection;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import org.jspecify.annotations.Nullable;

/** What a refusal says of the topology, and where it sends the refused request. */
final class Directions {

  private Directions() {}

  /**
   * Takes note of a refusal of {@code retry}'s request.
   *
   * @param redirect what it says, if it is one
   * @return whether the request may go at once where this says
   */
  static boolean take(
      Topology topology, Retry retry, Redirection kind, @Nullable Redirect redirect) {
    switch (kind) {
      case CLUSTERDOWN -> topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      case READONLY, MASTERDOWN -> topology.requestRefresh(RefreshTrigger.READONLY);
      case MOVED, ASK, TRYAGAIN, LOADING, NOSCRIPT -> {}
    }
    Endpoint answered = retry.request.sentTo();
    return redirect != null && answered != null && follow(topology, retry, redirect, answered);
  }

  private static boolean follow(
      Topology topology, Retry retry, Redirect redirect, Endpoint answered) {
    Routed request = retry.request;
    Endpoint target = redirect.target(answered);
    if (request.isScript() && !topology.current().contains(target)) {
      topology.requestRefresh(RefreshTrigger.UNKNOWN_NODE); // anybody's words
      return false;
    }
    if (redirect.kind() == Redirect.Kind.MOVED) {
      topology.moved(redirect.slot(), target);
      // The node found a key that was not known to be one; a slot's owner does not mind ASKING.
      retry.askTarget = request.isFor(redirect.slot()) ? null : target;
    } else {
      topology.requestRefresh(RefreshTrigger.ASK);
      retry.askTarget = target;
    }
    return true;
  }
}
