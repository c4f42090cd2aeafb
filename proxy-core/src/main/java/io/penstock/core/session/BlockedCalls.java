package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.route.RoutePlan;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The call that a client waits for at present, if any: its next requests wait for the end. */
final class BlockedCalls {

  private final Session session;
  private @Nullable Blocking current;

  BlockedCalls(Session session) {
    this.session = session;
  }

  /** Carries out the request that was found last. False when it must wait for earlier ones. */
  boolean block(CommandSpec spec, RoutePlan.Blocking plan) {
    if (session.order().holdsBack(plan.slot())) {
      return false;
    }
    Request whole = session.intake().begin(spec);
    session.hold(whole);
    var call = new BlockingCall(session, whole, spec, plan);
    current = call;
    call.attempt();
    return true;
  }

  /**
   * {@code WAIT} or {@code WAITAOF}. False when it must wait for earlier requests: it is about what
   * they wrote.
   */
  boolean waitForReplicas(CommandSpec spec, LocalCommand which, Command command) {
    if (!session.sequence().isEmpty()) {
      return false;
    }
    Request whole = session.intake().begin(spec);
    session.hold(whole);
    var call = new WaitCall(session, whole, which == LocalCommand.WAITAOF);
    current = call;
    call.begin(command);
    return true;
  }

  /** The call whose reply {@code whole} is has ended. */
  void ended(Request whole) {
    current = null;
    session.goOn(whole);
  }

  /**
   * Whether the client waits in a call, or a request of it is held back by {@code CLIENT PAUSE}.
   */
  boolean isBlocked() {
    return (current != null && current.isBlocked())
        || (session.loop().pause().isOn() && session.input().isPutBack());
  }

  /** Adds the keys of the call that the client is blocked in, if it is. */
  void addKeys(BlockingKeyCount count) {
    if (current instanceof BlockingCall call && call.isBlocked()) {
      call.addKeys(count);
    }
  }

  /** As {@link Blocking#unblock}. */
  void unblock(boolean error, IntConsumer done) {
    if (current == null) {
      done.accept(0);
    } else {
      current.unblock(error, done);
    }
  }

  /** The client sends no more, or is gone: as in Redis, a blocked call ends with that. */
  void inputEnded() {
    if (current != null) {
      current.gone();
    }
  }

  /** The proxy takes up no more requests. */
  void drain() {
    if (current != null) {
      current.drain();
    }
  }
}
