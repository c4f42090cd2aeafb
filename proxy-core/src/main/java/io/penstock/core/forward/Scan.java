package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.route.ScanStep;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One {@code SCAN} call over all shards: it is sent to one node, and the cursor in the reply is
 * replaced.
 */
final class Scan implements CoverageWait.AllShardsRequest, Part.Whole {

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
   * @param whole the prepared request
   * @param cursor of the client
   */
  Scan(
      ForwardContext context,
      Forwarded whole,
      CoverageWait coverage,
      long cursor,
      ForwardInput input) {
    this.whole = whole;
    this.owner = context.owner();
    this.nodes = context.clientContext().nodes();
    this.backpressure = input.backpressure();
    RequestFrame frame = input.request().frame();
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
  public @Nullable Timeline timeline() {
    return whole.replySlot().timeline();
  }

  @Override
  public void send(Placement placement) {
    ScanStep now = ScanStep.of(cursor, placement);
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
    // There is nothing to release.
  }

  /** Has no limit: the client requested one page. */
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

  /**
   * Delivers the page. If the request reached another node than the one that the cursor is for, its
   * reply is ignored and the call is sent again.
   */
  @Override
  public void onPartDone() {
    ScanStep sent = Objects.requireNonNull(step);
    Part part = Objects.requireNonNull(current);
    ReplySlot slot = whole.replySlot();
    Outcome outcome = part.outcome();
    ByteBuf reply = part.reply();
    if (outcome != Outcome.OK) {
      slot.deliver(reply, reply.readerIndex(), reply.writerIndex(), outcome);
    } else if (!sent.master().equals(part.sentTo())) {
      part.discard();
      whole.extendDeadline();
      coverage.sendWhenCovered(whole, this);
      return;
    } else {
      boolean success =
          sent.toClientReply(
              reply, (buffer, from, to) -> slot.deliverPart(buffer, from, to, false));
      slot.complete(success ? Outcome.OK : Outcome.ERROR);
    }
    part.discard();
  }
}
