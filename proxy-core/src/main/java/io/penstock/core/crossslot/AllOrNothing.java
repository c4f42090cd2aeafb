package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.steps.Replies;
import io.penstock.core.steps.WatchedNode;
import io.penstock.core.steps.WatchedNode.CallFailure;
import io.penstock.core.steps.WatchedNode.Extent;
import io.penstock.core.transport.Loop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sets keys of several partitions if none of them exists, or if all do. The keys are watched and
 * looked at; the writes are queued at every node; then all nodes run them. If one does not, because
 * another client has changed a key in the last moment, the others undo what they wrote, unless
 * somebody has changed it since, and the command begins again. Confined to the client's loop.
 */
final class AllOrNothing {

  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final byte[] ZERO = ":0\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ONE = ":1\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TOO_MANY_RACES =
      ErrorReplies.encode("TRYAGAIN others change the keys all the time; the command did not run");
  private static final byte[] LEFT =
      ErrorReplies.encode("TXPARTIAL some of the keys were set, and could not be set back");

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final CrossSlotCounts counts;
  private final long maxBytes;
  private final ReplySlot whole;
  private final ConditionalSet set;
  private final List<SlotOfSet> slots = new ArrayList<>();
  private final long deadline;
  private final CountedReplies gathered;
  private int outstanding;

  AllOrNothing(
      CrossSlotContext context,
      RetryableErrors errors,
      ReplySlot whole,
      CopiedRequest request,
      ConditionalSet set) {
    ClientContext clientContext = context.forward().clientContext();
    this.client = clientContext.client();
    this.nodes = clientContext.nodes();
    this.loop = clientContext.loop();
    this.counts = context.loop().counts();
    this.maxBytes = context.loop().limit().maxBytes();
    this.whole = whole;
    this.set = set;
    this.deadline = loop.tick() + nodes.retryWindowNanos();
    this.gathered = new CountedReplies(clientContext, context.loop().limit());
    for (int i = 0; i < set.keys(); i++) {
      Integer partition = request.partitions().get(set.firstKey() + 2 * i);
      slot(clientContext, errors, partition == null ? 0 : partition).add(set, i);
    }
    slots.forEach(slot -> context.forward().order().noteOtherWrite(slot.partition()));
  }

  private SlotOfSet slot(ClientContext context, RetryableErrors errors, int partition) {
    for (SlotOfSet slot : slots) {
      if (slot.partition() == partition) {
        return slot;
      }
    }
    var node =
        new WatchedNode(context, errors, partition, context.client().connections(), gathered);
    var made = new SlotOfSet(node, partition);
    slots.add(made);
    return made;
  }

  /** Begins, also after a lost race. */
  void begin() {
    gathered.reset();
    if (client.isClosed()) {
      end(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
      return;
    }
    boolean ifExist = set.ifExist();
    all(
        slot -> slot.look(ifExist),
        true,
        (slot, replies) -> slot.seen(replies, ifExist),
        this::onSeen);
  }

  private void onSeen() {
    byte[] error = firstError();
    CallFailure failure = firstFailure();
    if (gathered.isTooLarge()) {
      end(CrossSlotErrors.valuesTooLarge(maxBytes), Outcome.OVERLOADED);
    } else if (error != null) {
      end(error, Outcome.ERROR);
    } else if (failure != null) {
      againOrEnd(failure);
    } else if (!slots.stream().allMatch(SlotOfSet::suits)) {
      end(ZERO, Outcome.OK);
    } else {
      gathered.keepAll();
      all(slot -> slot.queue(set), true, SlotOfSet::queued, this::onQueued);
    }
  }

  private void onQueued() {
    byte[] error = firstError();
    CallFailure failure = firstFailure();
    if (error == null && failure == null && !client.isClosed()) {
      all(
          _ -> List.of(Requests.of("EXEC")),
          false,
          (slot, replies) -> slot.executed(replies.getLast()),
          this::onExecuted);
      return;
    }
    discardAll(() -> {
      if (error != null) {
        end(error, Outcome.ERROR);
      } else if (failure != null) {
        againOrEnd(failure);
      } else {
        end(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
      }
    });
  }

  /** Ends the transactions that are queued. */
  private void discardAll(Runnable then) {
    List<SlotOfSet> queued = slots.stream().filter(slot -> slot.failure() == null).toList();
    call(queued, _ -> List.of(Requests.of("DISCARD")), false, (_, _) -> {}, then);
  }

  private void onExecuted() {
    for (SlotOfSet slot : slots) {
      CallFailure failure = slot.failure();
      if (failure != null && failure.extent() == Extent.UNKNOWN) {
        end(failure.error(), failure.outcome());
        return;
      }
    }
    if (slots.stream().allMatch(SlotOfSet::wrote)) {
      end(ONE, Outcome.OK);
      return;
    }
    counts.countRetry();
    undoNext();
  }

  private void undoNext() {
    for (SlotOfSet slot : slots) {
      if (slot.wrote()) {
        undo(slot);
        return;
      }
    }
    onUndone();
  }

  private void undo(SlotOfSet slot) {
    List<List<ByteBuf>> undoing = new ArrayList<>();
    call(
        List.of(slot),
        SlotOfSet::lookAgain,
        true,
        (_, replies) -> {
          if (Replies.firstError(replies) == null) {
            undoing.add(slot.undo(replies));
          }
        },
        () -> {
          if (undoing.isEmpty()) {
            undoLater(slot);
          } else if (undoing.getFirst().isEmpty()) {
            slot.undone();
            undoNext();
          } else {
            undo(slot, undoing.getFirst());
          }
        });
  }

  private void undo(SlotOfSet slot, List<ByteBuf> requests) {
    List<ByteBuf> block = Requests.block(requests.toArray(ByteBuf[]::new));
    List<Boolean> ran = new ArrayList<>();
    call(
        List.of(slot),
        _ -> block,
        false,
        (_, replies) -> {
          ByteBuf result = replies.getLast();
          ran.add(hasRun(result) && Replies.firstError(Replies.elements(result)) == null);
        },
        () -> {
          if (ran.contains(true)) {
            slot.undone();
            undoNext();
          } else {
            undoLater(slot); // another client has changed a key again
          }
        });
  }

  private static boolean hasRun(ByteBuf result) {
    return !Replies.isError(result) && !ReplyStrings.isNil(result, result.readerIndex());
  }

  private void undoLater(SlotOfSet slot) {
    CallFailure failure = slot.failure();
    boolean hopeless = failure != null && failure.extent() != Extent.NOT_RUN;
    if (hopeless || loop.tick() - deadline >= 0) {
      end(LEFT, Outcome.ERROR);
    } else {
      loop.executor().schedule(() -> undo(slot), DELAY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void onUndone() {
    byte[] error = firstError();
    if (error != null) {
      end(error, Outcome.ERROR);
    } else {
      againOrEnd(new CallFailure(Extent.NOT_RUN, TOO_MANY_RACES, Outcome.ERROR));
    }
  }

  private byte @Nullable [] firstError() {
    for (SlotOfSet slot : slots) {
      byte[] error = slot.error();
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  /** Returns the failure of a node, if any: one that a later attempt would have as well, if any. */
  private @Nullable CallFailure firstFailure() {
    CallFailure first = null;
    for (SlotOfSet slot : slots) {
      CallFailure failure = slot.failure();
      if (failure != null && (first == null || failure.extent() == Extent.REFUSED)) {
        first = failure;
      }
    }
    return first;
  }

  private void againOrEnd(CallFailure failure) {
    if (failure.extent() == Extent.REFUSED || loop.tick() - deadline >= 0) {
      end(failure.error(), failure.outcome());
    } else {
      loop.executor().schedule(this::begin, DELAY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void onDefect(Throwable cause) {
    client.fail(cause);
    release();
  }

  private void release() {
    for (SlotOfSet slot : slots) {
      slot.node().release();
      slot.release();
    }
    gathered.release();
  }

  private void end(byte[] reply, Outcome outcome) {
    release();
    client.resume(whole);
    whole.answer(reply, outcome);
  }

  private void all(
      Function<SlotOfSet, List<ByteBuf>> requests,
      boolean watches,
      BiConsumer<SlotOfSet, List<ByteBuf>> onReplies,
      Runnable then) {
    call(List.copyOf(slots), requests, watches, onReplies, then);
  }

  /** Sends requests to the nodes of some slots at once, and waits for all. */
  private void call(
      List<SlotOfSet> some,
      Function<SlotOfSet, List<ByteBuf>> requests,
      boolean watches,
      BiConsumer<SlotOfSet, List<ByteBuf>> onReplies,
      Runnable then) {
    outstanding = some.size();
    if (some.isEmpty()) {
      then.run();
      return;
    }
    some.forEach(slot ->
        slot.node().send(requests.apply(slot), watches, new Replied(slot, onReplies, then)));
  }

  /** What follows the call at one node. */
  private final class Replied implements WatchedNode.Listener {

    private final SlotOfSet slot;
    private final BiConsumer<SlotOfSet, List<ByteBuf>> onReplies;
    private final Runnable then;

    Replied(SlotOfSet slot, BiConsumer<SlotOfSet, List<ByteBuf>> onReplies, Runnable then) {
      this.slot = slot;
      this.onReplies = onReplies;
      this.then = then;
    }

    @Override
    public void onReplies(List<ByteBuf> replies) {
      try {
        onReplies.accept(slot, replies);
        done();
      } catch (Throwable e) { // the connection must not fail because of this client
        onDefect(e);
      }
    }

    @Override
    public void onFailed(CallFailure failure) {
      slot.failed(failure);
      done();
    }

    private void done() {
      if (--outstanding == 0) {
        then.run();
      }
    }
  }
}
