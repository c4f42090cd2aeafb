package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.Lease;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.transport.Loop;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Sends {@code CLIENT UNBLOCK} for a call that blocks on a leased connection, over the shared
 * connection to the same node. Repeated while there is nothing to unblock: the call may not have
 * arrived yet.
 */
final class ClientUnblock extends Exchange {

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final Lease lease;
  private final byte[] request;
  private final BooleanSupplier needed;
  private final IntConsumer done;
  private final long deadline;

  /**
   * @param error whether the call ends with an error, instead of as after its timeout
   * @param needed returns whether the call has not ended yet
   * @param done gets 1 if it was unblocked, else 0
   */
  ClientUnblock(
      ClientContext context, Lease lease, boolean error, BooleanSupplier needed, IntConsumer done) {
    this.client = context.client();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.lease = lease;
    this.request =
        WireRequest.of(
            "CLIENT",
            "UNBLOCK",
            Long.toString(lease.backendClientId()),
            error ? "ERROR" : "TIMEOUT");
    this.needed = needed;
    this.done = done;
    this.deadline = loop.tick() + nodes.commandTimeoutNanos();
  }

  void send() {
    if (!needed.getAsBoolean()) {
      done.accept(0);
    } else if (lease.backendClientId() == 0 || loop.tick() - deadline >= 0) {
      lease.discard(); // the node ends the call when it notices
      done.accept(0);
    } else {
      bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
      sendOptions(client.protocol(), client.affinity(), deadline);
      nodes.dispatchTo(lease.node(), this, false);
    }
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    byte reply = buffer.getByte(from + 1);
    if (buffer.getByte(from) != ':') {
      lease.discard(); // for example, Penstock's user may not run it
      done.accept(0);
    } else if (reply == '1') {
      done.accept(1);
    } else {
      loop.executor().schedule(this::send, RETRY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("CLIENT UNBLOCK was answered with a large reply");
  }

  @Override
  public void onFailure(Failure failure) {
    releaseBytes();
    lease.discard();
    done.accept(0);
  }
}
