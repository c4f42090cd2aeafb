package io.penstock.core.transaction;

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
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerWords;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.directory.ReadOnlyCalls;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.limit.Allowance;
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
  private @Nullable Transaction open;
  private @Nullable Watch watch;
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
    return watch != null;
  }

  /** The number of watched keys, as in {@code CLIENT LIST}. */
  public int watched() {
    return watch == null ? 0 : watch.keys();
  }

  /** The commands queued since {@code MULTI}; null outside a transaction. */
  public @Nullable Transaction openTransaction() {
    return open;
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
      case RoutePlan.Publish(int partition, boolean sharded) ->
          queueForNode(transaction, sharded ? partition : Transaction.ANY_PARTITION, command);
      case RoutePlan.Blocking(int partition, int timeoutAt, boolean millis) ->
          queueForNode(
              transaction,
              partition,
              command,
              withShortTimeout(command, timeoutAt, millis)); // must not block
      case RoutePlan.Watch _ -> replies.reject(spec, "ERR WATCH inside MULTI is not allowed");
      case RoutePlan.ReusedSplit _, RoutePlan.Across _ -> rejectAndAbort(spec, CROSS_SLOT);
      case RoutePlan.Broadcast _, RoutePlan.Scan _ -> queueForAll(transaction, command);
      case RoutePlan.Reject reject -> reject(spec, reject);
    };
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
    if (!transaction.mayHaveKeysIn(wanted)) {
      return rejectAndAbort(spec, OTHER_SLOT);
    }
    if (!transaction.hasRoomFor(request)) {
      return rejectAndAbort(spec, TOO_LARGE);
    }
    transaction.add(request, wanted, spec);
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
    queueForNode(transaction, Transaction.ANY_PARTITION, command);
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
    String line = new String(error, 1, error.length - 1, StandardCharsets.ISO_8859_1).strip();
    return replies.reject(spec, ABORTED_BY + line.replaceFirst("^ERR ", ""));
  }

  /** Rejects a request as its plan says, and aborts the open transaction, if any. */
  public boolean reject(@Nullable CommandSpec spec, RoutePlan.Reject plan) {
    if (plan.reported() && spec != null) {
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
          int partition = watch == null ? Transaction.ANY_PARTITION : watch.partition();
          open = new Transaction(reader.limits(), partition);
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
    return watch == null && transaction.selections().isEmpty() ? Awaits.SAME_PARTITION : Awaits.ALL;
  }

  /** The partition of the open transaction. */
  public int partition() {
    return open == null ? 0 : Math.max(0, open.partition());
  }

  private void execute(CommandSpec spec) {
    Transaction transaction = open;
    Watch watched = watch;
    if (transaction == null) {
      replies.reject(spec, "ERR EXEC without MULTI");
    } else if (transaction.isAborted()) {
      close();
      replies.reject(spec, ABORTED);
    } else if (watched != null && watched.isInvalidated()) {
      close();
      answer(spec, client.nullArray());
    } else {
      open = null;
      watch = null;
      send(spec, transaction, watched);
    }
  }

  private void send(CommandSpec exec, Transaction transaction, @Nullable Watch watched) {
    ReplySlot whole = replies.begin(exec);
    whole.targetManyPartitions();
    var execution = new Execution(context, whole, transaction, watched);
    if (watched == null && transaction.nodeCommands() == 0) {
      execution.answerLocally();
      return;
    }
    if (transaction.subscribing().isEmpty()) {
      sendBlock(exec, transaction, watched, execution);
      return;
    }
    unsent = () -> release(transaction, watched);
    context
        .localCommands()
        .prepareToSubscribe(
            calls(transaction.subscribing()),
            () -> {
              unsent = null;
              sendBlock(exec, transaction, watched, execution);
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

  private static void release(Transaction transaction, @Nullable Watch watched) {
    transaction.discard();
    if (watched != null) {
      watched.close();
    }
  }

  private void sendBlock(
      CommandSpec exec, Transaction transaction, @Nullable Watch watched, Execution execution) {
    int partition = Math.max(0, transaction.partition());
    execution.prepareBlock(exec, partition);
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
   */
  public void watch(CommandSpec spec, int partition, IncomingRequest request) {
    Watch watched = watch;
    if (watched == null) {
      watched =
          new Watch(context.clientContext(), context.retryableErrors(), partition, this::unwatch);
      watch = watched;
    }
    if (watched.partition() != partition) {
      replies.reject(spec, OTHER_WATCHED);
    } else if (!watched.isNew() && watched.isInvalidated()) {
      answer(spec, OK); // the next transaction will not run anyway
    } else {
      ReplySlot slot = replies.begin(spec);
      client.suspend(slot);
      watched.add(slot, request);
    }
  }

  /** The keys that the client watches, at a node; null for none. */
  @Nullable Watch activeWatch() {
    return watch == null || watch.isNew() || watch.isInvalidated() ? null : watch;
  }

  /** Stops watching all keys. */
  void unwatch() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }

  /**
   * Handles a change of the client's protocol. The connection with the watched keys does not change
   * its protocol, so the watch is invalidated.
   */
  public void onProtocolChange() {
    if (watch != null) {
      watch.invalidate();
    }
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
    Runnable release = unsent;
    if (release != null) {
      unsent = null;
      release.run();
    }
  }
}
