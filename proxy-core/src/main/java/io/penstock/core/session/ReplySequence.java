package io.penstock.core.session;

import io.penstock.core.transport.SocketOutput;
import org.jspecify.annotations.Nullable;

/**
 * A client's requests whose replies have not been given yet, in the order they came. The reply to
 * the first may be written at once; those behind it hold theirs until their turn.
 */
final class ReplySequence {

  private static final int INITIAL = 8;
  private static final int KEPT = 256;

  private final Session session;
  private @Nullable Request[] ring = new Request[INITIAL];
  private int head;
  private int size;
  private boolean advancing;

  ReplySequence(Session session) {
    this.session = session;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** The {@code i}-th oldest. */
  Request at(int i) {
    Request request = ring[(head + i) & (ring.length - 1)];
    if (request == null || i >= size) {
      throw new IllegalStateException("no request at " + i + " of " + size);
    }
    return request;
  }

  void add(Request request, SocketOutput output) {
    if (size == ring.length) {
      grow();
    }
    ring[(head + size) & (ring.length - 1)] = request;
    size++;
    if (size == 1) {
      request.becomeFirst(output);
    }
  }

  /** The first is done: it leaves, and so do those behind it that were done already. */
  void advance() {
    if (advancing) {
      return;
    }
    advancing = true;
    try {
      while (size > 0 && at(0).isDone()) {
        Request done = at(0);
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        size--;
        session.loop().requests().give(done);
        if (size > 0) {
          at(0).becomeFirst(session.output());
        }
      }
    } catch (Throwable e) {
      Defect.in(session, e);
    } finally {
      advancing = false;
    }
    shrinkWhenIdle();
    session.onAdvanced();
  }

  /** The client is gone: what is held for it is dropped, and what is yet to come will be. */
  void close() {
    for (int i = 0; i < size; i++) {
      at(i).dropHeld();
    }
  }

  /** None of them may ever be done. */
  void forgo() {
    for (int i = 0; i < size; i++) {
      session.loop().requests().forgo(at(i));
    }
  }

  private void shrinkWhenIdle() {
    if (size == 0 && ring.length > KEPT) {
      ring = new Request[INITIAL];
      head = 0;
    }
  }

  private void grow() {
    @Nullable Request[] larger = new Request[ring.length * 2];
    for (int i = 0; i < size; i++) {
      larger[i] = at(i);
    }
    ring = larger;
    head = 0;
  }
}
