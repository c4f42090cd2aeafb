package io.penstock.core.blocking;

import io.penstock.core.answer.BlockingKeyCount;
import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.route.RoutePlan;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The call that a client waits for at present, if any: its next requests wait for the end. Confined
 * to the client's event loop.
 */
public final class CurrentBlockingCall {

  private final BlockingContext made;
  private final Client client;
  private final ReplySequence replies;
  private @Nullable BlockingOperation current;

  /** For one client. */
  public CurrentBlockingCall(BlockingContext made) {
    this.made = made;
    this.client = made.clientContext().client();
    this.replies = made.clientContext().replies();
  }

  /** Carries out a call that may block. */
  public void start(CommandSpec spec, RoutePlan.Blocking plan, IncomingRequest request) {
    ReplySlot whole = beginReply(spec);
    var call = new BlockingCall(made, this, whole, spec, new BlockingRequest(request, plan, now()));
    current = call;
    call.attempt();
  }

  private long now() {
    return made.clientContext().loop().tick();
  }

  /** Takes the place of a call among the replies; the client's next requests wait for its end. */
  public ReplySlot beginReply(CommandSpec spec) {
    ReplySlot whole = replies.begin(spec);
    client.suspend(whole);
    return whole;
  }

  /** The client waits in this call, which begins now. */
  public void setCurrent(BlockingOperation call) {
    current = call;
  }

  /** The call that is answered in {@code whole} has ended. */
  public void end(ReplySlot whole) {
    current = null;
    client.resume(whole);
  }

  /** Whether the client waits in a call. */
  public boolean isBlocked() {
    return current != null && current.isBlocked();
  }

  /** Adds the keys of the call that the client is blocked in, if it is. */
  public void countKeys(BlockingKeyCount count) {
    if (current instanceof BlockingCall call && call.isBlocked()) {
      call.countKeys(count);
    }
  }

  /** As {@link BlockingOperation#unblock}. */
  public void unblock(boolean error, IntConsumer done) {
    if (current == null) {
      done.accept(0);
    } else {
      current.unblock(error, done);
    }
  }

  /** The client sends no more, or is gone: as in Redis, a blocked call ends with that. */
  public void onInputEnded() {
    if (current != null) {
      current.onInputEnded();
    }
  }

  /** The proxy takes up no more requests. */
  public void drain() {
    if (current != null) {
      current.drain();
    }
  }
}
