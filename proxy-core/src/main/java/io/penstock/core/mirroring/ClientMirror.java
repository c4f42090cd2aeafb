package io.penstock.core.mirroring;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Client;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.mirror.MirroredCall;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Mirrored;
import io.penstock.core.spec.ReplyComparison;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client's requests among the mirrored writes of its upstream. A request first gets its stripes
 * ({@link #mustWait}); then each exchange that it is sent with is followed. Confined to the
 * client's loop.
 */
public final class ClientMirror {

  private final LoopMirror mirror;
  private final Client client;
  private final KeyPositions positions = new KeyPositions();
  private @Nullable Lane lane;
  private Protocol protocol = Protocol.RESP2; // of the lane
  private ConnectionKey connections = ConnectionKey.PLAIN; // of the lane
  private @Nullable Claim claim; // of the request that is handled, or was put back

  public ClientMirror(LoopMirror mirror, Client client) {
    this.mirror = mirror;
    this.client = client;
  }

  /**
   * Returns the error with which a request is rejected because copies could not follow; null if it
   * may be sent. Its keys must be valid.
   */
  public @Nullable String refusal(CommandSpec spec, RequestFrame frame) {
    return MirroredCall.refusal(spec, frame);
  }

  /** Returns a transaction's calls, none so far. */
  public MirroredBlock newBlock() {
    return new MirroredBlock(mirror.mirror().fieldsMayExpire(), false);
  }

  /**
   * Returns whether a request must wait for writes of other clients to the same keys. If so, the
   * client's input is processed again later.
   *
   * @param spec of a request that is sent to the primary
   */
  public boolean mustWait(CommandSpec spec, RequestFrame frame) {
    if (claim != null) {
      return !claim.isHeld();
    }
    if (!isFollowed(spec)) {
      return false;
    }
    if (spec.findKeys(frame, positions) <= 0) {
      return !spec.isReadOnly() // the keys of all are not compared
          && mustWait(StripeSet.all(), new Lane(mirror.loop())); // perhaps over other connections
    }
    var wanted = new StripeSet(positions.size());
    for (int i = 0; i < positions.size(); i++) {
      int at = positions.get(i);
      wanted.add(Stripes.of(frame.buffer(), frame.offset(at), frame.length(at)));
    }
    return mustWait(wanted.numbers(), lane());
  }

  /**
   * The same for a transaction.
   *
   * @param alone whether it is sent over a connection of its own, as one that selects databases is
   */
  public boolean mustWait(MirroredBlock block, boolean alone) {
    if (claim != null) {
      return !claim.isHeld();
    }
    if (block.isEmpty()) {
      return false;
    }
    Lane way = alone || block.selects() ? new Lane(mirror.loop()) : lane();
    if (block.hasKeyless()) {
      return mustWait(StripeSet.all(), way);
    }
    List<byte[]> keys = block.keys();
    var wanted = new StripeSet(keys.size());
    for (byte[] key : keys) {
      wanted.add(Stripes.of(key));
    }
    return mustWait(wanted.numbers(), way);
  }

  private boolean mustWait(int[] wanted, Lane way) {
    var made = new Claim(mirror.mirror().stripes(), way, mirror.placement(), wanted, this::resume);
    claim = made;
    made.begin();
    return !made.isHeld();
  }

  private boolean isFollowed(CommandSpec spec) {
    Mirrored how = spec.mirrored();
    return spec.isReadOnly()
        ? isRead(spec)
        : how != Mirrored.NOTHING && how != Mirrored.DATABASE && how != Mirrored.REFUSED;
  }

  /** Whether it is a read that copies answer too. */
  private boolean isRead(CommandSpec spec) {
    ReplyPolicy policy = mirror.mirror().settings().reply();
    return (policy == ReplyPolicy.QUORUM || policy == ReplyPolicy.SAFE_QUORUM)
        && spec.isReadOnly()
        && spec.comparison() != ReplyComparison.NONE;
  }

  /** The request that has waited has its stripes. It uses them now or gets them again later. */
  private void resume() {
    Claim held = claim;
    client.processInput();
    if (held != null && claim == held) {
      releaseUnused();
    }
  }

  /** The request was handled; if it was not sent, its stripes are others'. */
  public void onHandled() {
    if (claim != null) {
      releaseUnused();
    }
  }

  private void releaseUnused() {
    Claim unused = claim;
    claim = null;
    if (unused != null) {
      unused.release();
    }
  }

  private @Nullable Claim take() {
    Claim taken = claim;
    claim = null;
    return taken;
  }

  /**
   * Follows the exchange of the request that is handled.
   *
   * @param frame of the request
   */
  public void follow(ClientExchange exchange, CommandSpec spec, RequestFrame frame) {
    Claim taken = take();
    if (taken != null) {
      exchange.relayThrough(
          new MirroredCallRequest(mirror, taken, database(), spec, frame, spec.isReadOnly()));
    }
  }

  /**
   * Takes the stripes of the request that is handled, each part of which is a call by itself.
   *
   * @return null if copies get nothing
   */
  public @Nullable FollowedParts takeForParts(CommandSpec spec) {
    Claim taken = take();
    return taken == null
        ? null
        : new FollowedParts(
            taken,
            part ->
                new MirroredCallRequest(
                    mirror, taken, database(), spec, part.command().frame(), spec.isReadOnly()));
  }

  /** The same for a call without keys, which all shards run. */
  public @Nullable FollowedCall takeForAll(CommandSpec spec) {
    Claim taken = take();
    return taken == null ? null : new FollowedCall(mirror, taken, database(), spec);
  }

  /** Follows a transaction. Without its stripes, what it has changed is copied again. */
  public void follow(ClientExchange exchange, MirroredBlock block) {
    Claim taken = take();
    if (taken != null || !block.isEmpty()) {
      exchange.relayThrough(new MirroredBlockRequest(mirror, taken, database(), block));
    }
  }

  /** Copies the keys of a call again if its place among other writes is not known. */
  public void copyAgain(CommandSpec spec, RequestFrame frame) {
    mirror.copyAgain(database(), CopyRequest.of(frame).keys(spec, frame), null);
  }

  private int database() {
    return client.connections().database();
  }

  private Lane lane() {
    Lane known = lane;
    ConnectionKey now = client.connections().forMaster();
    if (known == null || protocol != client.protocol() || !connections.equals(now)) {
      protocol = client.protocol();
      connections = now;
      known = mirror.lane(protocol, now, client.affinity());
      lane = known;
    }
    return known;
  }
}
