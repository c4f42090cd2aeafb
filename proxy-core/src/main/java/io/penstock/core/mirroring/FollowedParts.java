package io.penstock.core.mirroring;

import io.penstock.core.retry.ClientExchange;
import java.util.function.Function;

/**
 * The stripes of a request that is sent in parts, some of which may not be made yet. Confined to
 * the client's loop.
 */
public final class FollowedParts {

  private final Claim claim;
  private final Function<ClientExchange, MirroredRequest> follower;

  FollowedParts(Claim claim, Function<ClientExchange, MirroredRequest> follower) {
    this.claim = claim;
    this.follower = follower;
  }

  /** Follows the next part, which is prepared and not sent yet. */
  public void follow(ClientExchange part) {
    claim.share();
    part.relayThrough(follower.apply(part));
  }

  /** There are no more parts. */
  public void end() {
    claim.release();
  }
}
