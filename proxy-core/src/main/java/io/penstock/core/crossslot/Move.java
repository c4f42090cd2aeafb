package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.steps.WatchedNode;
import io.penstock.core.steps.WatchedNode.CallFailure;
import io.penstock.core.steps.WatchedNode.Extent;
import io.penstock.core.transport.Loop;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves something from a key to a key of another partition, in three steps: both keys are read, the
 * destination is written, and what was moved is removed from the source if it is still there. If it
 * is not, the write is undone, and the move begins again. So at each moment what is moved is at the
 * source, at the destination, or at both; never at neither.
 *
 * <p>From the write on, the move goes on to its end even if the client has gone. A failure that
 * leaves it unknown whether a step ran ends it, unless the step can be repeated: it is never undone
 * then. Confined to the client's loop.
 */
final class Move {

  private static final Logger log = LoggerFactory.getLogger(Move.class);
  private static final ThrottledLog notUndone = new ThrottledLog();

  /** The first delay is up to this time, and later ones up to a power of two of it. */
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final int MAX_SHIFT = 5;

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final CrossSlotCounts counts;
  private final long maxBytes;
  private final ReplySlot whole;
  private final Moved moved;
  private final CountedReplies gathered;
  private final WatchedNode source;
  private final WatchedNode destination;
  private final long deadline;
  private int attempts;
  private int looks; // that are outstanding
  private @Nullable CallFailure lookFailure;
  private boolean left; // something at the destination that others may rely on
  private Runnable whenEnded; // before the reply
  private @Nullable Runnable whenNothingThere;

  Move(CrossSlotContext context, RetryableErrors errors, ReplySlot whole, Keys keys, Moved moved) {
    ClientContext needs = context.forward().clientContext();
    this.client = needs.client();
    this.nodes = needs.nodes();
    this.loop = needs.loop();
    this.counts = context.loop().counts();
    this.maxBytes = context.loop().limit().maxBytes();
    this.whole = whole;
    this.moved = moved;
    this.gathered = new CountedReplies(needs, context.loop().limit());
    this.source = new WatchedNode(needs, errors, keys.source(), client.connections(), gathered);
    this.destination =
        new WatchedNode(needs, errors, keys.destination(), keys.connections(), gathered);
    this.deadline = loop.tick() + nodes.retryWindowNanos();
    this.whenEnded = () -> client.resume(whole);
  }

  /**
   * Makes it a part of a call that waits for the source.
   *
   * @param nothingThere runs instead of a nil reply: the source has nothing, and the move is over
   * @param ended runs before the reply; it resumes the client
   */
  Move waitingBy(Runnable nothingThere, Runnable ended) {
    whenNothingThere = nothingThere;
    whenEnded = ended;
    return this;
  }

  /**
   * Where the two keys are.
   *
   * @param source partition
   * @param destination partition
   * @param connections to the destination's database
   */
  record Keys(int source, int destination, ConnectionKey connections) {}

  /** Reads both keys, also after a lost race. */
  void begin() {
    moved.release();
    gathered.reset();
    if (client.isClosed()) {
      end();
      return;
    }
    List<ByteBuf> there = moved.lookAtDestination();
    looks = there.isEmpty() ? 1 : 2;
    lookFailure = null;
    call(
        source,
        moved.lookAtSource(),
        true,
        replies -> read(moved::readSource, replies),
        this::unread);
    if (!there.isEmpty()) {
      call(
          destination, there, true, replies -> read(moved::readDestination, replies), this::unread);
    }
  }

  private void read(Consumer<List<ByteBuf>> reader, List<ByteBuf> replies) {
    reader.accept(replies);
    looked();
  }

  private void unread(CallFailure failure) {
    CallFailure other = lookFailure;
    if (other == null || other.extent() != Extent.REFUSED) {
      lookFailure = failure;
    }
    looked();
  }

  private void looked() {
    if (--looks > 0) {
      return;
    }
    CallFailure failure = lookFailure;
    if (failure != null) {
      againOrFail(ofRead(failure));
      return;
    }
    byte[] reply = moved.judge();
    if (reply != null) {
      endWith(reply);
    } else if (client.isClosed()) {
      end();
    } else {
      write();
    }
  }

  private void endWith(byte[] reply) {
    Runnable then = whenNothingThere;
    if (then != null && ReplyStrings.isNil(Unpooled.wrappedBuffer(reply), 0)) {
      releaseAll();
      moved.release();
      then.run();
    } else {
      fail(reply, reply[0] == '-' ? Outcome.ERROR : Outcome.OK);
    }
  }

  /** Returns the failure of a step that changes nothing. */
  private CallFailure ofRead(CallFailure failure) {
    if (gathered.isTooLarge()) {
      return new CallFailure(
          Extent.REFUSED, CrossSlotErrors.valuesTooLarge(maxBytes), Outcome.OVERLOADED);
    }
    return switch (failure.outcome()) {
      case TIMEOUT -> new CallFailure(Extent.NOT_RUN, ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case CONNLOST ->
          new CallFailure(Extent.NOT_RUN, ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      default -> failure;
    };
  }

  private void write() {
    gathered.keepAll();
    call(
        destination,
        moved.write(),
        false,
        replies -> {
          Effect effect = moved.written(replies);
          byte[] error = effect.error();
          if (error != null) {
            fail(error, Outcome.ERROR);
          } else if (effect.lost()) {
            counts.countRetry();
            again(new CallFailure(Extent.NOT_RUN, MoveErrors.TOO_MANY_RACES, Outcome.ERROR));
          } else {
            counts.countBytes(moved.size());
            remove();
          }
        },
        failure -> {
          if (failure.extent() == Extent.UNKNOWN) { // at the source, and perhaps at both
            fail(failure.error(), failure.outcome());
          } else {
            againOrFail(failure);
          }
        });
    String watched = moved.watchedUntilUndone();
    if (watched != null && destination.isLeased()) { // sent in one piece with the write
      destination.send(List.of(Requests.of("WATCH", watched)), true, Ignored.INSTANCE);
    }
  }

  /** For a step that need not succeed. */
  private enum Ignored implements WatchedNode.Listener {
    INSTANCE;

    @Override
    public void onReplies(List<ByteBuf> replies) {
      // An undo sees whether the key is watched.
    }

    @Override
    public void onFailed(CallFailure failure) {
      // As above.
    }
  }

  private void remove() {
    List<ByteBuf> requests = moved.remove();
    if (requests.isEmpty()) {
      succeed();
      return;
    }
    call(
        source,
        requests,
        false,
        replies -> {
          Effect effect = Effect.ofBlock(replies);
          byte[] error = effect.error();
          if (error != null) {
            undo(() -> fail(error, Outcome.ERROR));
          } else if (effect.lost()) {
            counts.countRetry();
            lookAgain();
          } else {
            succeed();
          }
        },
        failure -> {
          if (failure.extent() == Extent.UNKNOWN) { // at both, or moved
            fail(failure.error(), failure.outcome());
          } else {
            undoWhenServed(() -> againOrFail(failure));
          }
        });
  }

  /** Looks whether what was written can still be removed from the source. */
  private void lookAgain() {
    var races = new CallFailure(Extent.NOT_RUN, MoveErrors.TOO_MANY_RACES, Outcome.ERROR);
    call(
        source,
        moved.lookAtSource(),
        true,
        replies -> {
          switch (moved.seen(replies)) {
            case SAME -> later(this::remove, () -> undo(() -> again(races)));
            case EXPIRED -> succeed();
            case CHANGED -> undo(() -> again(races));
          }
        },
        failure -> undoWhenServed(() -> againOrFail(ofRead(failure))));
  }

  /**
   * Undoes the write when the destination's node serves commands: a node that refuses them, for
   * example while its cluster is down, would not watch the destination any more.
   */
  private void undoWhenServed(Runnable then) {
    String watched = moved.watchedUntilUndone();
    if (watched == null || !destination.isWatching()) {
      undo(then);
      return;
    }
    destination.probe(
        Requests.of("EXISTS", watched),
        listener(
            _ -> undo(then),
            failure -> {
              if (failure.extent() == Extent.NOT_RUN && destination.isWatching()) {
                later(() -> undoWhenServed(then), this::leave);
              } else {
                undo(then);
              }
            }));
  }

  private void undo(Runnable then) {
    List<ByteBuf> requests = moved.undo();
    if (requests.isEmpty()) {
      then.run();
      return;
    }
    if (moved.watchedUntilUndone() != null && !destination.isWatching()) {
      requests.forEach(ByteBuf::release);
      leave();
      return;
    }
    call(
        destination,
        requests,
        false,
        replies -> {
          Effect effect =
              requests.size() == 1 ? Effect.of(replies.getFirst()) : Effect.ofBlock(replies);
          byte[] error = effect.error();
          if (error != null) {
            leave(error, Outcome.ERROR);
          } else if (effect.lost()) {
            lookWhetherUndone(then);
          } else {
            then.run();
          }
        },
        failure -> {
          switch (failure.extent()) {
            case NOT_RUN -> later(() -> undo(then), this::leave);
            case REFUSED -> leave();
            case UNKNOWN -> leave(failure.error(), failure.outcome());
          }
        });
  }

  private void lookWhetherUndone(Runnable then) {
    call(
        destination,
        moved.lookAtDestination(),
        true,
        replies -> {
          switch (moved.left(replies)) {
            case NOTHING -> then.run();
            case FOR_OTHERS -> {
              left = true;
              then.run();
            }
            case ALL -> leave();
          }
        },
        _ -> leave());
  }

  private void leave() {
    leave(MoveErrors.NOT_UNDONE, Outcome.ERROR);
  }

  /** Ends with what was moved at both keys. */
  private void leave(byte[] error, Outcome outcome) {
    notUndone.log(times ->
        log.warn(
            "{}A command that moves something between two slots could not be undone; the destination"
                + " may have a copy: {}{}",
            nodes.logPrefix(),
            new String(error, StandardCharsets.ISO_8859_1).strip(),
            times == 1 ? "" : " (" + (times - 1) + " more since the last such line)"));
    fail(error, outcome);
  }

  private void againOrFail(CallFailure failure) {
    if (failure.extent() == Extent.REFUSED) {
      fail(failure.error(), failure.outcome());
    } else {
      again(failure);
    }
  }

  private void again(CallFailure failure) {
    later(this::begin, () -> fail(failure.error(), failure.outcome()));
  }

  /** Runs the next step after a random delay: others may try the same at the same time. */
  private void later(Runnable next, Runnable whenTooLate) {
    if (loop.tick() - deadline >= 0) {
      whenTooLate.run();
      return;
    }
    long longest = DELAY_NANOS << Math.min(attempts++, MAX_SHIFT);
    long delay = ThreadLocalRandom.current().nextLong(longest);
    loop.executor().schedule(() -> guarded(next), delay, TimeUnit.NANOSECONDS);
  }

  private void succeed() {
    end();
    ByteBuf reply = moved.reply();
    whole.deliver(reply, reply.readerIndex(), reply.writerIndex(), Outcome.OK);
    moved.release();
  }

  private void fail(byte[] reply, Outcome outcome) {
    if (left) {
      left = false;
      leave();
      return;
    }
    end();
    moved.release();
    whole.answer(reply, outcome);
  }

  /** Ends the call: the client's next requests are handled when the reply is complete. */
  private void end() {
    releaseAll();
    whenEnded.run();
  }

  private void releaseAll() {
    source.release();
    destination.release();
    gathered.release();
  }

  private void call(
      WatchedNode node,
      List<ByteBuf> requests,
      boolean watches,
      Consumer<List<ByteBuf>> then,
      Consumer<CallFailure> failed) {
    node.send(requests, watches, listener(then, failed));
  }

  private WatchedNode.Listener listener(
      Consumer<List<ByteBuf>> then, Consumer<CallFailure> failed) {
    return new WatchedNode.Listener() {
      @Override
      public void onReplies(List<ByteBuf> replies) {
        guarded(() -> then.accept(replies));
      }

      @Override
      public void onFailed(CallFailure failure) {
        guarded(() -> failed.accept(failure));
      }
    };
  }

  /** Runs a step; the caller must not fail because of this client. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      client.fail(e);
      source.discard();
      destination.discard();
      gathered.release();
      moved.release();
    }
  }
}
