package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Mirrored;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
      boolean selects) {

    /** Returns the database that it selects; another one if the node rejects it. */
    int database() {
      try {
        String number = new String(request.arguments().get(1), StandardCharsets.US_ASCII);
        return Integer.parseInt(number);
      } catch (NumberFormatException _) {
        return Effect.Part.OF_CLIENT;
      }
    }
  }

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

  /** Returns whether a call selects a database. */
  public boolean selects() {
    return calls.stream().anyMatch(Queued::selects);
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
   * a later call of the block may have read what a copy does not have yet.
   *
   * <p>A block that selects databases has an effect in each of them. If it asks questions, the
   * requests contain {@code SELECT}: the connection to the copy is left in another database, as the
   * client is; and if keys must be copied again as well, nobody knows which these are.
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
    boolean selectsFirst = !asks && replies.size() == calls.size() + 1; // the client's database
    int at = selectsFirst ? 1 : 0;
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
    return selects() && !asks ? unknownInDatabases(collected) : collected.effect();
  }

  /** Any of the selections may have failed: then what follows ran in an earlier database. */
  private Effect unknownInDatabases(Collected collected) {
    if (!collected.writes || collected.unknown) {
      return collected.writes ? Effect.UNKNOWN : Effect.NOTHING;
    }
    Set<Integer> databases = new LinkedHashSet<>(Set.of(Effect.Part.OF_CLIENT));
    calls.stream().filter(Queued::selects).forEach(each -> databases.add(each.database()));
    return new Effect.InDatabases(
        databases.stream().map(each -> new Effect.Part(each, List.of(), collected.keys)).toList());
  }

  /** The effects of the calls between two selections. */
  private static final class InOne {

    final int database;
    final List<CopyRequest> requests = new ArrayList<>();
    final List<CopyRequest> keyless = new ArrayList<>();
    final List<byte[]> keys = new ArrayList<>();

    InOne(int database) {
      this.database = database;
    }
  }

  /** The effects of the calls, in their order. */
  private final class Collected {

    private final List<CopyRequest> requests = new ArrayList<>();
    private final List<CopyRequest> keyless = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private final List<InOne> parts = new ArrayList<>(List.of(new InOne(Effect.Part.OF_CLIENT)));
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
        parts.add(new InOne(queued.database()));
        return;
      }
      writes = true;
      keys.addAll(queued.keys);
      InOne part = parts.getLast();
      part.keys.addAll(queued.keys);
      switch (effect) {
        case Effect.Nothing() -> {}
        case Effect.AsIs() -> {
          requests.add(queued.request);
          part.requests.add(queued.request);
          if (queued.keys.isEmpty()) {
            keyless.add(queued.request);
            part.keyless.add(queued.request);
          }
        }
        case Effect.Instead(var instead) -> {
          requests.addAll(instead);
          part.requests.addAll(instead);
        }
        case Effect.CopyAgain _ -> copyAgain = true;
        case Effect.InDatabases _ -> throw new IllegalArgumentException("of one call");
        case Effect.Unknown() -> unknown = true;
      }
    }

    Effect effect() {
      if (!writes) {
        return Effect.NOTHING;
      }
      if (unknown || (copyAgain && selects && asks)) {
        return Effect.UNKNOWN;
      }
      if (selects && !asks) {
        return inDatabases();
      }
      return copyAgain ? new Effect.CopyAgain(keyless, keys) : Effect.Instead.of(requests);
    }

    private Effect inDatabases() {
      List<Effect.Part> all = new ArrayList<>();
      for (InOne each : parts) {
        List<CopyRequest> sent = copyAgain ? each.keyless : each.requests;
        if (!sent.isEmpty()) {
          all.add(new Effect.Part(each.database, sent, copyAgain ? List.of() : each.keys));
        }
        if (copyAgain && !each.keys.isEmpty()) {
          all.add(new Effect.Part(each.database, List.of(), each.keys));
        }
      }
      return all.isEmpty() ? Effect.NOTHING : new Effect.InDatabases(all);
    }
  }
}
