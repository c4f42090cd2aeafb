package io.penstock.core.waiting;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.blocking.NonBlockingAttempt;
import io.penstock.core.blocking.UndoPop;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.ServerWords;
import io.penstock.core.forward.Part;
import io.penstock.core.forward.PartSet;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.spec.Handling;
import io.penstock.core.transaction.TransactionBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pops from the first of several keys that has elements: {@code BLPOP}, {@code LMPOP}, {@code
 * BZPOPMIN} and their like. It asks the keys how many elements they have, and then pops with the
 * same command for one key alone, in the order of the keys, until it gets something. Never are two
 * pops of one call under way. A call that other calls of the loop have waited for longer than
 * leaves a key to them.
 */
final class PopCall extends WaitingCall implements NonBlockingAttempt.Listener, PartSet.Listener {

  private final WaitingContext context;
  private final Nodes nodes;
  private final PopRequest pop;
  private final List<WaitedKey> keys;
  private final Deque<WaitedKey> candidates = new ArrayDeque<>(); // to be tried next
  private final PendingReply unwanted = new PendingReply(); // for a disconnected client
  private List<WaitedKey> asked = List.of();
  private @Nullable PartSet questions;
  private boolean attempting;
  private int attemptedPartition;
  private boolean arriving; // a part of the reply is here
  private boolean undoing; // the reply that arrives is put back

  PopCall(WaitingContext context, ReplySlot whole, PopRequest pop) {
    super(context, whole, pop.spec(), pop.frame(), pop.timeout());
    this.context = context;
    this.nodes = context.forward().clientContext().nodes();
    this.pop = pop;
    ConnectionKey connections =
        context.forward().clientContext().client().connections().forMaster();
    Set<WaitedKey> distinct = new LinkedHashSet<>();
    pop.partitions()
        .forEach((at, partition) ->
            distinct.add(
                new WaitedKey(pop.kind(), connections, partition, pop.frame().text(at), "")));
    this.keys = List.copyOf(distinct);
  }

  @Override
  protected List<WaitedKey> keys() {
    return keys;
  }

  /** Tries the first key, and meanwhile asks for the others. */
  void start() {
    begin();
    attempting = true;
    WaitedKey first = keys.getFirst();
    if (leavesToOthers(first)) {
      ask(keys);
      if (!hasEnded()) {
        attemptWithoutEffect();
      }
    } else {
      ask(keys.subList(1, keys.size()));
      if (!hasEnded()) {
        attempt(first);
      }
    }
  }

  @Override
  protected void onWoken(WaitedKey key) {
    int before = keys.indexOf(key);
    candidates.add(key);
    if (before > 0) {
      ask(keys.subList(0, before)); // one of them may have elements by now
    } else {
      next();
    }
  }

  private boolean leavesToOthers(WaitedKey key) {
    return mayBlock() && isBehindOthers(key);
  }

  private void ask(List<WaitedKey> which) {
    asked = which;
    var set = new PartSet(context.forward(), whole(), which.size(), context.limit(), this);
    questions = set;
    for (WaitedKey key : which) {
      byte[] question = key.question("");
      var part = new Part(set);
      part.setRequestBytes(new SharedBuffer(Unpooled.wrappedBuffer(question)), 0, question.length);
      part.prepare(pop.command(key.kind().command()), key.partition());
      context.blocking().backpressure().pauseIfBusy(set.send(part));
    }
  }

  /** The answers are here. */
  @Override
  public void onReplies() {
    PartSet set = questions;
    if (set == null) {
      return;
    }
    questions = null;
    if (hasEnded()) {
      set.release();
      return;
    }
    Deque<WaitedKey> found = new ArrayDeque<>();
    ByteBuf[] answers = set.replies();
    for (int i = 0; i < answers.length; i++) {
      WaitedKey key = asked.get(i);
      if (mayHaveSomething(answers[i]) && !leavesToOthers(key)) {
        found.add(key);
      }
    }
    set.release();
    found.addAll(candidates); // that it was woken for, behind those before it
    candidates.clear();
    candidates.addAll(found);
    proceed();
  }

  /** A value of another type is tried, too: for its error. */
  private boolean mayHaveSomething(ByteBuf answer) {
    int from = answer.readerIndex();
    return answer.getByte(from) == ':'
        ? WaitedKey.integer(answer, from, answer.writerIndex()) > 0
        : failsForWrongType();
  }

  /** Returns whether a value of another type ends the call, if it is before a key with elements. */
  private boolean failsForWrongType() {
    return !hasWaited()
        || ServerWords.runsServedCallsAgain(context.forward().clientContext().reader().servers());
  }

  @Override
  public void onInternalError() {
    // The client is closed.
  }

  private void proceed() {
    if (!attempting && questions == null) {
      next();
    }
  }

  private void next() {
    WaitedKey key = candidates.poll();
    if (key == null) {
      await();
    } else {
      attempt(key);
    }
  }

  private void attempt(WaitedKey key) {
    attempt(pop.ofKey(key.key()), key.partition());
  }

  /** Has a node check the arguments: the key that this names has never any elements. */
  private void attemptWithoutEffect() {
    attempt(pop.ofKey(PopRequest.NO_KEY), pop.partitionOfNoKey());
  }

  private void attempt(List<String> request, int partition) {
    attempting = true;
    attemptedPartition = partition;
    byte[] bytes = WireRequest.of(request);
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(64 + bytes.length);
    TransactionBlock.writeMulti(block);
    block.writeBytes(bytes);
    var attempt = new NonBlockingAttempt(context.blocking(), this, whole());
    attempt.prepare(spec(), partition, block, 1);
    if (!nodes.dispatch(attempt)) {
      context.blocking().backpressure().pauseIfBusy(attempt.sentTo());
    }
  }

  @Override
  public void onAttemptReply(ByteBuf buffer, int from, int to) {
    attempting = false;
    boolean error = buffer.getByte(from) == '-';
    if (ReplyStrings.isNil(buffer, from)
        || (error && !failsForWrongType() && isWrongType(buffer, from, to))) {
      proceed();
    } else if (!error && mayBlock() && isDisconnected()) {
      undo(buffer, from, to);
    } else {
      answer(buffer, from, to);
    }
  }

  private static boolean isWrongType(ByteBuf buffer, int from, int to) {
    return ReplyStrings.startsWith(buffer, from, to, "-WRONGTYPE ");
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (!arriving) {
      undoing = mayBlock() && isDisconnected(); // the whole reply or nothing
    }
    arriving = !last;
    if (!undoing) {
      if (last) {
        leave(true);
      }
      whole().deliverPart(buffer, from, to, last);
      return;
    }
    unwanted.append(buffer, from, to, true);
    if (last) {
      ByteBuf reply = unwanted.view();
      undo(reply, reply.readerIndex(), reply.writerIndex());
      unwanted.clear();
    }
  }

  @Override
  public void dropPartialReply() {
    arriving = false;
    unwanted.clear();
  }

  @Override
  public void onNotTried(byte[] error) {
    answer(error, Outcome.ERROR);
  }

  private void undo(ByteBuf buffer, int from, int to) {
    if (spec().handling() instanceof Handling.Blocking(_, Handling.Blocking.Undo undo)) {
      List<String> inverse =
          new ArrayList<>(UndoPop.inverse(undo, request(), buffer.slice(from, to - from)));
      UndoPop.start(context.blocking(), attemptedPartition, inverse, () -> {});
    }
    end();
  }
}
