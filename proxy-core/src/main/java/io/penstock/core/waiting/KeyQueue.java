package io.penstock.core.waiting;

import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.RetryWindow;
import io.penstock.core.reply.ErrorReplies;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one loop that wait for a key, the one that has waited longest first. If each takes
 * something, one is woken after the other: the next when the one before has taken its part.
 * Confined to the loop.
 */
final class KeyQueue {

  private final KeyWaits waits;
  private final WaitedKey key;
  private final Set<WaitingCall> calls = new LinkedHashSet<>();
  private final RetryWindow retryWindow;
  private @Nullable WaitingCall woken; // the one that may take something now
  private int ready; // calls that may find something, besides that one
  private boolean asking;

  KeyQueue(KeyWaits waits, WaitedKey key) {
    this.waits = waits;
    this.key = key;
    this.retryWindow = new RetryWindow(waits.loop(), waits.nodes());
  }

  WaitedKey key() {
    return key;
  }

  void add(WaitingCall call) {
    calls.add(call);
  }

  /** Returns the call that has waited longest; a queue in use has one. */
  @Nullable WaitingCall first() {
    return calls.isEmpty() ? null : calls.iterator().next();
  }

  /** Removes a call. Returns whether none is left. */
  boolean remove(WaitingCall call) {
    calls.remove(call);
    return calls.isEmpty();
  }

  /**
   * A call ends or goes on waiting, whichever key it was woken for.
   *
   * @param took whether it took something from a key
   */
  void onReturned(WaitingCall call, boolean took) {
    if (woken == call) {
      woken = null;
      ready = took ? ready : 0;
    }
    wakeNext();
  }

  /**
   * Asks the key's node, unless it is asked already or the answer would wake no call: one is just
   * taking something from this key, or the first one from another.
   */
  void ask() {
    WaitingCall first = first();
    if (first != null && !asking && woken == null && !(first.isBusy() && !key.kind().isShared())) {
      asking = true;
      new KeyQuestion(this, waits, first).send();
    }
  }

  /** Handles the answer: how many calls may find something. */
  void onAnswer(int count) {
    asking = false;
    retryWindow.reset();
    ready = count;
    wakeNext();
  }

  /**
   * The node did not answer. It is asked again; if this has lasted too long, the calls end.
   *
   * @param error with which the node rejects connections; null if it does not
   */
  void onNoAnswer(@Nullable HandshakeError error) {
    asking = false;
    if (retryWindow.isOver() || (error != null && error.permanent())) {
      List.copyOf(calls).forEach(call -> call.onUnreachable(ErrorReplies.unavailable(error)));
    }
  }

  private void wakeNext() {
    if (ready <= 0) {
      return;
    }
    if (key.kind().isShared()) {
      ready = 0;
      List.copyOf(calls).forEach(call -> call.wake(key));
      return;
    }
    WaitingCall first = first();
    if (woken == null && first != null && !first.isBusy()) {
      ready--;
      woken = first;
      first.wake(key);
    }
  }
}
