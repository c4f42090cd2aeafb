package io.penstock.core.mirroring;

import static io.penstock.core.copies.ReplyPolicy.PRIMARY;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.Effect;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ReplyRelay;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request of a client to the primary, from when it has its stripes until what the copies get is
 * queued. Passes the reply on as the policy says. Confined to the client's loop.
 */
abstract class MirroredRequest implements ReplyRelay {

  private static final Logger log = LoggerFactory.getLogger(MirroredRequest.class);

  private static final byte[] TOO_FEW =
      ErrorReplies.encode("NOCOPIES the command ran, but too few copies have done the same");

  /** Longer replies are not compared with those of copies, in bytes. */
  static final int MOST_COMPARED = 64 * 1024;

  /** Longer replies are passed on as they come, whatever the policy, in bytes. */
  private static final int MOST_KEPT = 16 * 1024 * 1024;

  private final LoopMirror mirror;
  private @Nullable Claim claim; // until it ends
  private final int database;
  private final ReplyPolicy policy;
  private ByteBuf reply = Unpooled.EMPTY_BUFFER; // so far
  private boolean passing; // parts are passed on as they come
  private @Nullable Verdict verdict; // if the client waits for copies

  /**
   * @param claim this takes ownership of one use; null for none
   * @param database see {@link CopyTask#database}
   */
  MirroredRequest(LoopMirror mirror, @Nullable Claim claim, int database) {
    this.mirror = mirror;
    this.claim = claim;
    this.database = database;
    this.policy = mirror.mirror().copies().isEmpty() ? PRIMARY : mirror.mirror().settings().reply();
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

  /** Returns what copies get if it did not run. */
  Effect notRun() {
    return Effect.NOTHING;
  }

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
    if (policy == PRIMARY) {
      onWhole(exchange, null);
      exchange.deliver(buffer, from, to, outcome);
    } else {
      onWhole(exchange, verdict(exchange, outcome));
    }
  }

  @Override
  public final void onReplyPart(
      ClientExchange exchange, ByteBuf buffer, int from, int to, boolean last) {
    keep(buffer, from, to);
    if (policy == PRIMARY || passing) {
      if (last) {
        onWhole(exchange, null);
      }
      exchange.deliverPart(buffer, from, to, last);
    } else if (reply.readableBytes() > MOST_KEPT) {
      passing = true;
      if (last) {
        onWhole(exchange, null);
      }
      exchange.deliverPart(reply, 0, reply.writerIndex(), last);
    } else if (last) {
      onWhole(exchange, verdict(exchange, Outcome.OK));
    }
  }

  private void keep(ByteBuf buffer, int from, int to) {
    if (reply == Unpooled.EMPTY_BUFFER) {
      reply = Unpooled.buffer(to - from, Integer.MAX_VALUE);
    }
    boolean held = policy != PRIMARY && !passing;
    if (held || needsWholeReply() || reply.writerIndex() <= MOST_COMPARED) {
      reply.writeBytes(buffer, from, to - from);
    }
  }

  /** Nothing that fails here may keep others from their keys, or the client from its reply. */
  private void onWhole(ClientExchange exchange, @Nullable Verdict awaited) {
    verdict = awaited;
    try {
      read(exchange);
      conclude(reply);
    } catch (Throwable e) {
      onDefect(e);
    }
  }

  private void onDefect(Throwable cause) {
    log.error("What a command did could not be copied", cause);
    end(Effect.UNKNOWN, reply);
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
    try {
      read(exchange);
      end(mayHaveRun ? unknown() : notRun(), Unpooled.EMPTY_BUFFER);
    } catch (Throwable e) {
      onDefect(e);
    }
  }

  /** Queues what copies get; then others may write to the same keys on other ways. */
  final void end(Effect effect, ByteBuf whole) {
    Claim held = claim;
    claim = null;
    try {
      queue(effect, whole);
    } finally {
      if (held != null) {
        held.release();
      }
    }
  }

  private void queue(Effect effect, ByteBuf whole) {
    Verdict awaited = verdict;
    verdict = null;
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
      case Effect.InDatabases(var parts) -> mirror.doAll(parts, database, awaited);
      case Effect.Unknown() -> {
        mirror.mirror().markAllBehind("it is not known what a command did");
        if (awaited != null) {
          mirror.mirror().copies().forEach(_ -> awaited.tell(false));
        }
      }
    }
  }
}
