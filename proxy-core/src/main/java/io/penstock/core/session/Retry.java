package io.penstock.core.session;

import io.penstock.core.cluster.Node;
import io.penstock.core.observe.Outcome;
import org.jspecify.annotations.Nullable;

/** What is known of a request that its node refused or never got. Confined to its loop. */
final class Retry {

  final Routed request;

  /** What the client gets when there is no time left. */
  byte[] refusal = ErrorReplies.UNAVAILABLE;

  Outcome outcome = Outcome.ERROR;

  /** Where an ASK sent it; holds for the moment only. */
  @Nullable Node askTarget;

  /** It is on its way. */
  boolean sent;

  /** It was answered. */
  boolean over;

  /** What refused it may refuse it again while it lets others pass: nothing follows it closely. */
  boolean probes;

  int attempts;
  long notBefore;
  private @Nullable RequestKeys keys;

  Retry(Routed request) {
    this.request = request;
  }

  RequestKeys keys() {
    RequestKeys known = keys;
    if (known == null) {
      known = request.keys();
      keys = known;
    }
    return known;
  }

  /**
   * Whether it is the only one of its slot on the way. A command of several keys may be refused
   * with TRYAGAIN where the next one, for one of them, is not.
   */
  boolean goesAlone() {
    return probes || keys().keys().size() != 1;
  }
}
