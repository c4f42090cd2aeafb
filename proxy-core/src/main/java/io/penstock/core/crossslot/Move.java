package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.steps.Replies;
import io.penstock.core.steps.WatchedNode;
import io.penstock.core.steps.WatchedNode.CallFailure;
import io.penstock.core.steps.WatchedNode.Extent;
import io.penstock.core.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves something from a key to a key of another partition. The source is watched and read, the
 * destination is written, and then what was moved is removed from the source, if nobody has changed
 * it since. Who has lost this race undoes what it wrote and begins again. So at each moment what is
 * moved is at the source, at the destination, or at both; never at neither. Confined to the
 * client's loop.
 */
final class Move {

  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final byte[] MULTI = WireRequest.of("MULTI");
  private static final byte[] EXEC = WireRequest.of("EXEC");
  private static final byte[] TOO_MANY_RACES =
      ErrorReplies.encode("TRYAGAIN others change the key all the time; the command did not run");

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final CrossSlotCounts counts;
  private final ReplySlot whole;
  private final Moved moved;
  private final byte[] watchSource;
  private final byte[] watchDestination;
  private final WatchedNode source;
  private final WatchedNode destination;
  private final long deadline;
  private Runnable whenEnded; // before the reply
  private @Nullable Runnable whenNothingThere;

  Move(CrossSlotContext context, RetryableErrors errors, ReplySlot whole, Keys keys, Moved moved) {
    this.client = context.forward().clientContext().client();
    this.nodes = context.forward().clientContext().nodes();
    this.loop = context.forward().clientContext().loop();
    this.counts = context.loop().counts();
    this.whole = whole;
    this.moved = moved;
    this.watchSource = WireRequest.of("WATCH", keys.source());
    this.watchDestination = WireRequest.of("WATCH", keys.destination());
    this.source =
        new WatchedNode(context.forward().clientContext(), errors, keys.sourcePartition());
    this.destination =
        new WatchedNode(context.forward().clientContext(), errors, keys.destinationPartition());
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

  /** The two keys, whose characters are bytes, and where they are. */
  record Keys(String source, int sourcePartition, String destination, int destinationPartition) {}

  /** Begins, also after a lost race. */
  void begin() {
    if (client.isClosed()) {
      end();
      return;
    }
    call(
        source,
        behind(watchSource, moved.look()),
        true,
        replies -> {
          byte[] reply = moved.judge(replies.subList(1, replies.size()));
          if (!endsWithoutReply(reply) && !endsWith(reply)) {
            lookAtDestination();
          }
        },
        this::againOrFail);
  }

  private void lookAtDestination() {
    call(
        destination,
        behind(watchDestination, moved.lookAtDestination()),
        true,
        replies -> {
          if (!endsWith(moved.judgeDestination(replies.subList(1, replies.size())))) {
            write();
          }
        },
        this::againOrFail);
  }

  private void write() {
    List<byte[]> requests = moved.write();
    requests.forEach(request -> counts.countBytes(request.length));
    call(
        destination,
        block(requests),
        false,
        replies -> {
          ByteBuf result = replies.getLast();
          if (ReplyStrings.isNil(result, result.readerIndex())) {
            counts.countRetry();
            lookAtDestination(); // somebody changed it meanwhile
          } else if (Replies.isError(result)) {
            fail(ByteBufUtil.getBytes(result), Outcome.ERROR);
          } else if (!endsWith(moved.judgeWrite(Replies.elements(result)))) {
            remove();
          }
        },
        failure -> {
          if (failure.extent() == Extent.NOT_RUN) {
            again(failure);
          } else {
            fail(failure.error(), failure.outcome());
          }
        });
  }

  private void remove() {
    List<byte[]> requests = moved.remove();
    if (requests.isEmpty()) {
      succeed();
      return;
    }
    call(
        source,
        block(requests),
        false,
        replies -> {
          ByteBuf result = replies.getLast();
          if (ReplyStrings.isNil(result, result.readerIndex())) {
            counts.countRetry();
            undo(() -> again(new CallFailure(Extent.NOT_RUN, TOO_MANY_RACES, Outcome.ERROR)));
          } else if (Replies.isError(result)) {
            byte[] error = ByteBufUtil.getBytes(result);
            undo(() -> fail(error, Outcome.ERROR));
          } else {
            succeed();
          }
        },
        failure -> {
          if (failure.extent() == Extent.UNKNOWN) { // at both, or moved
            fail(failure.error(), failure.outcome());
          } else {
            undo(() -> againOrFail(failure));
          }
        });
  }

  /**
   * Gives the destination what it had, unless somebody has changed it since; then runs the rest.
   */
  private void undo(Runnable then) {
    call(
        destination,
        behind(watchDestination, moved.lookAtDestination()),
        true,
        replies -> {
          if (moved.isStillWritten(replies.subList(1, replies.size()))) {
            call(destination, block(moved.undo()), false, _ -> then.run(), _ -> then.run());
          } else {
            then.run();
          }
        },
        _ -> then.run());
  }

  private void againOrFail(CallFailure failure) {
    if (failure.extent() == Extent.REFUSED) {
      fail(failure.error(), failure.outcome());
    } else {
      again(failure);
    }
  }

  private void again(CallFailure failure) {
    if (client.isClosed() || loop.tick() - deadline >= 0) {
      fail(failure.error(), failure.outcome());
    } else {
      loop.executor().schedule(this::begin, DELAY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void succeed() {
    byte[] reply = moved.reply();
    end();
    whole.answer(reply, Outcome.OK);
  }

  private boolean endsWith(byte @Nullable [] reply) {
    if (reply == null) {
      return false;
    }
    fail(reply, reply[0] == '-' ? Outcome.ERROR : Outcome.OK);
    return true;
  }

  private void fail(byte[] reply, Outcome outcome) {
    end();
    whole.answer(reply, outcome);
  }

  private void end() {
    source.release();
    destination.release();
    whenEnded.run();
  }

  /** Returns whether the source has nothing, and the call goes on waiting. */
  private boolean endsWithoutReply(byte @Nullable [] reply) {
    Runnable then = whenNothingThere;
    if (then == null || reply == null || !ReplyStrings.isNil(Unpooled.wrappedBuffer(reply), 0)) {
      return false;
    }
    source.release();
    destination.release();
    then.run();
    return true;
  }

  private void call(
      WatchedNode node,
      List<byte[]> requests,
      boolean watches,
      Consumer<List<ByteBuf>> then,
      Consumer<CallFailure> failed) {
    node.call(
        requests,
        watches,
        new WatchedNode.Listener() {
          @Override
          public void onReplies(List<ByteBuf> replies) {
            then.accept(replies);
          }

          @Override
          public void onFailed(CallFailure failure) {
            failed.accept(failure);
          }
        });
  }

  private static List<byte[]> behind(byte[] watch, List<byte[]> requests) {
    List<byte[]> all = new ArrayList<>();
    all.add(watch);
    all.addAll(requests);
    return all;
  }

  private static List<byte[]> block(List<byte[]> requests) {
    List<byte[]> all = new ArrayList<>();
    all.add(MULTI);
    all.addAll(requests);
    all.add(EXEC);
    return all;
  }
}
