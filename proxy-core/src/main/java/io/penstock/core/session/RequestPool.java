package io.penstock.core.session;

import java.util.ArrayDeque;

/**
 * A loop's requests: how many are in use, and those that are done and can be used again. Those are
 * as many as a load needs at its height, so that what is in flight makes no garbage, and fewer
 * again when it is over. Confined to the loop.
 */
final class RequestPool {

  /** So many are kept in any case. */
  static final int KEPT = 1_024;

  /** With what they keep of small replies some 30 MB for a loop, or a part of a small heap. */
  static final int MOST = Math.clamp(Runtime.getRuntime().maxMemory() / (64 * 450), KEPT, 65_536);

  private final ArrayDeque<Request> spare = new ArrayDeque<>();
  private int inUse;
  private int unused; // there was no time with fewer since the last look

  /** Requests that were taken and are not back. */
  int inUse() {
    return inUse;
  }

  /** Answers one that was used before if there is one. */
  Request take() {
    inUse++;
    Request request = spare.pollLast();
    if (request == null) {
      return new Request();
    }
    unused = Math.min(unused, spare.size());
    return request;
  }

  /** This one may never come back. */
  void forgo(Request request) {
    inUse -= request.forgo();
  }

  /** Takes one back, and has it forget everything. */
  void give(Request request) {
    forgo(request);
    request.recycle();
    if (spare.size() < MOST) {
      spare.addLast(request);
    }
  }

  /** Lets go of half of those that nobody needed since the last time. Called now and then. */
  void look() {
    int rest = Math.max(KEPT, spare.size() - (unused + 1) / 2);
    while (spare.size() > rest) {
      spare.pollFirst();
    }
    unused = spare.size();
  }

  int size() {
    return spare.size();
  }
}
