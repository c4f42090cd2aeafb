package io.penstock.core.session;

import io.penstock.core.answer.AclReplies;
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
import io.penstock.core.crossslot.CrossSlotCalls;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.forward.ForwardInput;
import io.penstock.core.forward.Forwarder;
import io.penstock.core.forward.PublishedChannels;
import io.penstock.core.limit.Allowance;
import io.penstock.core.mirroring.ClientMirror;
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
import io.penstock.core.spec.Trait;
import io.penstock.core.subscribe.ClientSubscriptions;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.subscribe.WaitingSubscribes;
import io.penstock.core.transaction.DatabaseSelection;
import io.penstock.core.transaction.LocalCommandHandler;
import io.penstock.core.transaction.TransactionContext;
import io.penstock.core.transaction.Transactions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles the client's requests one after the other: passes each to the handler of its plan.
 * Confined to the client's event loop.
 *
 * <p>A request that must wait is put back, and handled again from the beginning when something has
 * changed. Only this class decides it. It asks, in this order and with rejections between: whether
 * a request with very many arguments is examined ({@link #handleLong}), whether the client's own
 * request to subscribe or unsubscribe is under way, whether {@code CLIENT PAUSE} applies ({@link
 * #mustWaitForPause}), whether there is room for a large reply ({@link #mustWaitForRoom}), and
 * whether it could overtake earlier requests ({@link #mustWaitForEarlier}). While the client as a
 * whole must wait, its next request is not even scanned: {@link Session#mayHandleNext}.
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
  private final SessionUser user;
  private final ClientProfile profile;
  private final Forwarder forwarder;
  private final @Nullable ClientMirror mirror;
  private final Transactions transactions;
  private final DatabaseSelection selection;
  private final BlockingContext blocking;
  private final CurrentBlockingCall blocked;
  private final LocalReplies local;
  private final ClientAdministration clients;
  private final TrackingReplies tracking;
  private final ServerReplies server;
  private final ClusterReplies cluster;
  private Subscriptions subscriptions;
  private @Nullable AclReplies aclReplies; // made for the client's first such command
  private @Nullable CrossSlotCalls crossSlotCalls; // made for the client's first such command
  private @Nullable WaitingSubscribes waitingSubscribes; // if any are known
  private boolean waitsToSubscribe; // the request that was put back
  private @Nullable PartitionSearch search; // of the request that was put back

  /**
   * @param forward what requests are sent with
   * @param request the one that was found last
   * @param subscriptions of the client so far
   */
  Intake(
      Session session,
      SessionLoop loop,
      ForwardContext forward,
      CurrentRequest request,
      Subscriptions subscriptions) {
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
    this.user = session.user();
    this.profile = session.profile();
    Backpressure backpressure = session.backpressure();
    RetryableErrors retryableErrors = routes.retryLoop().retryableErrors();
    this.forwarder = new Forwarder(forward, new ForwardInput(request, backpressure));
    this.mirror = forward.mirror();
    this.transactions = transactions(forward, retryableErrors);
    order.readMasterWhile(transactions::isWatching);
    this.selection =
        new DatabaseSelection(context, forward.owner(), transactions, routes.database());
    this.blocking =
        new BlockingContext(
            context, forward.owner(), retryableErrors, backpressure, forward.mirror());
    this.blocked = new CurrentBlockingCall(blocking);
    var answerContext = new AnswerContext(context, session.profile(), session, routes.answerLoop());
    this.local = new LocalReplies(answerContext);
    this.clients = new ClientAdministration(answerContext);
    this.tracking = new TrackingReplies(session);
    this.server = new ServerReplies(answerContext);
    this.cluster = new ClusterReplies(answerContext);
  }

  private Transactions transactions(ForwardContext forward, RetryableErrors retryableErrors) {
    var parts =
        new TransactionContext(
            forward,
            retryableErrors,
            session.backpressure(),
            this,
            turnBudget,
            routes.acrossPartitions());
    return new Transactions(parts, session.profile(), routes.answerLoop().proxy());
  }

  /** Handles the request. Returns false if it must wait; it is put back then. */
  boolean handle() {
    waitsToSubscribe = false;
    boolean handled = routeAndHandle();
    if (handled) {
      request.onHandled();
      if (mirror != null) {
        mirror.onHandled();
      }
    }
    return handled;
  }

  private boolean routeAndHandle() {
    user.follow();
    if (session.isEnding()) { // its user was deleted, or lost a subscription
      return true;
    }
    Command command = request.command();
    RoutePlan plan = route(command);
    CommandSpec spec = command.spec();
    if (spec == null && Authentication.isHttp(command)) {
      session.closeHttp();
      return true;
    }
    if (subscriptions.mustWait(plan)) {
      waitsToSubscribe = true;
      return putBack();
    }
    if (!session.isAuthenticated() && Authentication.isNeededFor(command)) {
      return transactions.reject(spec, ErrorReplies.NO_AUTH);
    }
    RequestRules rules = profile.user().rules();
    return rules == null ? handleAdmitted(plan, command) : handleByRules(rules, plan, command);
  }

  private boolean handleByRules(RequestRules rules, RoutePlan plan, Command command) {
    long wait = request.waitNanos(rules);
    if (wait > 0) {
      session.delay(wait);
      return putBack();
    }
    byte[] rejection = request.judge(rules);
    if (rejection != null) {
      return transactions.rejectAndAbort(command.spec(), rejection);
    }
    Command admitted = request.command();
    if (admitted == command) {
      return handleAdmitted(plan, command);
    }
    return handleAdmitted(route(admitted), admitted);
  }

  private RoutePlan route(Command command) {
    if (request.isReplaced()) {
      routes.router().useKnownPartitions(KnownPartitions.NONE); // they are of the client's keys
    }
    return routes.router().route(command);
  }

  private boolean handleAdmitted(RoutePlan plan, Command command) {
    CommandSpec spec = command.spec();
    String refusal = mirror == null || spec == null ? null : refusal(mirror, plan, command, spec);
    if (refusal != null) {
      return transactions.rejectAndAbort(spec, ErrorReplies.encode(refusal));
    }
    if (mustWaitForPause(plan, command)) {
      return putBack();
    }
    if (transactions.isOpen() && transactions.queueOrReject(plan, command)) {
      transactions.noteAsked(command, request.asked());
      if (user.hasUsers()) {
        transactions.noteOriginal(request.original());
      }
      return true;
    }
    if (subscriptions.isRestricted() && isRejected(spec, command)) {
      return true;
    }
    if (mustWaitForRoom(plan, spec)) {
      return putBack();
    }
    if (loop.isFull() && !(plan instanceof RoutePlan.Local)) {
      return rejectForTotal(spec);
    }
    if (mustWaitForEarlier(plan)) {
      waitsToSubscribe = isAboutSubscriptions(plan);
      return putBack();
    }
    if (mirror != null && spec != null && mustWaitForOthers(mirror, plan, spec)) {
      return putBack();
    }
    user.onExecute(spec, request.original());
    execute(plan, spec);
    return true;
  }

  /**
   * Like {@link #handle}, for a request with very many arguments. Such a request waits until all
   * earlier ones are answered, and then until the partitions of its arguments are known.
   */
  boolean handleLong() {
    PartitionSearch current = search;
    if (current == null && replies.isEmpty()) {
      current = new PartitionSearch(context, routes.router(), request);
      search = current;
      current.start();
    }
    if (current == null || !current.isComplete()) {
      return putBack();
    }
    return handle(current);
  }

  private boolean handle(PartitionSearch complete) {
    boolean handled = true;
    routes.router().useKnownPartitions(complete.partitions());
    try {
      handled = handle();
    } finally {
      routes.router().useKnownPartitions(KnownPartitions.NONE);
      if (handled) {
        search = null;
      }
    }
    return handled;
  }

  /** Whether a request with very many arguments was put back, and not handled since. */
  boolean isSearching() {
    return search != null;
  }

  private boolean mustWaitForPause(RoutePlan plan, Command command) {
    ClientPause pause = loop.pause();
    return pause.isOn()
        && command.spec() != null
        && pause.mustWait(plan, command, context, transactions::mayWrite);
  }

  /**
   * Whether the request must wait because its reply may be large and the node of its partition owes
   * many bytes of large replies. Only shared connections are limited.
   */
  private boolean mustWaitForRoom(RoutePlan plan, @Nullable CommandSpec spec) {
    if (spec == null || account.expectedLargeReply(spec) == 0) {
      return false;
    }
    return switch (plan) {
      case RoutePlan.OnePartition one -> forwarder.mustWaitForRoom(one.partition(), spec);
      case RoutePlan.Script script -> forwarder.mustWaitForRoom(script.partition(), spec);
      case RoutePlan.ReusedSplit split ->
          forwarder.mustWaitForRoom(split.partitionOfGroup(0), spec);
      case RoutePlan.AnyNode _,
          RoutePlan.Publish _,
          RoutePlan.Watch _,
          RoutePlan.Blocking _,
          RoutePlan.Broadcast _,
          RoutePlan.Scan _,
          RoutePlan.Across _,
          RoutePlan.Local _,
          RoutePlan.Reject _ ->
          false;
    };
  }

  /** Whether the request must wait for earlier ones of its client. */
  private boolean mustWaitForEarlier(RoutePlan plan) {
    return switch (plan) {
      case RoutePlan.OnePartition one -> order.mustWait(one.partition(), request);
      case RoutePlan.AnyNode _ -> order.mustWaitForAnyNode();
      case RoutePlan.Script script -> order.mustWait(script.partition(), request);
      case RoutePlan.Publish publish ->
          order.mustWait(publish.partition(), request) || forwarder.mustAwaitSubscribers(publish);
      case RoutePlan.Blocking call -> order.mustWait(call.partition(), request);
      case RoutePlan.ReusedSplit split -> order.mustWaitForSplit(split, request);
      case RoutePlan.Broadcast _, RoutePlan.Scan _ -> order.mustWaitForAll(request);
      case RoutePlan.Watch _, RoutePlan.Across _ -> !replies.isEmpty();
      case RoutePlan.Local(_, LocalCommand which) -> mustWaitForEarlier(which);
      case RoutePlan.Reject _ -> false;
    };
  }

  private boolean mustWaitForEarlier(LocalCommand which) {
    return switch (which.area()) {
      case REPLICATION -> !replies.isEmpty();
      case SUBSCRIPTION -> replies.size() > subscriptions.unansweredCalls();
      case TRANSACTION -> which == LocalCommand.EXEC && execMustWait();
      case CONNECTION -> local.mustWait(which, request.command());
      case CLIENTS, TRACKING, USERS, SERVER, CLUSTER -> false;
    };
  }

  /** Handles a request that waits for an event of another loop. */
  void endWait() {
    forwarder.endWait();
  }

  private static boolean isAboutSubscriptions(RoutePlan plan) {
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && which.area() == LocalCommand.Area.SUBSCRIPTION;
  }

  /**
   * To be called when no more requests can be handled for now. If the next one waits because of
   * subscriptions, publishers are told of those behind it that subscribe.
   *
   * @return whether more of them are read from the client meanwhile
   */
  boolean awaitSubscribes(Input input) {
    WaitingSubscribes known = waitingSubscribes;
    boolean wait = waitsToSubscribe && input.isPutBack();
    if (!wait && known == null) {
      return false;
    }
    if (known == null) {
      known = new WaitingSubscribes(routes.subscribeLoop(), context.reader());
      waitingSubscribes = known;
    }
    input.update(known);
    if (wait) {
      input.read(known);
    } else if (known.isEmpty()) {
      waitingSubscribes = null;
    }
    return wait && input.size() < WaitingSubscribes.MOST_BYTES;
  }

  /** The requests that wait are not handled here. */
  void forgetWaiting() {
    WaitingSubscribes known = waitingSubscribes;
    if (known != null) {
      waitingSubscribes = null;
      known.close();
    }
  }

  private boolean execMustWait() {
    boolean mustWait =
        switch (transactions.execWaitsFor()) {
          case NOTHING -> false;
          case SAME_PARTITION -> order.mustWait(transactions.partition(), request);
          case ALL -> !replies.isEmpty();
        };
    PublishedChannels publishes = transactions.publishes();
    return mustWait || (publishes != null && forwarder.mustAwaitSubscribers(publishes));
  }

  /** The limit of requests in flight for all clients is reached. */
  private boolean rejectForTotal(@Nullable CommandSpec spec) {
    loop.clientLog().totalInFlightReached();
    replies.begin(spec).answer(ErrorReplies.TOO_MANY_IN_TOTAL, Outcome.OVERLOADED);
    return true;
  }

  /** Returns why copies could not follow a request; null if they can. */
  private static @Nullable String refusal(
      ClientMirror mirror, RoutePlan plan, Command command, CommandSpec spec) {
    return plan instanceof RoutePlan.Local || plan instanceof RoutePlan.Reject
        ? null
        : mirror.refusal(spec, command.frame());
  }

  /** Whether the request must wait for other clients' writes to its keys, for the copies' sake. */
  private boolean mustWaitForOthers(ClientMirror mirror, RoutePlan plan, CommandSpec spec) {
    return switch (plan) {
      case RoutePlan.OnePartition _,
          RoutePlan.Script _,
          RoutePlan.ReusedSplit _,
          RoutePlan.Blocking _,
          RoutePlan.Broadcast _ ->
          mirror.mustWait(spec, request.frame());
      case RoutePlan.Local(_, LocalCommand which) ->
          which == LocalCommand.EXEC && transactions.mustWaitForOthers();
      case RoutePlan.AnyNode _,
          RoutePlan.Publish _,
          RoutePlan.Watch _,
          RoutePlan.Scan _,
          RoutePlan.Across _,
          RoutePlan.Reject _ ->
          false;
    };
  }

  private boolean putBack() {
    request.putBack();
    return false;
  }

  /** Passes a request that need not wait to the handler of its plan. */
  private void execute(RoutePlan plan, @Nullable CommandSpec spec) {
    switch (plan) {
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) -> answerHere(which, answer);
      case RoutePlan.Reject reject -> transactions.reject(spec, reject);
      default -> send(plan, Objects.requireNonNull(spec));
    }
  }

  /** Passes a request that may be sent now to the handler of its plan. */
  private void send(RoutePlan plan, CommandSpec spec) {
    switch (plan) {
      case RoutePlan.Single(int partition) -> forwarder.forward(spec, partition);
      case RoutePlan.AnyNode _ -> forwarder.forwardToAnyNode(spec);
      case RoutePlan.MultiKey(int partition) -> forwarder.forwardMultiKey(spec, partition);
      case RoutePlan.Script script -> forwarder.forwardScript(spec, script);
      case RoutePlan.ReusedSplit split -> forwarder.split(spec, split);
      case RoutePlan.Broadcast broadcast -> broadcast(spec, broadcast);
      case RoutePlan.Scan _ -> scan(spec);
      case RoutePlan.Across _ -> crossSlotCalls().start(spec, request);
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

  private CrossSlotCalls crossSlotCalls() {
    CrossSlotCalls existing = crossSlotCalls;
    if (existing == null) {
      existing =
          new CrossSlotCalls(
              session.forward(),
              routes.crossSlotLoop(),
              blocking,
              blocked,
              routes.retryLoop().retryableErrors(),
              session.backpressure());
      crossSlotCalls = existing;
    }
    return existing;
  }

  private void broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    if (spec.has(Trait.SETS_PARAMETERS)) {
      String rejection = ConfigSet.rejection(routes.answerLoop().proxy().config(), request.frame());
      if (rejection != null) {
        replies.reject(spec, rejection);
        return;
      }
    }
    if (spec.has(Trait.RESETS_STATISTICS)) {
      server.reset();
    }
    routes.scripts().record(spec, request.frame());
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
      case USERS -> aclReplies().answer(spec, which, incoming);
      case SERVER -> server.answer(spec, which, incoming);
      case CLUSTER -> cluster.answer(spec, which, incoming);
    }
  }

  private AclReplies aclReplies() {
    AclReplies existing = aclReplies;
    if (existing == null) {
      existing =
          new AclReplies(
              new AnswerContext(context, profile, session, routes.answerLoop()),
              Objects.requireNonNull(routes.answerLoop().access().users()));
      aclReplies = existing;
    }
    return existing;
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
  public void report(CommandSpec rejected) {
    if (routes.reportsCrossSlot()) {
      loop.clientLog()
          .crossSlotRejected(context.client(), profile, rejected.id(), rejected.displayName());
    }
  }

  @Override
  public void prepareToSubscribe(List<Command> calls, Runnable then) {
    openSubscriptions().beginEarly(calls, then);
  }

  @Override
  public void onTransactionEnd() {
    subscriptions.onTransactionEnd();
  }

  /** Looks up commands in {@code commands} from the next request on. */
  void adopt(CommandTable commands) {
    request.useTable(commands);
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

  /** The client's transactions. */
  Transactions transactions() {
    return transactions;
  }

  /** The client's subscriptions. */
  Subscriptions subscriptions() {
    return subscriptions;
  }

  private ClientSubscriptions openSubscriptions() {
    ClientSubscriptions open = subscriptions.open(context, routes.subscribeLoop());
    subscriptions = open;
    return open;
  }

  /** The blocking call of the client. */
  CurrentBlockingCall blocked() {
    return blocked;
  }

  /** Stops handling requests and delivering messages. */
  void drain() {
    blocked.drain();
    forgetWaiting();
    subscriptions.drain();
  }

  /** Resets the state to that after connecting. */
  void reset() {
    transactions.close();
    subscriptions.reset();
  }

  /** Writes what must go before a change of the protocol. */
  void beforeProtocolChange() {
    transactions.onProtocolChange();
    subscriptions.beforeProtocolChange();
  }

  /** Releases everything: the client is closed. */
  void close() {
    transactions.close();
    forgetWaiting();
    subscriptions.close();
    blocked.onInputEnded();
    request.onHandled();
    replies.dropPending();
  }
}
