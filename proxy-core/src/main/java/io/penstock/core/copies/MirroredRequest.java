package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.Effect;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ReplyRelay;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client to the primary, from when it has its stripes until what the copies get is
 * queued. Passes the reply on as the policy says. Confined to the client's loop.
 */
abstract class MirroredRequest implements ReplyRelay {

  private static final byte[] TOO_FEW =
      ErrorReplies.encode("NOCOPIES the command ran, but too few copies have done the same");

  /** Longer replies are not compared with those of copies, in bytes. */
  static final int MOST_COMPARED = 64 * 1024;

  /** Longer replies are passed on as they come, whatever the policy, in bytes. */
  private static final int MOST_KEPT = 16 * 1024 * 1024;

  private final LoopMirror mirror;
  private final Claim claim;
  private final int database;
  private final ReplyPolicy policy;
  private ByteBuf reply = Unpooled.EMPTY_BUFFER; // so far
  private boolean passing; // parts are passed on as they come
  private @Nullable Verdict verdict; // if the client waits for copies

  /**
   * @param claim this takes ownership of one use
   * @param database see {@link CopyTask#database}
   */
  MirroredRequest(LoopMirror mirror, Claim claim, int database) {
    this.mirror = mirror;
    this.claim = claim;
    this.database = database;
    this.policy = mirror.mirror().settings().reply();
  }

  final LoopMirror mirror() {
    return mirror;
  }

  final int database() {
    return database;
  }

  /** Returns whether the effect depends on the whole reply. */
  abstract boolean needsWholeReply();

  /** Reads what is needed of the request; its bytes are released after that. */
  abstract void read(ClientExchange exchange);

  /**
   * The reply is here: calls {@link #end} with what the copies get, now or later.
   *
   * @param whole the reply; or, if it is long, at least its first line
   */
  abstract void conclude(ByteBuf whole);

  /** Returns what copies get if the reply did not come. After {@link #read}. */
  abstract Effect unknown();

  /** Returns the task of a call that is copied as it is. */
  abstract CopyTask asIs(ByteBuf whole);

  /** Returns the keys that the request concerns. */
  abstract List<byte[]> keys();

  @Override
  public void onDispatched(ClientExchange exchange, Consumer<PlacedExchange> sender) {
    // Nothing comes behind it.
  }

  @Override
  public final void onReply(
      ClientExchange exchange, ByteBuf buffer, int from, int to, Outcome outcome) {
    keep(buffer, from, to);
    read(exchange);
    if (policy == ReplyPolicy.PRIMARY) {
      conclude(reply, null);
      exchange.deliver(buffer, from, to, outcome);
    } else {
      conclude(reply, verdict(exchange, outcome));
    }
  }

  @Override
  public final void onReplyPart(
      ClientExchange exchange, ByteBuf buffer, int from, int to, boolean last) {
    keep(buffer, from, to);
    if (last) {
      read(exchange);
    }
    if (policy == ReplyPolicy.PRIMARY || passing) {
      if (last) {
        conclude(reply, null);
      }
      exchange.deliverPart(buffer, from, to, last);
    } else if (reply.readableBytes() > MOST_KEPT) {
      passing = true;
      exchange.deliverPart(reply, 0, reply.writerIndex(), last);
    } else if (last) {
      conclude(reply, verdict(exchange, Outcome.OK));
    }
  }

  private void keep(ByteBuf buffer, int from, int to) {
    if (reply == Unpooled.EMPTY_BUFFER) {
      reply = Unpooled.buffer(to - from, Integer.MAX_VALUE);
    }
    boolean held = policy != ReplyPolicy.PRIMARY && !passing;
    if (held || needsWholeReply() || reply.writerIndex() <= MOST_COMPARED) {
      reply.writeBytes(buffer, from, to - from);
    }
  }

  private void conclude(ByteBuf whole, @Nullable Verdict awaited) {
    verdict = awaited;
    conclude(whole);
  }

  private Verdict verdict(ClientExchange exchange, Outcome outcome) {
    return new Verdict(
        mirror.loop(),
        policy,
        mirror.mirror().copies().size(),
        mirror.side().timeoutNanos(),
        enough -> {
          if (enough || policy == ReplyPolicy.QUORUM) {
            exchange.deliver(reply, 0, reply.writerIndex(), outcome);
          } else {
            exchange.answer(TOO_FEW, Outcome.ERROR);
          }
        });
  }

  @Override
  public final void onReplyDropped() {
    reply = Unpooled.EMPTY_BUFFER;
    passing = false;
  }

  @Override
  public final void onAnswer(ClientExchange exchange, byte[] answer, Outcome outcome) {
    onEnd(exchange, outcome == Outcome.TIMEOUT || outcome == Outcome.CONNLOST);
    exchange.answer(answer, outcome);
  }

  @Override
  public final void onEnd(ClientExchange exchange, boolean mayHaveRun) {
    if (mayHaveRun) {
      read(exchange);
      end(unknown(), Unpooled.EMPTY_BUFFER);
    } else {
      end(Effect.NOTHING, Unpooled.EMPTY_BUFFER);
    }
  }

  /** Queues what copies get; then others may write to the same keys on other ways. */
  final void end(Effect effect, ByteBuf whole) {
    Verdict awaited = verdict;
    switch (effect) {
      case Effect.Nothing() -> {
        if (awaited != null) {
          awaited.endWithoutCopies();
        }
      }
      case Effect.AsIs() -> mirror.offer(asIs(whole), awaited);
      case Effect.Instead(var requests) ->
          mirror.offer(new CopyTask(database, requests, null, null, keys()), awaited);
      case Effect.CopyAgain(var first, var keys) -> {
        if (!first.isEmpty()) {
          mirror.offer(new CopyTask(database, first, null, null, List.of()), null);
        }
        mirror.copyAgain(database, keys, awaited);
      }
      case Effect.Unknown() -> {
        mirror.mirror().markAllBehind("nobody knows what a command without keys did");
        if (awaited != null) {
          mirror.mirror().copies().forEach(_ -> awaited.tell(false));
        }
      }
    }
    claim.release();
  }
}
