package io.penstock.core.session;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.KnownSlots;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import org.jspecify.annotations.Nullable;

/**
 * Takes up requests with many arguments: in slices it finds out what slot each would be in if it is
 * a key, so that routing has to put together only. Such a request waits until all earlier ones of
 * its client are answered, and is put back meanwhile. Confined to its loop.
 */
final class SlotSearch implements Sliced {

  /** In a slice, for arguments that are long. */
  private static final int MOST_BYTES = 4 * 1024 * 1024;

  private final Session session;
  private @Nullable KnownSlots slots; // of the request that was put back, if it has begun
  private int next; // argument

  SlotSearch(Session session) {
    this.session = session;
  }

  /** Takes up the request that was found last. Answers false when it must wait; it is put back. */
  boolean handle() {
    KnownSlots known = slots;
    if (known == null && session.sequence().isEmpty()) {
      known = new KnownSlots(session.input().frame());
      slots = known;
      next = 1;
      session.loop().slices().begin(this);
    }
    if (known == null || next < known.arguments()) {
      session.input().putBack();
      return false;
    }
    return handle(known);
  }

  private boolean handle(KnownSlots known) {
    Router router = session.loop().router();
    boolean taken = true;
    router.know(known);
    try {
      taken = session.intake().handle();
    } finally {
      router.know(KnownSlots.NONE);
      if (taken) {
        slots = null;
      }
    }
    return taken;
  }

  @Override
  public boolean goOn() {
    KnownSlots known = slots;
    if (known == null || session.isClosed()) {
      slots = null;
      return false;
    }
    Router router = session.loop().router();
    RequestFrame frame = session.input().frame();
    int end = Math.min(known.arguments(), next + Slices.STEPS);
    for (long bytes = 0; next < end && bytes < MOST_BYTES; next++) {
      int length = frame.length(next);
      if (length <= KnownSlots.LONGEST) {
        known.set(next, router.partitionOf(frame, next));
        bytes += length;
      }
    }
    if (next < known.arguments()) {
      return true;
    }
    session.takeUp();
    session.allowance().checkInput();
    return false;
  }

  @Override
  public void broke(Throwable cause) {
    slots = null;
    Defect.in(session, cause);
  }
}
