package io.penstock.core.session;

import io.penstock.core.answer.AnswerContext;
import io.penstock.core.answer.Authentication;
import io.penstock.core.answer.ClientAdministration;
import io.penstock.core.answer.ClusterReplies;
import io.penstock.core.answer.ConfigSet;
import io.penstock.core.answer.LocalReplies;
import io.penstock.core.answer.ServerReplies;
import io.penstock.core.answer.TrackingReplies;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.blocking.CurrentBlockingCall;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestRules;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.forward.ForwardInput;
import io.penstock.core.forward.Forwarder;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.replication.WaitCall;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.route.KnownPartitions;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.route.ScanCursor;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.transaction.DatabaseSelection;
import io.penstock.core.transaction.LocalCommandHandler;
import io.penstock.core.transaction.TransactionContext;
import io.penstock.core.transaction.Transactions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles the client's requests one after the other: passes each to its handler according to the
 * session's state. Confined to the client's event loop.
 */
final class Intake implements LocalCommandHandler {

  private static final String ONLY_SUBSCRIBERS_MAY =
      "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";

  private final Session session;
  private final SessionLoop loop;
  private final LoopRoutes routes;
  private final ClientContext context;
  private final ReplySequence replies;
  private final Allowance account;
  private final OrderGuard order;
  private final TurnBudget turnBudget;
  private final CurrentRequest request;
  private final RequestReview review;
  private final ClientProfile profile;
  private final Forwarder forwarder;
  private final Transactions transactions;
  private final DatabaseSelection selection;
  private final BlockingContext blocking;
  private final CurrentBlockingCall blocked;
  private final LocalReplies local;
  private final ClientAdministration clients;
  private final TrackingReplies tracking;
  private final ServerReplies server;
  private final ClusterReplies cluster;
  private @Nullable Subscriptions subscriptions; // created when the client first subscribes

  /**
   * @param forward what requests are sent with
   * @param request the one that was found last
   * @param subscriptions of the client, or null
   */
  Intake(
      Session session,
      SessionLoop loop,
      ForwardContext forward,
      CurrentRequest request,
      @Nullable Subscriptions subscriptions) {
    this.session = session;
    this.subscriptions = subscriptions;
    this.loop = loop;
    this.routes = session.routes();
    this.context = forward.clientContext();
    this.replies = context.replies();
    this.account = context.account();
    this.order = forward.order();
    this.turnBudget = session.turnBudget();
    this.request = request;
    this.review = new RequestReview(request, replies);
    this.profile = session.profile();
    Backpressure backpressure = session.backpressure();
    RetryableErrors retryableErrors = routes.retryLoop().retryableErrors();
    this.forwarder = new Forwarder(forward, new ForwardInput(request, backpressure));
    this.transactions =
        new Transactions(
            new TransactionContext(forward, retryableErrors, backpressure, this, turnBudget),
            session.profile(),
            routes.answerLoop().proxy());
    order.readMasterWhile(transactions::isWatching);
    this.selection =
        new DatabaseSelection(context, forward.owner(), transactions, routes.database());
    this.blocking = new BlockingContext(context, forward.owner(), retryableErrors, backpressure);
    this.blocked = new CurrentBlockingCall(blocking);
    var answerContext = new AnswerContext(context, session.profile(), session, routes.answerLoop());
    this.local = new LocalReplies(answerContext);
    this.clients = new ClientAdministration(answerContext);
    this.tracking = new TrackingReplies(session);
    this.server = new ServerReplies(answerContext);
    this.cluster = new ClusterReplies(answerContext);
  }

  /** Handles the request. Returns false if it must wait for earlier ones; it is put back then. */
  boolean handle() {
    boolean handled = routeAndHandle();
    if (handled) {
      request.onHandled();
    }
    return handled;
  }

  private boolean routeAndHandle() {
    Command command = request.command();
    RoutePlan plan = route(command);
    CommandSpec spec = command.spec();
    if (spec == null && Authentication.isHttp(command)) {
      session.closeHttp();
      return true;
    }
    Subscriptions subscribed = subscriptions;
    if (subscribed != null && subscribed.mustWait(plan)) {
      return putBack();
    }
    if (!session.isAuthenticated() && Authentication.isNeededFor(command)) {
      return transactions.reject(spec, ErrorReplies.NO_AUTH);
    }
    RequestRules rules = profile.user().rules();
    return rules == null ? handle(plan, command) : handleByRules(rules, plan, command);
  }

  private boolean handleByRules(RequestRules rules, RoutePlan plan, Command command) {
    byte[] rejection = review.judge(rules);
    if (rejection != null) {
      return transactions.rejectAndAbort(command.spec(), rejection);
    }
    Command admitted = request.command();
    if (admitted == command) {
      return handle(plan, command);
    }
    return handle(route(admitted), admitted);
  }

  private RoutePlan route(Command command) {
    if (request.isReplaced()) {
      routes.router().useKnownPartitions(KnownPartitions.NONE); // they are of the client's keys
    }
    return routes.router().route(command);
  }

  private boolean handle(RoutePlan plan, Command command) {
    CommandSpec spec = command.spec();
    Subscriptions subscribed = subscriptions;
    if (mustWaitForPause(plan, command)) {
      return putBack();
    }
    if (transactions.isOpen() && transactions.queueOrReject(plan, command)) {
      return true;
    }
    if (subscribed != null && subscribed.isRestricted() && isRejected(spec, command)) {
      return true;
    }
    return (!forwarder.mustWaitForRoom(plan, spec) && execute(plan, spec)) || putBack();
  }

  private boolean mustWaitForPause(RoutePlan plan, Command command) {
    ClientPause pause = loop.pause();
    return pause.isOn()
        && command.spec() != null
        && pause.mustWait(plan, command, context, transactions::mayWrite);
  }

  /** Returns false if the request must wait for earlier ones. */
  private boolean execute(RoutePlan plan, @Nullable CommandSpec spec) {
    if (loop.isFull() && !(plan instanceof RoutePlan.Local)) {
      loop.clientLog().totalInFlightReached();
      replies.begin(spec).answer(ErrorReplies.TOO_MANY_IN_TOTAL, Outcome.OVERLOADED);
      return true;
    }
    if (mustWait(plan)) {
      return false;
    }
    switch (plan) {
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) -> answerHere(which, answer);
      case RoutePlan.Reject(String error) -> transactions.reject(spec, ErrorReplies.encode(error));
      default -> send(plan, Objects.requireNonNull(spec));
    }
    return true;
  }

  /**
   * Whether the request must wait for earlier ones of its client. This is the only place that
   * decides it. Requests that come while a call suspends the client are not even scanned.
   */
  private boolean mustWait(RoutePlan plan) {
    return switch (plan) {
      case RoutePlan.OnePartition one -> order.mustWait(one.partition(), request);
      case RoutePlan.AnyNode _ -> order.mustWaitForAnyNode();
      case RoutePlan.Script script -> order.mustWait(script.partition(), request);
      case RoutePlan.Publish publish -> order.mustWait(publish.partition(), request);
      case RoutePlan.Blocking call -> order.mustWait(call.partition(), request);
      case RoutePlan.Split split -> order.mustWaitForSplit(split, request);
      case RoutePlan.Broadcast _, RoutePlan.Scan _ -> order.mustWaitForAll(request);
      case RoutePlan.Watch _ -> !replies.isEmpty();
      case RoutePlan.Local(_, LocalCommand which) -> mustWait(which);
      case RoutePlan.Reject _ -> false;
    };
  }

  private boolean mustWait(LocalCommand which) {
    return switch (which.area()) {
      case REPLICATION, SUBSCRIPTION -> !replies.isEmpty();
      case TRANSACTION -> which == LocalCommand.EXEC && execMustWait();
      case CONNECTION -> local.mustWait(which, request.command());
      case CLIENTS, TRACKING, SERVER, CLUSTER -> false;
    };
  }

  private boolean execMustWait() {
    return switch (transactions.execWaitsFor()) {
      case NOTHING -> false;
      case SAME_PARTITION -> order.mustWait(transactions.partition(), request);
      case ALL -> !replies.isEmpty();
    };
  }

  /** Passes a request that may be sent now to the handler of its plan. */
  private void send(RoutePlan plan, CommandSpec spec) {
    switch (plan) {
      case RoutePlan.Single(int partition) -> forwarder.forward(spec, partition);
      case RoutePlan.AnyNode _ -> forwarder.forwardToAnyNode(spec);
      case RoutePlan.MultiKey(int partition) -> forwarder.forwardMultiKey(spec, partition);
      case RoutePlan.Script script -> forwarder.forwardScript(spec, script);
      case RoutePlan.Split split -> forwarder.split(spec, split);
      case RoutePlan.Broadcast broadcast -> broadcast(spec, broadcast);
      case RoutePlan.Scan _ -> scan(spec);
      case RoutePlan.Publish publish -> forwarder.publish(spec, publish);
      case RoutePlan.Watch(int partition) -> transactions.watch(spec, partition, request);
      case RoutePlan.Blocking call -> {
        blocked.start(spec, call, request);
        order.noteOtherWrite(call.partition());
      }
      case RoutePlan.Local _, RoutePlan.Reject _ ->
          throw new IllegalArgumentException("nothing to send: " + plan);
    }
  }

  private void broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    switch (spec.name()) {
      case "config|set" -> {
        String rejection =
            ConfigSet.rejection(routes.answerLoop().proxy().config(), request.frame());
        if (rejection != null) {
          replies.reject(spec, rejection);
          return;
        }
      }
      case "config|resetstat" -> server.reset();
      default -> routes.scripts().record(spec, request.frame());
    }
    forwarder.broadcast(spec, plan);
  }

  private void scan(CommandSpec spec) {
    String cursor = ReplyStrings.cString(request.frame().text(1));
    try {
      forwarder.scan(spec, ScanCursor.parse(cursor));
    } catch (NumberFormatException e) {
      replies.reject(spec, "ERR invalid cursor");
    }
  }

  private void answerHere(CommandSpec spec, LocalCommand which) {
    if (account.fitsOnHeap(request.frame())) {
      answer(spec, which, request);
    } else {
      replies.reject(spec, ErrorReplies.REQUEST_TOO_LONG);
    }
  }

  /** Passes a request that is not sent as it is to its handler. */
  private void answer(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    turnBudget.spend(TurnBudget.cost(which, incoming.command()));
    switch (which.area()) {
      case CONNECTION -> answerConnection(spec, which, incoming);
      case TRANSACTION -> transactions.answer(spec, which, incoming);
      case REPLICATION ->
          WaitCall.begin(blocking, blocked, spec, which == LocalCommand.WAITAOF, incoming);
      case SUBSCRIPTION -> openSubscriptions().answer(spec, which, incoming);
      case CLIENTS -> clients.answer(spec, which, incoming);
      case TRACKING -> tracking.answer(spec, which, incoming);
      case SERVER -> server.answer(spec, which, incoming);
      case CLUSTER -> cluster.answer(spec, which, incoming);
    }
  }

  private void answerConnection(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    if (which == LocalCommand.SELECT
        && DatabaseSelection.isPossible(
            context.reader().servers(), context.nodes(), routes.answerLoop().proxy())) {
      selection.answer(spec, incoming);
    } else {
      local.answer(spec, which, incoming);
    }
  }

  @Override
  public void answer(IncomingRequest captured) {
    if (routes.router().route(captured.command())
        instanceof RoutePlan.Local(CommandSpec spec, LocalCommand which)) {
      if (which == LocalCommand.SSUBSCRIBE) { // unlike the others, even if the keys are in one slot
        String error = "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client";
        turnBudget.spend(TurnBudget.LOCAL_REPLY);
        captured.begin(spec).answer(ErrorReplies.encode(error), Outcome.REJECTED);
      } else {
        answer(spec, which, captured);
      }
    }
  }

  @Override
  public void prepareToSubscribe(List<Command> calls, Runnable then) {
    openSubscriptions().beginEarly(calls, then);
  }

  @Override
  public void onTransactionEnd() {
    if (subscriptions != null) {
      subscriptions.endEarly();
    }
  }

  /** Looks up commands in {@code commands} from the next request on. */
  void adopt(CommandTable commands) {
    request.command().useTable(commands);
  }

  /**
   * Rejects a command that a RESP2 client with subscriptions may not send. Returns false if the
   * command is permitted.
   */
  private boolean isRejected(@Nullable CommandSpec spec, Command command) {
    if (spec == null
        || !spec.acceptsArity(command.argc())
        || command.isUnknownSubcommand()
        || Subscriptions.permits(spec)) {
      return false;
    }
    String error = "ERR Can't execute '" + spec.name() + ONLY_SUBSCRIBERS_MAY;
    return transactions.reject(spec, ErrorReplies.encode(error));
  }

  private boolean putBack() {
    request.putBack();
    return false;
  }

  /** The client's transactions. */
  Transactions transactions() {
    return transactions;
  }

  /**
   * The client's subscriptions, or null if it has never sent a request to subscribe or unsubscribe.
   */
  @Nullable Subscriptions subscriptions() {
    return subscriptions;
  }

  private Subscriptions openSubscriptions() {
    Subscriptions existing = subscriptions;
    if (existing == null) {
      existing = new Subscriptions(context, routes.subscribeLoop());
      subscriptions = existing;
    }
    return existing;
  }

  /** The blocking call of the client. */
  CurrentBlockingCall blocked() {
    return blocked;
  }

  /** Stops handling requests and delivering messages. */
  void drain() {
    blocked.drain();
    if (subscriptions != null) {
      subscriptions.drain();
    }
  }

  /** Resets the state to that after connecting. */
  void reset() {
    transactions.close();
    if (subscriptions != null) {
      subscriptions.reset();
    }
  }

  /** Writes what must go before a change of the protocol. */
  void beforeProtocolChange() {
    transactions.onProtocolChange();
    if (subscriptions != null) {
      subscriptions.beforeProtocolChange();
    }
  }

  /** Releases everything: the client is closed. */
  void close() {
    transactions.close();
    if (subscriptions != null) {
      subscriptions.close();
    }
    blocked.onInputEnded();
    request.onHandled();
    replies.dropPending();
  }
}
