package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transaction.TransactionBlock;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds what {@code $} stands for in an {@code XREAD}: the ids of the streams' last entries when
 * the call begins. Else an entry would be missed that comes after the attempt without blocking, and
 * before the blocking request. What cannot be found stays as it is. Confined to its loop.
 */
final class LatestIds implements NonBlockingAttempt.Listener {

  private static final Pattern FIRST_ID =
      Pattern.compile("\\*1\r\n\\*2\r\n\\$\\d+\r\n(\\d+-\\d+)\r\n");

  private static final String NO_ENTRY = "*0\r\n";
  private static final String BEFORE_ALL = "0-0";

  /** Bytes that an id and what is before it take at most. */
  private static final int LONGEST_BEGINNING = 64;

  private final BlockingContext context;
  private final Nodes nodes;
  private final ReplySlot whole;
  private final CommandSpec spec;
  private final BlockingRequest request;
  private final BlockingCall call;
  private int at; // argument index of the id that is looked for

  LatestIds(
      BlockingContext context,
      ReplySlot whole,
      CommandSpec spec,
      BlockingRequest request,
      BlockingCall call) {
    this.context = context;
    this.nodes = context.clientContext().nodes();
    this.whole = whole;
    this.spec = spec;
    this.request = request;
    this.call = call;
  }

  /** Looks for the next id; {@linkplain BlockingCall#attempt begins the call} if there is none. */
  void next() {
    BlockingRequest.StreamEnd stream = request.nextStreamEnd(spec, at + 1, call.limits());
    if (stream == null) {
      call.attempt();
      return;
    }
    at = stream.idAt();
    byte[] last = WireRequest.of("XREVRANGE", stream.key(), "+", "-", "COUNT", "1");
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(64 + last.length);
    TransactionBlock.writeMulti(block);
    block.writeBytes(last);
    var attempt = new NonBlockingAttempt(context, this, whole);
    attempt.prepare(spec, request.partition(), block, 1);
    if (!nodes.dispatch(attempt)) {
      context.backpressure().pauseIfBusy(attempt.sentTo());
    }
  }

  private void read(ByteBuf buffer, int from, int to) {
    int length = Math.min(LONGEST_BEGINNING, to - from);
    String beginning = buffer.toString(from, length, StandardCharsets.ISO_8859_1);
    Matcher id = FIRST_ID.matcher(beginning);
    if (id.lookingAt()) {
      request.replace(at, id.group(1), call.limits());
    } else if (beginning.equals(NO_ENTRY)) {
      request.replace(at, BEFORE_ALL, call.limits());
    }
  }

  @Override
  public void onAttemptReply(ByteBuf buffer, int from, int to) {
    read(buffer, from, to);
    next();
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    read(buffer, from, to); // the first part has it
    if (last) {
      next();
    }
  }

  @Override
  public void dropPartialReply() {
    // What was read of it is read again.
  }

  @Override
  public void onNotTried(byte[] error) {
    next();
  }

  @Override
  public void answer(ByteBuf buffer, int from, int to) {
    call.answer(buffer, from, to);
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    call.answer(reply, outcome);
  }
}
