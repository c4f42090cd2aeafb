package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.blocking.BlockingTimeout;
import io.penstock.core.blocking.NonBlockingAttempt;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.transaction.TimeoutArgument;
import io.penstock.core.transaction.TransactionBlock;
import io.penstock.core.waiting.WaitedKey;
import io.penstock.core.waiting.WaitingCall;
import io.penstock.core.waiting.WaitingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * {@code BLMOVE} and {@code BRPOPLPUSH} between partitions: a {@link Move}, which is begun when the
 * source has an element. Confined to the client's event loop.
 */
final class BlockingMove extends WaitingCall implements NonBlockingAttempt.Listener {

  private final WaitingContext context;
  private final Nodes nodes;
  private final int source;
  private final int timeoutAt;
  private final Function<BlockingMove, Move> moves;
  private final List<WaitedKey> keys;

  /**
   * @param source partition of the key that an element is taken from
   * @param timeoutAt argument index of the timeout
   * @param moves makes a move for each attempt
   */
  BlockingMove(
      WaitingContext context,
      ReplySlot whole,
      CopiedRequest request,
      int source,
      int timeoutAt,
      Function<BlockingMove, Move> moves) {
    super(
        context,
        whole,
        request.spec(),
        request.frame(),
        new BlockingTimeout(
            request.frame().text(timeoutAt),
            false,
            context.forward().clientContext().loop().tick()));
    this.context = context;
    this.nodes = context.forward().clientContext().nodes();
    this.source = source;
    this.timeoutAt = timeoutAt;
    this.moves = moves;
    this.keys =
        List.of(
            new WaitedKey(
                WaitedKey.Kind.LIST,
                context.forward().clientContext().client().connections().forMaster(),
                source,
                request.frame().text(1),
                ""));
  }

  void start() {
    begin();
    if (TimeoutArgument.isPlainSeconds(request().text(timeoutAt))) {
      moveOrWait();
    } else {
      checkTimeout();
    }
  }

  private void moveOrWait() {
    if (isBehindOthers(keys.getFirst())) {
      await();
    } else {
      move();
    }
  }

  private void move() {
    moves.apply(this).begin();
  }

  @Override
  protected List<WaitedKey> keys() {
    return keys;
  }

  @Override
  protected void onWoken(WaitedKey key) {
    if (isDisconnected()) {
      end(); // nobody would get what is moved
    } else {
      move();
    }
  }

  /** The source has no element. */
  void onNothingThere() {
    await();
  }

  /** The move has ended: its reply follows. */
  void onMoveEnded() {
    leave(true);
  }

  /** Has the node of the source reject a timeout that is no plain number, in its words. */
  private void checkTimeout() {
    RequestFrame request = request();
    List<String> harmless = new ArrayList<>();
    for (int i = 0; i < request.argc(); i++) {
      harmless.add(i == 1 || i == 2 ? request.text(1) : request.text(i));
    }
    byte[] bytes = WireRequest.of(harmless);
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(64 + bytes.length);
    TransactionBlock.writeMulti(block);
    block.writeBytes(bytes);
    var attempt = new NonBlockingAttempt(context.blocking(), this, whole());
    attempt.prepare(spec(), source, block, 1);
    nodes.dispatch(attempt);
  }

  @Override
  public void onAttemptReply(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '-' && !ReplyStrings.startsWith(buffer, from, to, "-WRONGTYPE ")) {
      answer(buffer, from, to);
    } else {
      moveOrWait();
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      moveOrWait();
    }
  }

  @Override
  public void dropPartialReply() {
    // None is kept.
  }

  @Override
  public void onNotTried(byte[] error) {
    answer(error, Outcome.ERROR);
  }
}
