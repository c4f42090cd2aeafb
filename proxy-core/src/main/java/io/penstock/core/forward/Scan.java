package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.route.ScanStep;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One call of {@code SCAN} over all shards: one node is asked, and its cursor becomes another. */
final class Scan implements CoverageWait.ForAll, Part.Whole {

  private final Forwarded whole;
  private final ExchangeOwner owner;
  private final Nodes nodes;
  private final Backpressure backpressure;
  private final CoverageWait coverage;
  private final long cursor;
  private final int argc;
  private final ByteBuf options; // as the client encoded them; on the heap
  private @Nullable ScanStep step;
  private @Nullable Part current;

  /**
   * Before it is sent.
   *
   * @param whole prepared
   * @param cursor the client's
   */
  Scan(ForwardContext made, Forwarded whole, CoverageWait coverage, long cursor, ForwardInput how) {
    this.whole = whole;
    this.owner = made.owner();
    this.nodes = made.clientContext().nodes();
    this.backpressure = how.backpressure();
    RequestFrame frame = how.request().frame();
    this.coverage = coverage;
    this.cursor = cursor;
    this.argc = frame.argc();
    this.options = Unpooled.buffer(frame.end() - frame.start());
    if (argc > 2) {
      SplitRequest.copyArguments(options, frame, 2, argc - 2);
    }
  }

  @Override
  public ExchangeOwner owner() {
    return owner;
  }

  @Override
  public void send(Placement map) {
    ScanStep now = ScanStep.of(cursor, map);
    step = now;
    Part part = new Part(this);
    current = part;
    SharedBuffer bytes = encode(now.nodeCursor());
    part.setRequestBytes(bytes, 0, bytes.buffer().writerIndex());
    part.prepareForShard(whole, now.master(), now.partition(), false);
    if (!nodes.dispatch(part)) {
      backpressure.pauseIfBusy(part.sentTo());
    }
  }

  private SharedBuffer encode(long nodeCursor) {
    String digits = Long.toUnsignedString(nodeCursor);
    String head = "*" + argc + "\r\n$4\r\nSCAN\r\n$" + digits.length() + "\r\n" + digits + "\r\n";
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(head.length() + options.readableBytes());
    out.writeCharSequence(head, StandardCharsets.US_ASCII);
    out.writeBytes(options, options.readerIndex(), options.readableBytes());
    return new SharedBuffer(out);
  }

  @Override
  public void cancel() {
    // There is nothing to give back.
  }

  /** One page is what the client asked for. */
  @Override
  public boolean addPending(int bytes) {
    return true;
  }

  @Override
  public void onInternalError() {
    if (current != null) {
      current.discard();
    }
  }

  /** Another node than the one that the cursor was for may have got it: its reply is void. */
  @Override
  public void onPartDone() {
    ScanStep asked = Objects.requireNonNull(step);
    Part part = Objects.requireNonNull(current);
    ReplySlot place = whole.replySlot();
    Outcome outcome = part.outcome();
    ByteBuf reply = part.reply();
    if (outcome != Outcome.OK) {
      place.deliver(reply, reply.readerIndex(), reply.writerIndex(), outcome);
    } else if (!asked.master().equals(part.sentTo())) {
      part.discard();
      whole.extendDeadline();
      coverage.sendWhenCovered(whole, this);
      return;
    } else {
      boolean fine =
          asked.toClientReply(reply, (buffer, from, to) -> place.deliverPart(buffer, from, to, false));
      place.complete(fine ? Outcome.OK : Outcome.ERROR);
    }
    part.discard();
  }
}
