package io.penstock.core.transaction;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.answer.Authentication;
import io.penstock.core.answer.ConfigSet;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.RequestRules;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerWords;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.directory.ReadOnlyCalls;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.forward.PublishedChannels;
import io.penstock.core.forward.SplitRequest;
import io.penstock.core.limit.Allowance;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.RequestKeys;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Trait;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A client's transactions, with the error texts of Redis's multi.c and server.c. Commands are
 * queued here and checked as far as the command table allows; {@code EXEC} sends them in one piece.
 */
public final class Transactions {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] QUEUED = "+QUEUED\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String NESTED = "ERR MULTI calls can not be nested";
  private static final String NO_CLIENT_REPLY =
      "ERR CLIENT REPLY inside MULTI is not supported: EXEC would lack replies";
  private static final String ABORTED =
      "EXECABORT Transaction discarded because of previous errors.";
  private static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";
  private static final String ACROSS =
      "CROSSSLOT a command with keys of several slots cannot be part of a"
          + " transaction; give its keys the same hash tag, or send it outside of MULTI";
  private static final String TOO_MANY_SLOTS =
      "OVERLOADED the transaction has keys of more than "
          + Transaction.MAX_PARTITIONS
          + " slots; none of it ran";
  private static final String TOO_LONG =
      "OVERLOADED the request is too long for the proxy's memory; the command did not run";
  private static final String EVERY_NODE =
      "ERR a command that concerns every node cannot be part of a transaction";
  private static final String OTHER_SLOT =
      "CROSSSLOT Keys of a transaction don't hash to the same slot";
  private static final String OTHER_WATCHED =
      "CROSSSLOT Keys that are watched don't hash to the same slot";
  private static final String AFTER_HELLO =
      "ERR only connection commands may follow HELLO in a transaction";
  private static final String TOO_LARGE =
      "OVERLOADED the transaction is longer than a request may be; none of it ran";
  private static final String ABORTED_BY = "EXECABORT Transaction discarded because of: ";

  private final TransactionContext context;
  private final ClientContext clientContext;
  private final Client client;
  private final ClientProfile profile;
  private final ReplySequence replies;
  private final Allowance account;
  private final Nodes nodes;
  private final RequestReader reader;
  private final TurnBudget budget;
  private final ProxyView proxy;
  private final @Nullable ClientMirror mirror;
  private @Nullable Transaction open;
  private final Watches watches = new Watches();
  private @Nullable SpreadExecution running;
  private @Nullable Runnable unsent; // releases the transaction that will be sent

  /**
   * @param proxy whose parameters {@code CONFIG SET} changes
   */
  public Transactions(TransactionContext context, ClientProfile profile, ProxyView proxy) {
    this.context = context;
    this.clientContext = context.clientContext();
    this.client = clientContext.client();
    this.profile = profile;
    this.replies = clientContext.replies();
    this.account = clientContext.account();
    this.nodes = clientContext.nodes();
    this.reader = clientContext.reader();
    this.budget = context.budget();
    this.mirror = context.forward().mirror();
    this.proxy = proxy;
  }

  /** Returns whether {@code MULTI} was called and commands are queued. */
  public boolean isOpen() {
    return open != null;
  }

  /** Returns whether {@code EXEC} would run a command that may write. */
  public boolean mayWrite(ReadOnlyCalls readOnly) {
    Transaction transaction = open;
    return transaction != null && transaction.mayWrite(readOnly, clientContext);
  }

  /** The number of queued commands, or -1 outside a transaction, as in {@code CLIENT LIST}. */
  public int queued() {
    return open == null ? -1 : open.queued();
  }

  /** Returns whether keys are watched. */
  public boolean isWatching() {
    return !watches.isEmpty();
  }

  /** The number of watched keys, as in {@code CLIENT LIST}. */
  public int watched() {
    return watches.keys();
  }

  /**
   * Queues or rejects a request in an open transaction. Returns false for the few commands that run
   * at once.
   */
  public boolean queueOrReject(RoutePlan plan, Command command) {
    Transaction transaction = Objects.requireNonNull(open);
    CommandSpec spec = command.spec();
    String forbidden = spec == null ? null : ServerWords.transactionError(reader.servers(), spec);
    if (forbidden != null
        && spec != null
        && !command.isUnknownSubcommand()
        && spec.acceptsArity(command.argc())) {
      return rejectAndAbort(spec, forbidden);
    }
    return switch (plan) {
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) ->
          queueLocalOrReject(transaction, which, answer, command);
      case RoutePlan.OnePartition one -> queueForNode(transaction, one.partition(), command);
      case RoutePlan.AnyNode _ -> queueForNode(transaction, Transaction.ANY_PARTITION, command);
      case RoutePlan.Script script -> queueForNode(transaction, script.partition(), command);
      case RoutePlan.Publish publish -> queuePublish(transaction, publish, command);
      case RoutePlan.Blocking(int partition, int timeoutAt, boolean millis) ->
          queueForNode(
              transaction,
              partition,
              command,
              withShortTimeout(command, timeoutAt, millis)); // must not block
      case RoutePlan.Watch _ -> replies.reject(spec, "ERR WATCH inside MULTI is not allowed");
      case RoutePlan.ReusedSplit split -> queueSplit(transaction, split, command);
      case RoutePlan.Across _ -> rejectAndAbort(spec, ACROSS);
      case RoutePlan.Broadcast _, RoutePlan.Scan _ -> queueForAll(transaction, command);
      case RoutePlan.Reject reject -> reject(spec, reject);
    };
  }

  /**
   * Notes what the reply to a request that was queued, if it was, is of.
   *
   * @param asked command of the client's own request, which {@code command} may have replaced
   */
  public void noteAsked(Command command, @Nullable CommandSpec asked) {
    Transaction transaction = open;
    if (transaction != null && profile.user().rules() != null) {
      transaction.noteAsked(asked, repliesOf(command));
    }
  }

  /** Returns how many replies it has: one, or one for each name to subscribe to. */
  static int repliesOf(Command command) {
    CommandSpec spec = command.spec();
    boolean several =
        spec != null
            && spec.handling() instanceof Handling.Local(LocalCommand which)
            && which.area() == LocalCommand.Area.SUBSCRIPTION;
    return several ? Math.max(1, command.argc() - 1) : 1;
  }

  private boolean queuePublish(Transaction transaction, RoutePlan.Publish plan, Command command) {
    if (account.fitsOnHeap(command.frame())) {
      transaction.publishes().add(plan, command.frame());
    }
    int partition = plan.sharded() ? plan.partition() : Transaction.ANY_PARTITION;
    return queueForNode(transaction, partition, command);
  }

  private boolean queueForAll(Transaction transaction, Command command) {
    CommandSpec spec = command.spec();
    String rejection =
        spec != null && spec.has(Trait.SETS_PARAMETERS)
            ? ConfigSet.rejection(proxy.config(), command.frame())
            : null;
    if (rejection != null || nodes.placement().isDivided()) {
      return rejectAndAbort(spec, rejection == null ? EVERY_NODE : rejection);
    }
    return queueForNode(transaction, 0, command);
  }

  private boolean queueSplit(Transaction transaction, RoutePlan.ReusedSplit plan, Command command) {
    CommandSpec spec = command.spec();
    if (context.across() == null) {
      return rejectSeveral(transaction, spec, CROSS_SLOT);
    }
    if (transaction.changesProtocol()) {
      return rejectAndAbort(spec, AFTER_HELLO);
    }
    if (plan.keys() >= Slices.THRESHOLD || !transaction.hasRoomFor(command.frame())) {
      return rejectAndAbort(spec, TOO_LARGE);
    }
    if (!transaction.mayHavePartitions(plan)) {
      return rejectAndAbort(spec, TOO_MANY_SLOTS);
    }
    transaction.addSplit(command.frame(), new SplitRequest(command.frame(), plan), plan.merge());
    return queued(transaction, command);
  }

  /** Rejects a command that gives the transaction keys in several partitions. */
  private boolean rejectSeveral(Transaction transaction, @Nullable CommandSpec spec, String error) {
    if (!transaction.isAborted()) {
      context.localCommands().report(reader.servers().commands().byName("exec"));
    }
    return rejectAndAbort(spec, error);
  }

  private RequestFrame withShortTimeout(Command command, int timeoutAt, boolean millis) {
    return TimeoutArgument.shorten(command.frame(), timeoutAt, millis, reader.limits());
  }

  private boolean queueForNode(Transaction transaction, int partition, Command command) {
    return queueForNode(transaction, partition, command, command.frame());
  }

  private boolean queueForNode(
      Transaction transaction, int partition, Command command, RequestFrame request) {
    CommandSpec spec = command.spec();
    if (transaction.changesProtocol()) {
      return rejectAndAbort(spec, AFTER_HELLO);
    }
    int wanted = RequestKeys.isKeyless(partition, command) ? Transaction.ANY_PARTITION : partition;
    boolean spreads = !transaction.mayHaveKeysIn(wanted);
    if (spreads && context.across() == null) {
      return rejectSeveral(transaction, spec, OTHER_SLOT);
    }
    if (!transaction.hasRoomFor(request)) {
      return rejectAndAbort(spec, TOO_LARGE);
    }
    if (spreads) {
      transaction.spread();
    }
    if (!transaction.mayHavePartition(wanted)) {
      return rejectAndAbort(spec, TOO_MANY_SLOTS);
    }
    transaction.add(request, wanted, spec);
    MirroredBlock mirrored = transaction.mirrored();
    if (mirrored != null && spec != null) {
      mirrored.add(spec, command.frame());
    }
    return queued(transaction, command);
  }

  /** Answers a command for nodes that is queued. */
  private boolean queued(Transaction transaction, Command command) {
    CommandSpec spec = command.spec();
    account.check();
    if (spec != null && ClientPause.mayWrite(spec)) {
      transaction.noteWrite(spec);
    }
    if (spec != null && spec.isScript() && nodes.placement().isDivided()) {
      transaction.noteScriptCall();
    }
    Endpoint busy =
        mustAskWhetherBusy(command) ? BusyCheck.nodeToAsk(clientContext, transaction) : null;
    if (busy == null) {
      answer(spec, QUEUED);
    } else {
      new BusyCheck(clientContext, transaction, replies.begin(spec), QUEUED).send(nodes, busy);
    }
    return true;
  }

  /**
   * Returns whether a node that is busy with a script would reject the command, and the client
   * waits for the reply. What stands behind the command may be {@code EXEC}, which sends it.
   */
  private static boolean mustAskWhetherBusy(Command command) {
    RequestFrame frame = command.frame();
    CommandSpec spec = command.spec();
    return frame.end() == frame.buffer().writerIndex()
        && (spec == null || !spec.has(CommandFlag.ALLOW_BUSY));
  }

  private boolean queueLocalOrReject(
      Transaction transaction, CommandSpec spec, LocalCommand which, Command command) {
    return switch (which) {
      case MULTI, EXEC, DISCARD, QUIT, RESET -> false;
      case CLIENT_REPLY ->
          profile.changesReplyMode(command)
              ? rejectAndAbort(spec, NO_CLIENT_REPLY)
              : queueLocal(transaction, spec, command);
      case SUBSCRIBE, PSUBSCRIBE -> queueSubscribing(transaction, spec, command);
      case SELECT -> queueSelect(transaction, spec, command);
      case HELLO -> queueHello(transaction, spec, command);
      case WAIT ->
          queueForNode(
              transaction, Transaction.ANY_PARTITION, command, withShortTimeout(command, 2, true));
      case WAITAOF ->
          queueForNode(
              transaction, Transaction.ANY_PARTITION, command, withShortTimeout(command, 3, true));
      default -> queueLocal(transaction, spec, command);
    };
  }

  /** The node runs it: the commands behind it are for that database. */
  private boolean queueSelect(Transaction transaction, CommandSpec spec, Command command) {
    if (!DatabaseSelection.isPossible(reader.servers(), nodes, proxy)) {
      return queueLocal(transaction, spec, command);
    }
    if (transaction.isSpread()
        && !transaction.changesProtocol()
        && transaction.hasRoomFor(command.frame())) {
      transaction.addToAll(command.frame());
      queued(transaction, command);
    } else {
      queueForNode(transaction, Transaction.ANY_PARTITION, command);
    }
    long number = command.argAsLong(1);
    if (number >= 0 && number <= ConnectionKey.MAX_DATABASE && !transaction.isAborted()) {
      transaction.noteSelection((int) number);
    }
    return true;
  }

  private boolean queueLocal(Transaction transaction, CommandSpec spec, Command command) {
    if (!transaction.hasRoomFor(command.frame()) || !account.fitsOnHeap(command.frame())) {
      return rejectAndAbort(spec, TOO_LARGE);
    }
    transaction.addLocal(command.frame());
    account.check();
    answer(spec, QUEUED);
    return true;
  }

  private boolean queueSubscribing(Transaction transaction, CommandSpec spec, Command command) {
    int queuedBefore = transaction.localRequests().size();
    queueLocal(transaction, spec, command);
    if (transaction.localRequests().size() > queuedBefore) {
      transaction.noteSubscribing();
    }
    return true;
  }

  private boolean queueHello(Transaction transaction, CommandSpec spec, Command command) {
    Protocol asked = Authentication.protocolAfter(command);
    if (asked != null && !transaction.isAborted()) {
      // Whether a password is correct is not checked before EXEC runs.
      boolean maySucceed = transaction.changesProtocol() && Authentication.hasCredentials(command);
      transaction.changesProtocol(asked != client.protocol() || maySucceed);
    }
    return queueLocal(transaction, spec, command);
  }

  private boolean rejectAndAbort(@Nullable CommandSpec spec, String error) {
    return rejectAndAbort(spec, ErrorReplies.encode(error));
  }

  /**
   * Answers a request that is not passed to its handler with an error. As in Redis, the error of an
   * {@code EXEC} begins with {@code EXECABORT}, and ends the transaction and the watching, if any.
   * Returns true: the request is handled.
   */
  public boolean reject(@Nullable CommandSpec spec, byte[] error) {
    if (!isExec(spec)) {
      return replies.reject(spec, error);
    }
    close();
    return replies.reject(spec, ABORTED_BY + ErrorReplies.line(error).replaceFirst("^ERR ", ""));
  }

  /** Rejects a request as its plan says, and aborts the open transaction, if any. */
  public boolean reject(@Nullable CommandSpec spec, RoutePlan.Reject plan) {
    if (plan.reported() && spec != null && open == null) { // no step can be part of a transaction
      context.localCommands().report(spec);
    }
    return rejectAndAbort(spec, plan.error());
  }

  /** As {@link #reject}, and aborts the open transaction, if any, as a command that fails does. */
  public boolean rejectAndAbort(@Nullable CommandSpec spec, byte[] error) {
    Transaction transaction = open;
    if (transaction != null && !isExec(spec)) {
      transaction.abort();
    }
    return reject(spec, error);
  }

  /** Answers a command about transactions; the requests that it must wait for have ended. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    Transaction transaction = open;
    switch (which) {
      case EXEC -> execute(spec);
      case MULTI -> {
        if (transaction != null) {
          replies.reject(spec, NESTED);
        } else {
          open = begin();
          answer(spec, OK);
        }
      }
      case DISCARD -> {
        if (transaction == null) {
          replies.reject(spec, "ERR DISCARD without MULTI");
        } else {
          close();
          answer(spec, OK);
        }
      }
      default -> { // UNWATCH, also inside a transaction
        unwatch();
        budget.spend(TurnBudget.LOCAL_REPLY);
        request.begin(spec).deliverOwned(Unpooled.wrappedBuffer(OK), Outcome.OK);
      }
    }
  }

  private Transaction begin() {
    Watch watch = watches.single();
    int partition = watch == null ? Transaction.ANY_PARTITION : watch.partition();
    var transaction = new Transaction(reader.limits(), partition, profile.user());
    if (mirror != null) {
      transaction.mirrored(mirror.newBlock());
    }
    return transaction;
  }

  /** Returns whether an {@code EXEC} that comes now must wait for writes of other clients. */
  public boolean mustWaitForOthers() {
    MirroredBlock mirrored = open == null || open.isAborted() ? null : open.mirrored();
    return mirror != null && mirrored != null && mirror.mustWait(mirrored, isWatching());
  }

  /** The requests that an {@code EXEC} must wait for. */
  public enum Awaits {
    NOTHING,
    /** Those for the transaction's partition. */
    SAME_PARTITION,
    /** All, since it is sent over another connection. */
    ALL
  }

  /** Returns what an {@code EXEC} that comes now must wait for. */
  public Awaits execWaitsFor() {
    Transaction transaction = open;
    if (transaction == null || transaction.isAborted()) {
      return Awaits.NOTHING;
    }
    return watches.isEmpty() && transaction.selections().isEmpty() && !transaction.isSpread()
        ? Awaits.SAME_PARTITION
        : Awaits.ALL;
  }

  /** Keeps the command queued last, if one was, as the client sent it, unless it is very long. */
  public void noteOriginal(RequestFrame original) {
    Transaction transaction = open;
    if (transaction == null) {
      return;
    }
    if (account.fitsOnHeap(original)) {
      transaction.noteOriginal(original);
    } else {
      transaction.omitOriginal();
    }
  }

  /** Returns the channels to which an {@code EXEC} that comes now would publish; null for none. */
  public @Nullable PublishedChannels publishes() {
    return open == null || open.isAborted() ? null : open.publishes();
  }

  /** The partition of the open transaction. */
  public int partition() {
    return open == null ? 0 : Math.max(0, open.partition());
  }

  private void execute(CommandSpec spec) {
    Transaction transaction = open;
    if (transaction == null) {
      replies.reject(spec, "ERR EXEC without MULTI");
    } else if (transaction.isAborted()) {
      close();
      replies.reject(spec, ABORTED);
    } else if (watches.isInvalidated()) {
      close();
      answer(spec, client.nullArray());
    } else {
      executeQueued(spec, transaction);
    }
  }

  /** Runs the transaction, without what the client may not run any more. */
  private void executeQueued(CommandSpec exec, Transaction transaction) {
    RequestRules rules = profile.user().rules();
    if (rules == null || profile.user().equals(transaction.user())) {
      open = null;
      send(exec, transaction, watches.take());
      return;
    }
    var again = new QueuedAgain(transaction, reader, rules);
    byte[] error = again.firstError();
    if (error != null && !again.isPossible()) {
      reject(exec, error);
      return;
    }
    Transaction permitted = transaction;
    if (error != null) {
      permitted = begin();
      again.queue(permitted);
    }
    open = null;
    send(exec, permitted, watches.take());
  }

  private void send(CommandSpec exec, Transaction transaction, List<Watch> watched) {
    ReplySlot whole = replies.begin(exec);
    whole.targetManyPartitions();
    RequestRules rules = profile.user().rules();
    if (rules != null) {
      whole.rewriteWith(rules.rewriterFor(transaction.asked()));
    }
    if (transaction.isSpread() || watched.size() > 1) {
      sendBlocks(exec, transaction, watched, whole);
      return;
    }
    Watch only = watched.isEmpty() ? null : watched.getFirst();
    var execution = new Execution(context, whole, transaction, only);
    if (only == null && transaction.nodeCommands() == 0) {
      execution.answerLocally();
      return;
    }
    prepare(transaction, watched, () -> sendBlock(exec, transaction, only, execution));
  }

  private void sendBlocks(
      CommandSpec exec, Transaction transaction, List<Watch> watched, ReplySlot whole) {
    Objects.requireNonNull(context.across()).counts().countCommand(exec.id());
    client.suspend(whole);
    prepare(
        transaction,
        watched,
        () -> {
          var execution =
              new SpreadExecution(context, whole, transaction, watched, () -> running = null);
          running = execution;
          execution.begin();
        });
  }

  /** Sends a transaction when its subscriptions, if any, are confirmed. */
  private void prepare(Transaction transaction, List<Watch> watched, Runnable send) {
    if (transaction.subscribing().isEmpty()) {
      send.run();
      return;
    }
    unsent = () -> release(transaction, watched);
    context
        .localCommands()
        .prepareToSubscribe(
            calls(transaction.subscribing()),
            () -> {
              unsent = null;
              send.run();
            });
  }

  private List<Command> calls(List<Transaction.LocalRequest> requests) {
    List<Command> calls = new ArrayList<>();
    for (Transaction.LocalRequest one : requests) {
      Command call = reader.command(TimeoutArgument.parse(one.request(), reader.limits()));
      call.resolve();
      calls.add(call);
    }
    return calls;
  }

  private static void release(Transaction transaction, List<Watch> watched) {
    transaction.discard();
    watched.forEach(Watch::close);
  }

  private void sendBlock(
      CommandSpec exec, Transaction transaction, @Nullable Watch watched, Execution execution) {
    int partition = Math.max(0, transaction.partition());
    execution.prepareBlock(exec, partition);
    MirroredBlock mirrored = transaction.mirrored();
    if (mirror != null && mirrored != null) {
      mirror.follow(execution, mirrored);
    }
    if (watched == null) {
      if (transaction.hasSeveralKeys()) {
        context.forward().order().trackMultiKeyRequest(execution);
      }
      context.forward().order().route(execution);
      execution.sendPrerequisites(this::send);
      send(execution);
    } else {
      execution.sendPrerequisites(watched::sendWithoutAsking);
      watched.send(execution);
      context.forward().order().noteOtherWrite(partition);
    }
  }

  private void send(PlacedExchange exchange) {
    if (!nodes.dispatch(exchange)) {
      context.backpressure().pauseIfBusy(exchange.sentTo());
    }
  }

  /**
   * Runs a {@code WATCH} outside a transaction. No earlier request is unanswered: those use another
   * connection, and may concern the same keys.
   *
   * @param partition of its keys, or {@link RoutePlan.Watch#SEVERAL}
   */
  public void watch(CommandSpec spec, int partition, IncomingRequest request) {
    AcrossPartitions across = context.across();
    if (across == null && !watches.isEmpty() && watches.of(partition) == null) {
      context.localCommands().report(spec);
      replies.reject(spec, OTHER_WATCHED);
    } else if (across != null && !account.fitsOnHeap(request.frame())) {
      replies.reject(spec, TOO_LONG);
    } else if (watches.isLost()) {
      answer(spec, OK); // the next transaction will not run anyway
    } else {
      ReplySlot slot = replies.begin(spec);
      client.suspend(slot);
      if (partition == RoutePlan.Watch.SEVERAL && across != null) {
        new WatchSplit(clientContext, slot, request.frame(), across.partitions())
            .send(this::watchOf);
        account.check();
        return;
      }
      Watch watched = watchOf(partition);
      if (across != null) {
        RequestFrame frame = request.frame();
        watched.keep(
            ByteBufUtil.getBytes(frame.buffer(), frame.start(), frame.end() - frame.start()));
        account.check();
      }
      watched.add(slot, request);
    }
  }

  private Watch watchOf(int partition) {
    Watch known = watches.of(partition);
    if (known != null) {
      return known;
    }
    var made = new Watch(clientContext, context.retryableErrors(), partition, watches::remove);
    watches.add(made);
    return made;
  }

  /**
   * Returns the keys that the client watches, at a node, whose connection follows it to another
   * database; null for none. Keys of several partitions are not watched any more.
   */
  @Nullable Watch watchThatSelects() {
    if (watches.size() > 1) {
      watches.invalidate();
    }
    Watch watch = watches.single();
    return watch == null || watch.isNew() || watch.isInvalidated() ? null : watch;
  }

  /** Bytes of what is queued and watched, on the heap. */
  public long sizeOnHeap() {
    return watches.sizeOnHeap() + (open == null ? 0 : open.sizeOnHeap());
  }

  /** Bytes of the buffers with what is queued. */
  public long size() {
    return open == null ? 0 : open.size();
  }

  /** Stops watching all keys. */
  void unwatch() {
    watches.close();
  }

  /**
   * Handles a change of the client's protocol. The connection with the watched keys does not change
   * its protocol, so the watch is invalidated.
   */
  public void onProtocolChange() {
    watches.invalidate();
  }

  /**
   * Handles a change of the user on the client's connections to nodes. On the connection with the
   * watched keys, another one is authenticated, so the watch is invalidated.
   */
  public void onUserChange() {
    watches.invalidate();
  }

  private void answer(@Nullable CommandSpec spec, byte[] reply) {
    budget.spend(TurnBudget.LOCAL_REPLY);
    replies.begin(spec).deliverOwned(Unpooled.wrappedBuffer(reply), Outcome.OK);
  }

  private static boolean isExec(@Nullable CommandSpec spec) {
    return spec != null
        && spec.handling() instanceof Handling.Local(LocalCommand which)
        && which == LocalCommand.EXEC;
  }

  /** Discards the open transaction, if any, and stops watching. */
  public void close() {
    unwatch();
    if (open != null) {
      open.discard();
      open = null;
    }
    SpreadExecution execution = running;
    if (execution != null) {
      execution.onClientLeft();
    }
    Runnable release = unsent;
    if (release != null) {
      unsent = null;
      release.run();
    }
  }
}
