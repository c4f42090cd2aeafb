package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Mirrored;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The calls of one transaction of a client, and what the copies get for all of them together. Owned
 * by that client's transaction, on its event loop.
 */
public final class MirroredBlock {

  private static final CopyRequest NO_REQUEST = new CopyRequest(List.of());

  private static final Effect UNCLEAR = new Effect.CopyAgain(List.of(), List.of());

  private final BooleanSupplier fieldsMayExpire;
  private final boolean asks;
  private final List<Queued> calls = new ArrayList<>();

  /** A queued call, with copies of its bytes. */
  private record Queued(
      MirroredCall call,
      CopyRequest request,
      List<byte[]> keys,
      List<CopyRequest> questions,
      boolean selects) {}

  /**
   * @param fieldsMayExpire see {@link MirroredCall#of}
   */
  public MirroredBlock(BooleanSupplier fieldsMayExpire) {
    this(fieldsMayExpire, true);
  }

  /**
   * @param fieldsMayExpire see {@link MirroredCall#of}
   * @param asks whether questions are queued; if not, keys are copied again where there are some
   */
  public MirroredBlock(BooleanSupplier fieldsMayExpire, boolean asks) {
    this.fieldsMayExpire = fieldsMayExpire;
    this.asks = asks;
  }

  /** Returns whether no call of the block has an effect at copies, whatever the replies are. */
  public boolean isEmpty() {
    return calls.stream().allMatch(each -> each.call == Repeated.NEVER || each.selects);
  }

  /** Returns whether a call without keys has an effect. */
  public boolean hasKeyless() {
    return calls.stream()
        .anyMatch(each -> each.call != Repeated.NEVER && !each.selects && each.keys.isEmpty());
  }

  /** Returns the keys of all calls that have an effect. */
  public List<byte[]> keys() {
    return calls.stream().flatMap(each -> each.keys.stream()).toList();
  }

  /**
   * Adds a call that is queued, and is not refused. Borrows the frame.
   *
   * @return the questions to queue directly behind it
   */
  public List<CopyRequest> add(CommandSpec spec, RequestFrame frame) {
    boolean selects = spec.mirrored() == Mirrored.DATABASE;
    MirroredCall call = selects ? Repeated.ALWAYS : MirroredCall.of(spec, frame, fieldsMayExpire);
    boolean never = call == Repeated.NEVER;
    CopyRequest request = never ? NO_REQUEST : CopyRequest.of(frame);
    List<byte[]> keys = never ? List.of() : request.keys(spec, frame);
    List<CopyRequest> questions = call.questions();
    calls.add(new Queued(call, request, keys, questions, selects));
    return asks ? questions : List.of();
  }

  /**
   * Returns what the copies get. If keys must be copied again, all keys of the block's writes are:
   * a later call of the block may have read what a copy does not have yet. If another database was
   * selected as well, nobody knows which keys these are.
   *
   * <p>Requests may contain {@code SELECT}, if the block does: the connection to the copy is left
   * in another database, as the client is.
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
      int end = at + 1 + (asks ? queued.questions.size() : 0);
      if (end > replies.size()) {
        return unknown();
      }
      List<Reply> answers = replies.subList(at + 1, end);
      ByteBuf own = replies.get(at).slice();
      boolean unclear =
          !asks && !queued.questions.isEmpty() && !Reply.isError(own, own.readerIndex());
      collected.add(queued, unclear ? UNCLEAR : queued.call.effect(own, answers));
      at = end;
    }
    return collected.effect();
  }

  /** Returns what the copies get if the reply to {@code EXEC} did not come. */
  public Effect unknown() {
    var collected = new Collected();
    for (Queued queued : calls) {
      boolean never = queued.call == Repeated.NEVER;
      boolean keyless = queued.keys.isEmpty() && !queued.selects;
      collected.add(queued, never ? Effect.NOTHING : keyless ? Effect.UNKNOWN : UNCLEAR);
    }
    return collected.effect();
  }

  /** The effects of the calls, in their order. */
  private static final class Collected {

    private final List<CopyRequest> requests = new ArrayList<>();
    private final List<CopyRequest> keyless = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private boolean writes;
    private boolean selects;
    private boolean copyAgain;
    private boolean unknown;

    void add(Queued queued, Effect effect) {
      if (effect == Effect.NOTHING) {
        return;
      }
      if (queued.selects) {
        selects = true;
        requests.add(queued.request);
        return;
      }
      writes = true;
      keys.addAll(queued.keys);
      switch (effect) {
        case Effect.Nothing() -> {}
        case Effect.AsIs() -> {
          requests.add(queued.request);
          if (queued.keys.isEmpty()) {
            keyless.add(queued.request);
          }
        }
        case Effect.Instead(var instead) -> requests.addAll(instead);
        case Effect.CopyAgain _ -> copyAgain = true;
        case Effect.Unknown() -> unknown = true;
      }
    }

    Effect effect() {
      if (!writes) {
        return Effect.NOTHING;
      }
      if (unknown || (copyAgain && selects)) {
        return Effect.UNKNOWN;
      }
      return copyAgain ? new Effect.CopyAgain(keyless, keys) : Effect.Instead.of(requests);
    }
  }
}
