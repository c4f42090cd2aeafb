package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.Effect;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.spec.CommandSpec;
import java.util.List;

/**
 * A call without keys, which is sent to all shards. Copies do it once all shards have. Confined to
 * the client's loop.
 */
public final class FollowedCall {

  private final LoopMirror mirror;
  private final Claim claim;
  private final int database;
  private final CommandSpec spec;
  private CopyRequest request = new CopyRequest(List.of());
  private int outstanding; // shards
  private int done;
  private int failed;
  private boolean unclear; // a shard may have done it or not

  FollowedCall(LoopMirror mirror, Claim claim, int database, CommandSpec spec) {
    this.mirror = mirror;
    this.claim = claim;
    this.database = database;
    this.spec = spec;
  }

  /** Follows the parts, one for each shard, which are prepared and not sent yet. */
  public void follow(ClientExchange[] parts) {
    outstanding = parts.length;
    for (ClientExchange part : parts) {
      claim.share();
      part.relayThrough(new Part());
    }
    claim.release();
  }

  /** It is not sent. */
  public void cancel() {
    claim.release();
  }

  private Effect effectOfLast() {
    outstanding--;
    if (outstanding > 0 || (done == 0 && !unclear)) {
      return Effect.NOTHING;
    }
    return unclear || failed > 0 ? Effect.UNKNOWN : Effect.AS_IS;
  }

  private final class Part extends MirroredRequest {

    Part() {
      super(mirror, claim, database);
    }

    @Override
    boolean needsWholeReply() {
      return false;
    }

    @Override
    void read(ClientExchange exchange) {
      request = CopyRequest.of(exchange.command().frame());
    }

    @Override
    void conclude(ByteBuf whole) {
      if (whole.getByte(0) == '-') {
        failed++;
      } else {
        done++;
      }
      end(effectOfLast(), whole);
    }

    @Override
    Effect unknown() {
      unclear = true;
      return effectOfLast();
    }

    @Override
    Effect notRun() {
      failed++;
      return effectOfLast();
    }

    @Override
    CopyTask asIs(ByteBuf whole) {
      return new CopyTask(database, List.of(request), spec, null, List.of());
    }

    @Override
    List<byte[]> keys() {
      return List.of();
    }
  }
}
