package io.penstock.core.mirror;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of one transaction of a client, and what the copies get for all of them together. Owned
 * by that client's transaction, on its event loop.
 */
public final class MirroredBlock {

  private static final CopyRequest NO_REQUEST = new CopyRequest(List.of());

  private final boolean fieldsMayExpire;
  private final List<Queued> calls = new ArrayList<>();

  /** A queued call, with copies of its bytes. */
  private record Queued(MirroredCall call, CopyRequest request, List<byte[]> keys, int questions) {}

  /**
   * @param fieldsMayExpire see {@link MirroredCall#of}
   */
  public MirroredBlock(boolean fieldsMayExpire) {
    this.fieldsMayExpire = fieldsMayExpire;
  }

  /**
   * Adds a call that is queued, and is not refused. Borrows the frame.
   *
   * @return the questions to queue directly behind it
   */
  public List<CopyRequest> add(CommandSpec spec, RequestFrame frame) {
    MirroredCall call = MirroredCall.of(spec, frame, fieldsMayExpire);
    List<CopyRequest> questions = call.questions();
    boolean never = call == Repeated.NEVER;
    calls.add(
        new Queued(
            call,
            never ? NO_REQUEST : CopyRequest.of(frame),
            never ? List.of() : Call.keys(spec, frame),
            questions.size()));
    return questions;
  }

  /**
   * Returns what the copies get. If keys must be copied again, all keys of the block's writes are:
   * a later call of the block may have read what a copy does not have yet.
   *
   * @param reply to {@code EXEC}, with the answers to the questions between the other replies;
   *     borrowed
   */
  public Effect effect(Reply reply) {
    if (reply.isError() || reply.isNull()) {
      return Effect.NOTHING;
    }
    List<Reply> replies = reply.elements();
    var collected = new Collected();
    int at = 0;
    for (Queued queued : calls) {
      int end = at + 1 + queued.questions;
      if (end > replies.size()) {
        return unknown();
      }
      List<Reply> answers = replies.subList(at + 1, end);
      collected.add(queued, queued.call.effect(replies.get(at).slice(), answers));
      at = end;
    }
    return collected.effect();
  }

  /** Returns what the copies get if the reply to {@code EXEC} did not come. */
  public Effect unknown() {
    List<byte[]> keys = new ArrayList<>();
    for (Queued queued : calls) {
      if (queued.call != Repeated.NEVER) {
        if (queued.keys.isEmpty()) {
          return Effect.UNKNOWN;
        }
        keys.addAll(queued.keys);
      }
    }
    return keys.isEmpty() ? Effect.NOTHING : Effect.CopyAgain.of(keys);
  }

  /** The effects of the calls, in their order. */
  private static final class Collected {

    private final List<CopyRequest> requests = new ArrayList<>();
    private final List<CopyRequest> keyless = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private boolean copyAgain;

    void add(Queued queued, Effect effect) {
      switch (effect) {
        case Effect.Nothing() -> {
          return;
        }
        case Effect.AsIs() -> {
          requests.add(queued.request);
          if (queued.keys.isEmpty()) {
            keyless.add(queued.request);
          }
        }
        case Effect.Instead(var instead) -> requests.addAll(instead);
        case Effect.CopyAgain _, Effect.Unknown _ -> copyAgain = true;
      }
      keys.addAll(queued.keys);
    }

    Effect effect() {
      return copyAgain && !keys.isEmpty()
          ? new Effect.CopyAgain(keyless, keys)
          : Effect.Instead.of(requests);
    }
  }
}
