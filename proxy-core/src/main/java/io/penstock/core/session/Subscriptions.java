package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Failure;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Joining;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.route.RoutePlan;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one client has subscribed to. A request that subscribes or unsubscribes is taken up when
 * those before it have been answered and is answered before those behind it are taken up, so that
 * it takes effect between them as on a server. Confined to the client's loop.
 */
final class Subscriptions {

  private static final Set<LocalCommand> ALSO_PERMITTED =
      EnumSet.of(LocalCommand.PING, LocalCommand.QUIT, LocalCommand.RESET);

  private static final Set<LocalCommand> CHANGE_ALL =
      EnumSet.of(LocalCommand.HELLO, LocalCommand.RESET, LocalCommand.QUIT);

  private static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";

  private final Session session;
  private final Pushes pushes;
  private final SubscribedNames names = new SubscribedNames();
  private @Nullable Joining joining; // under way
  private @Nullable Request answering; // the request that subscribes or unsubscribes just now
  private long borne; // bytes of the names in it

  Subscriptions(Session session) {
    this.session = session;
    this.pushes = new Pushes(session);
  }

  /** Whether a client listens to anything. */
  static boolean isSubscriber(Session session) {
    Subscriptions all = session.intake().subscriptions();
    return all != null && !all.isEmpty();
  }

  int count(Kind kind) {
    return names.of(kind).size();
  }

  /** Bytes that the names take, about. */
  long size() {
    return names.size();
  }

  Pushes pushes() {
    return pushes;
  }

  private boolean isEmpty() {
    return count(Kind.CHANNEL) + count(Kind.PATTERN) + count(Kind.SHARD) == 0;
  }

  /** Whether a request may only be one that subscribers may send. */
  boolean isRestricted() {
    return !isEmpty() && session.profile().protocol() == Protocol.RESP2;
  }

  /** Whether a subscriber that speaks RESP2 may ask for it. */
  static boolean permits(RoutePlan plan) {
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && (which.area() == LocalCommand.Area.SUBSCRIPTION || ALSO_PERMITTED.contains(which));
  }

  /**
   * Whether a request must wait: for the one that subscribes or unsubscribes just now, or, where it
   * changes how messages are given, for all before it. Messages may be left of what a client has
   * listened to before.
   */
  boolean holdsBack(RoutePlan plan) {
    if (answering != null) {
      return true;
    }
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && CHANGE_ALL.contains(which)
        && (!isEmpty() || pushes.heldBytes() > 0)
        && !session.sequence().isEmpty();
  }

  /** What is before a change of how messages are given goes first. */
  void beforeChange() {
    pushes.handOver();
  }

  /** Takes up a request that subscribes or unsubscribes; none is unanswered. */
  void answer(CommandSpec spec, LocalCommand which, Command command) {
    List<Name> given = NameList.of(command.frame());
    switch (which) {
      case SUBSCRIBE -> subscribe(spec, Kind.CHANNEL, given);
      case PSUBSCRIBE -> subscribe(spec, Kind.PATTERN, given);
      case SSUBSCRIBE -> subscribe(spec, Kind.SHARD, given);
      case UNSUBSCRIBE -> unsubscribe(spec, Kind.CHANNEL, given);
      case PUNSUBSCRIBE -> unsubscribe(spec, Kind.PATTERN, given);
      case SUNSUBSCRIBE -> unsubscribe(spec, Kind.SHARD, given);
      default -> throw new IllegalArgumentException(which + " does not subscribe");
    }
  }

  private void subscribe(CommandSpec spec, Kind kind, List<Name> wanted) {
    if (isCrossSlot(kind, wanted)) {
      session.intake().reject(spec, CROSS_SLOT);
      return;
    }
    Request request = begin(spec, wanted);
    long deadline = session.loop().now() + session.loop().settings().patienceNanos();
    var outcome = new Answer(kind, wanted);
    Joining begun = session.loop().hub().join(pushes, kind, wanted, deadline, outcome);
    if (answering == request) {
      joining = begun;
    }
  }

  /** In a cluster, shard channels of different slots are on different nodes. */
  private boolean isCrossSlot(Kind kind, List<Name> names) {
    return kind == Kind.SHARD && session.loop().isSharded() && !NameList.isOfOneSlot(names);
  }

  private void unsubscribe(CommandSpec spec, Kind kind, List<Name> given) {
    if (isCrossSlot(kind, given)) {
      session.intake().reject(spec, CROSS_SLOT);
      return;
    }
    List<Name> unwanted = given.isEmpty() ? List.copyOf(names.of(kind)) : given;
    begin(spec, given);
    session
        .loop()
        .hub()
        .leave(
            pushes,
            kind,
            unwanted,
            () -> {
              if (answering != null) {
                confirmEnd(kind, unwanted);
              }
            });
  }

  private Request begin(CommandSpec spec, List<Name> given) {
    pushes.release(); // no message of before comes behind the confirmation
    Request request = session.intake().begin(spec);
    answering = request;
    borne = SubscribedNames.sizeOf(given);
    session.allowance().bears(borne);
    return request;
  }

  /** What the end of a joining means to the client. */
  private final class Answer implements Joining.Outcome {

    private final Kind kind;
    private final List<Name> wanted;

    Answer(Kind kind, List<Name> wanted) {
      this.kind = kind;
      this.wanted = wanted;
    }

    @Override
    public void joined() {
      ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer();
      for (Name name : wanted) {
        names.add(kind, name);
        confirm(out, kind, kind.subscribe(), name);
      }
      answer(out);
    }

    @Override
    public void refused(byte[] error) {
      end().deliverError(error, Outcome.ERROR);
    }

    @Override
    public void failed(Failure failure) {
      switch (failure) {
        case TIMEOUT -> end().deliverError(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
        case NO_OWNER -> end().deliverError(ErrorReplies.NOT_SERVED, Outcome.UNAVAILABLE);
        case NOT_SENT, CONNECTION_LOST, OVERLOADED ->
            end().deliverError(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
      }
    }
  }

  private void confirmEnd(Kind kind, List<Name> unwanted) {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer();
    if (unwanted.isEmpty()) {
      confirm(out, kind, kind.unsubscribe(), null);
    }
    for (Name name : unwanted) {
      names.remove(kind, name);
      confirm(out, kind, kind.unsubscribe(), name);
    }
    answer(out);
  }

  private void confirm(ByteBuf out, Kind kind, String word, @Nullable Name name) {
    var writer = new ReplyWriter(out, session.profile().protocol());
    writer.push(3);
    writer.bulk(word);
    if (name == null) {
      writer.missing();
    } else {
      writer.bulk(name.toString());
    }
    boolean shard = kind == Kind.SHARD;
    writer.integer(shard ? count(kind) : count(Kind.CHANNEL) + count(Kind.PATTERN));
  }

  /** Confirmations are given whatever the client has said about replies, as pushes are. */
  private void answer(ByteBuf confirmations) {
    Request request = end();
    if (request.isCaptured()) { // its place is in the reply to EXEC
      request.deliverOwned(confirmations, Outcome.OK);
      return;
    }
    if (session.isClosed()) {
      confirmations.release();
    } else {
      session.output().appendOwned(confirmations);
    }
    request.complete(Outcome.OK);
  }

  private Request end() {
    Request request = Objects.requireNonNull(answering, "nothing is to be answered");
    answering = null;
    joining = null;
    session.allowance().bears(-borne);
    return request;
  }

  /** RESET: what was pushed so far goes before its reply, and nothing comes behind it. */
  void reset() {
    leaveAll();
    pushes.handOver();
  }

  /** Ends all subscriptions without a word, as RESET and the end of a connection do. */
  private void leaveAll() {
    Joining begun = joining;
    if (begun != null) {
      session.loop().hub().cancel(begun);
    }
    for (Kind kind : Kind.values()) {
      List<Name> unwanted = names.takeAll(kind);
      if (!unwanted.isEmpty()) {
        session.loop().hub().leave(pushes, kind, unwanted, () -> {});
      }
    }
  }

  /** The connection closes once what it is owed is written. */
  void drain() {
    leaveAll();
    pushes.release();
    if (answering != null && !answering.isCaptured()) {
      end().complete(Outcome.REJECTED);
    }
  }

  /** The connection is closed. */
  void close() {
    leaveAll();
    pushes.drop();
    if (answering != null) {
      end().complete(Outcome.REJECTED); // no confirmation comes for it any more
    }
  }
}
