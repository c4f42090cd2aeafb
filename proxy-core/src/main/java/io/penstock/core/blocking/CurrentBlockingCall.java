package io.penstock.core.blocking;

import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.directory.BlockingKeyCount;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The blocking call that a client waits in now, if any. The client's next requests wait for its
 * end. Confined to the client's event loop.
 */
public final class CurrentBlockingCall {

  private final BlockingContext context;
  private final Client client;
  private final ReplySequence replies;
  private @Nullable BlockingOperation current;

  public CurrentBlockingCall(BlockingContext context) {
    this.context = context;
    this.client = context.clientContext().client();
    this.replies = context.clientContext().replies();
  }

  /** Runs a call that may block. */
  public void start(CommandSpec spec, RoutePlan.Blocking plan, IncomingRequest request) {
    ReplySlot whole = beginReply(spec);
    var call =
        new BlockingCall(context, this, whole, spec, new BlockingRequest(request, plan, now()));
    current = call;
    call.start();
  }

  private long now() {
    return context.clientContext().loop().tick();
  }

  /** Begins the reply to a call; the client's next requests wait for its end. */
  public ReplySlot beginReply(CommandSpec spec) {
    ReplySlot whole = replies.begin(spec);
    client.suspend(whole);
    return whole;
  }

  /** Sets the call that the client waits in from now on. */
  public void setCurrent(BlockingOperation call) {
    current = call;
  }

  /** Ends the call whose reply is {@code whole}. */
  public void end(ReplySlot whole) {
    current = null;
    client.resume(whole);
  }

  /** Returns whether the client is blocked. */
  public boolean isBlocked() {
    return current != null && current.isBlocked();
  }

  /** Returns whether the client waits in a call, perhaps not at a node yet. */
  public boolean isWaiting() {
    return current != null;
  }

  /** Like {@link BlockingOperation#deny}. */
  public void deny(byte[] error) {
    if (current != null) {
      current.deny(error);
    }
  }

  /** Adds the keys of the call that the client is blocked in, if any. */
  public void countKeys(BlockingKeyCount count) {
    if (current != null && current.isBlocked()) {
      current.countKeys(count);
    }
  }

  /** Like {@link BlockingOperation#unblock}. */
  public void unblock(boolean error, IntConsumer done) {
    if (current == null) {
      done.accept(0);
    } else {
      current.unblock(error, done);
    }
  }

  /** Ends a blocked call, as in Redis: the client sends no more or has disconnected. */
  public void onInputEnded() {
    if (current != null) {
      current.onInputEnded();
    }
  }

  /** Ends a blocked call: Penstock shuts down. */
  public void drain() {
    if (current != null) {
      current.drain();
    }
  }
}
