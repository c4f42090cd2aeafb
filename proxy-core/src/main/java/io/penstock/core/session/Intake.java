package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.route.ScanCursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes up one request after the other: what becomes of each, as the session stands. */
final class Intake {

  private static final String ONLY_SUBSCRIBERS_MAY =
      "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";

  private final Session session;
  private final Command command;
  private final LocalReplies local;
  private final Transactions transactions;
  private final BlockedCalls blocked;
  private final ClientAdministration clients;
  private final TrackingReplies tracking;
  private final ServerReplies server;
  private final ClusterReplies cluster;
  private @Nullable Subscriptions subscriptions; // since the client first subscribed
  private @Nullable Replay replay;

  /**
   * @param command over the frame of the session's input
   */
  Intake(Session session, Command command) {
    this.session = session;
    this.command = command;
    this.local = new LocalReplies(session);
    this.transactions = new Transactions(session);
    this.blocked = new BlockedCalls(session);
    this.clients = new ClientAdministration(session);
    this.tracking = new TrackingReplies(session);
    this.server = new ServerReplies(session);
    this.cluster = new ClusterReplies(session);
  }

  /**
   * Takes up the request that was found last. Answers false when it must wait for earlier ones; it
   * is put back then.
   */
  boolean handle() {
    RoutePlan plan = session.loop().router().route(command);
    CommandSpec spec = command.spec();
    if (spec == null && Authentication.isOfHttp(command)) {
      Authentication.end(session);
      return true;
    }
    Subscriptions subscribed = subscriptions;
    if (subscribed != null && subscribed.holdsBack(plan)) {
      return putBack();
    }
    if (!session.isAuthenticated() && Authentication.isNeededFor(command)) {
      return reject(spec, Transactions.worded(spec, ErrorReplies.NO_AUTH));
    }
    if (session.loop().pause().isOn()
        && spec != null
        && session.loop().pause().holds(plan, spec, command, session)) {
      return putBack();
    }
    if (transactions.isOpen() && transactions.takes(plan, command)) {
      return true;
    }
    if (subscribed != null && subscribed.isRestricted() && isRefused(spec)) {
      return true;
    }
    return (!session.sender().awaitsRoom(plan, spec) && carryOut(plan, spec)) || putBack();
  }

  /** Answers false when the request must wait for earlier ones. */
  private boolean carryOut(RoutePlan plan, @Nullable CommandSpec spec) {
    if (session.loop().isFull() && !(plan instanceof RoutePlan.Local)) {
      session.loop().sweep().tellFull();
      begin(spec).deliverError(ErrorReplies.TOO_MANY, Outcome.OVERLOADED);
      return true;
    }
    return switch (plan) {
      case RoutePlan.Single(int slot) -> forward(Objects.requireNonNull(spec), slot);
      case RoutePlan.AnyNode _ -> forwardToAnyNode(Objects.requireNonNull(spec));
      case RoutePlan.Several(int slot) ->
          session.sender().forwardSeveral(Objects.requireNonNull(spec), slot);
      case RoutePlan.Script script ->
          session.sender().forwardScript(Objects.requireNonNull(spec), script);
      case RoutePlan.Split split -> divide(Objects.requireNonNull(spec), split);
      case RoutePlan.Broadcast broadcast -> broadcast(Objects.requireNonNull(spec), broadcast);
      case RoutePlan.Scan _ -> scan(Objects.requireNonNull(spec));
      case RoutePlan.Publish publish -> publish(Objects.requireNonNull(spec), publish);
      case RoutePlan.Watch(int slot) -> transactions.watch(Objects.requireNonNull(spec), slot);
      case RoutePlan.Blocking blocking -> blocked.block(Objects.requireNonNull(spec), blocking);
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) ->
          session.allowance().takes(command.frame())
              ? answer(which, answer, command)
              : reject(which, ErrorReplies.TOO_LONG);
      case RoutePlan.Reject(String error) ->
          reject(spec, Transactions.worded(spec, ErrorReplies.encode(error)));
    };
  }

  private boolean forward(CommandSpec spec, int slot) {
    if (session.order().holdsBack(slot)) {
      return false;
    }
    session.sender().forward(spec, slot);
    return true;
  }

  private boolean forwardToAnyNode(CommandSpec spec) {
    if (session.order().holdsBackAnyNode()) {
      return false;
    }
    session.sender().forwardToAnyNode(spec);
    return true;
  }

  private boolean divide(CommandSpec spec, RoutePlan.Split plan) {
    int made = plan.made();
    if (session.order().holdsBackAll()) {
      return false;
    }
    if (plan.made() != made) { // a new map had other clients go on, and one of them divided
      return carryOut(session.loop().router().route(command), spec);
    }
    session.sender().divide(spec, plan);
    return true;
  }

  private boolean broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    if (session.order().holdsBackAll()) {
      return false;
    }
    switch (spec.name()) {
      case "config|set" -> {
        String refusal = ConfigSet.refusal(session, command.frame());
        if (refusal != null) {
          return reject(spec, refusal);
        }
      }
      case "config|resetstat" -> server.reset();
      default -> session.loop().noteScript(spec, command.frame());
    }
    session.sender().broadcast(spec, plan);
    return true;
  }

  private boolean scan(CommandSpec spec) {
    if (session.order().holdsBackAll()) {
      return false;
    }
    String cursor = LocalReplies.cString(LocalReplies.text(command.frame(), 1));
    try {
      session.sender().scan(spec, ScanCursor.parse(cursor));
    } catch (NumberFormatException e) {
      reject(spec, "ERR invalid cursor");
    }
    return true;
  }

  private boolean publish(CommandSpec spec, RoutePlan.Publish plan) {
    if (session.order().holdsBack(plan.slot())) {
      return false;
    }
    session.sender().publish(spec, plan);
    return true;
  }

  /** Has a part of the session answer; false when the request must wait for earlier ones. */
  private boolean answer(CommandSpec spec, LocalCommand which, Command request) {
    session.share().spend(TurnShare.steps(which, request));
    switch (which.area()) {
      case CONNECTION -> local.answer(spec, which, request);
      case TRANSACTION -> {
        return transactions.answer(spec, which);
      }
      case REPLICATION -> {
        return blocked.waitForReplicas(spec, which, request);
      }
      case SUBSCRIPTION -> {
        if (replay == null && !session.sequence().isEmpty()) {
          return false;
        }
        subscribing().answer(spec, which, request);
      }
      case CLIENTS -> clients.answer(spec, which, request);
      case TRACKING -> tracking.answer(spec, which, request);
      case SERVER -> server.answer(spec, which, request);
      case CLUSTER -> cluster.answer(spec, which, request);
    }
    return true;
  }

  /** Answers a request that {@code EXEC} has come to; its reply is captured. */
  void answer(Replay by, Command request) {
    if (session.loop().router().route(request)
        instanceof RoutePlan.Local(CommandSpec spec, LocalCommand which)) {
      replay = by;
      try {
        if (which == LocalCommand.SSUBSCRIBE) { // alone of its like, and whatever the keys
          reject(spec, "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
        } else {
          answer(spec, which, request);
        }
      } finally {
        replay = null;
      }
    }
  }

  /** Looks commands up in {@code commands} from the next request on. */
  void adopt(CommandTable commands) {
    command.adopt(commands);
  }

  /** A subscriber that speaks RESP2 may send few commands; others are answered with an error. */
  private boolean isRefused(@Nullable CommandSpec spec) {
    if (spec == null
        || !spec.acceptsArity(command.argc())
        || command.isUnknownSubcommand()
        || Subscriptions.permits(spec)) {
      return false;
    }
    return reject(spec, "ERR Can't execute '" + spec.name() + ONLY_SUBSCRIBERS_MAY);
  }

  private boolean putBack() {
    session.input().putBack();
    return false;
  }

  /** Takes a place among the replies for the request that was found last. */
  Request begin(@Nullable CommandSpec spec) {
    Activity activity = session.activity();
    activity.request(spec);
    Request request = session.loop().requests().take();
    if (replay != null) {
      replay.begin(request, spec);
      return request;
    }
    request.begin(session, spec, activity.lastBytesAt(), session.profile().mutesNext());
    session.sequence().add(request, session.output());
    return request;
  }

  /** Answers the request that was found last with an error line, and true: it is done with. */
  boolean reject(@Nullable CommandSpec spec, String error) {
    return reject(spec, ErrorReplies.encode(error));
  }

  boolean reject(@Nullable CommandSpec spec, byte[] error) {
    session.share().spend(TurnShare.ANSWER);
    begin(spec).deliverError(error, Outcome.REJECTED);
    return true;
  }

  /** The client's transactions. */
  Transactions transactions() {
    return transactions;
  }

  /** What the client listens to; null while it has never asked for anything. */
  @Nullable Subscriptions subscriptions() {
    return subscriptions;
  }

  private Subscriptions subscribing() {
    Subscriptions existing = subscriptions;
    if (existing == null) {
      existing = new Subscriptions(session);
      subscriptions = existing;
    }
    return existing;
  }

  /** What the client waits for. */
  BlockedCalls blocked() {
    return blocked;
  }

  /** Nothing more is taken up, and nobody is told anything unasked. */
  void drain() {
    blocked.drain();
    if (subscriptions != null) {
      subscriptions.drain();
    }
  }

  /** The client is as after connecting. */
  void reset() {
    transactions.close();
    if (subscriptions != null) {
      subscriptions.reset();
    }
  }

  /** What was pushed so far goes before what is written in another protocol. */
  void beforeChange() {
    transactions.protocolChanges();
    if (subscriptions != null) {
      subscriptions.beforeChange();
    }
  }

  /** The client is gone. */
  void close() {
    transactions.close();
    if (subscriptions != null) {
      subscriptions.close();
    }
    blocked.inputEnded();
    session.sequence().close();
  }
}
