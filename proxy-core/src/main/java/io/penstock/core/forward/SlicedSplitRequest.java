package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.limit.Allowance;
import io.penstock.core.mirroring.FollowedParts;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * Splits a request with very many keys like {@link SplitRequest}, but makes and sends the parts in
 * slices. The client's next requests wait until all parts are sent. A part is routed by the
 * placement at the time of its slice: the only requests of the client that may be in flight by an
 * older placement are earlier parts, for other partitions. All parts are sent even if the client
 * disconnects meanwhile, as if they had been sent at once.
 */
final class SlicedSplitRequest implements Sliced {

  /** Steps that a part takes in addition to its keys. */
  private static final int STEPS_PER_PART = 8;

  private final Client client;
  private final Allowance account;
  private final OrderGuard order;
  private final Loop loop;
  private final Backpressure backpressure;
  private final ReplySlot whole;
  private final CommandSpec command;
  private final RequestFrame frame; // in the client's input, which scans no other request meanwhile
  private @Nullable SharedBuffer request; // the buffer that the frame lies in
  private final SplitRequest split;
  private final PartSet parts;
  private final int groups;
  private final int bytesPerSlice;

  private int group;
  private int inGroup; // keys of the current group that are encoded
  private int key; // keys encoded in all
  private @Nullable SharedBuffer bytes; // of the parts of this slice
  private @Nullable FollowedParts followed; // if copies do the same
  private int from; // start of the current part

  /** Prepares the split; {@code plan} is read only here. */
  SlicedSplitRequest(
      ForwardContext context,
      ReplySlot whole,
      CommandSpec command,
      RoutePlan.ReusedSplit plan,
      ForwardInput how) {
    this.client = context.clientContext().client();
    this.account = context.clientContext().account();
    this.order = context.order();
    this.loop = context.clientContext().loop();
    this.backpressure = how.backpressure();
    this.whole = whole;
    this.command = command;
    this.frame = how.request().frame();
    this.request = how.request().share();
    this.split = new SplitRequest(frame, plan);
    this.groups = plan.groups();
    this.parts = new Gather(context, whole, plan.merge(), split.groupOfKey(), groups).parts();
    int length = frame.end() - frame.start();
    this.bytesPerSlice = (int) ((long) length * Slices.STEPS_PER_SLICE / plan.keys());
  }

  /**
   * Sends the parts from the next loop turn on; the client's next requests wait.
   *
   * @param by follows each part; null for nothing
   */
  void begin(@Nullable FollowedParts by) {
    followed = by;
    client.suspend(whole);
    loop.slices().start(this);
  }

  @Override
  public boolean step() {
    loop.tick();
    for (int left = Slices.STEPS_PER_SLICE; left > 0 && group < groups; ) {
      int count = Math.min(left, split.keysOfGroup(group) - inGroup);
      encode(count);
      left -= count;
      if (inGroup == split.keysOfGroup(group)) {
        sendPart();
        left -= STEPS_PER_PART;
      }
    }
    if (inGroup == 0) {
      releaseBytes();
    }
    if (group < groups) {
      return true;
    }
    endFollowing();
    releaseRequest();
    client.resume(whole);
    client.processInput();
    account.checkInput();
    return false;
  }

  private void encode(int count) {
    SharedBuffer into = bytes;
    if (into == null) {
      into = new SharedBuffer(ByteBufAllocator.DEFAULT.directBuffer(bytesPerSlice));
      bytes = into;
    }
    ByteBuf out = into.buffer();
    if (inGroup == 0) {
      from = out.writerIndex();
      split.encodeHead(out, group);
    }
    split.encodeKeys(out, key, count);
    key += count;
    inGroup += count;
  }

  private void sendPart() {
    SharedBuffer encoded = bytes;
    if (encoded == null) {
      throw new IllegalStateException("a part without bytes");
    }
    split.encodeRest(encoded.buffer());
    Part part = new Part(parts);
    int length = encoded.buffer().writerIndex() - from;
    part.setRequestBytes(encoded.share(), from, length);
    if (length < SocketOutput.SLICE_THRESHOLD) {
      parts.countPartBytes(length);
    }
    part.prepare(command, split.partitionOfGroup(group));
    if (inGroup > 1) {
      order.trackMultiKeyRequest(part);
    }
    order.route(part);
    if (followed != null) {
      followed.follow(part);
    }
    group++;
    inGroup = 0;
    Endpoint busy = parts.send(part);
    if (busy != null) {
      backpressure.pauseIfBusy(busy);
    }
  }

  private void endFollowing() {
    FollowedParts by = followed;
    if (by != null) {
      followed = null;
      by.end();
    }
  }

  private void releaseRequest() {
    SharedBuffer read = request;
    if (read != null) {
      request = null;
      read.release();
    }
  }

  private void releaseBytes() {
    SharedBuffer encoded = bytes;
    if (encoded != null) {
      bytes = null;
      encoded.release();
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
    endFollowing();
    releaseBytes();
    releaseRequest();
    parts.onInternalError();
  }
}
