package io.penstock.core.transaction;

import io.netty.buffer.Unpooled;
import io.penstock.core.answer.ClientPause;
import io.penstock.core.answer.ConfigSet;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.answer.ReadOnlyCalls;
import io.penstock.core.backend.Exchange;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.RequestKeys;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandFlag;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A client's transactions, in the words of Redis's multi.c and server.c. What is queued is kept
 * here and checked as far as the table knows; {@code EXEC} sends it in one piece.
 */
public final class Transactions {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] QUEUED = "+QUEUED\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String NESTED = "ERR MULTI calls can not be nested";
  private static final String NOT_ALLOWED = "ERR Command not allowed inside a transaction";
  private static final String NO_SUBSCRIBING =
      "ERR SUBSCRIBE and PSUBSCRIBE inside MULTI are not supported";
  private static final String NO_SILENCE =
      "ERR CLIENT REPLY inside MULTI is not supported: EXEC would answer less than it says";
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
      "ERR HELLO must be the last command but those of the connection in a transaction";
  private static final String TOO_LARGE =
      "OVERLOADED the transaction is longer than a request may be; none of it ran";
  private static final String ABORTED_BY = "EXECABORT Transaction discarded because of: ";

  private final TransactionContext made;
  private final Client client;
  private final ClientProfile profile;
  private final ReplySequence replies;
  private final Allowance account;
  private final Nodes nodes;
  private final RequestReader reader;
  private final TurnBudget share;
  private final ProxyView face;
  private @Nullable Transaction open;
  private @Nullable Watch watch;

  /**
   * @param face whose parameters are Penstock's own
   */
  public Transactions(TransactionContext made, ClientProfile profile, ProxyView face) {
    ClientContext context = made.clientContext();
    this.made = made;
    this.client = context.client();
    this.profile = profile;
    this.replies = context.replies();
    this.account = context.account();
    this.nodes = context.nodes();
    this.reader = context.reader();
    this.share = made.share();
    this.face = face;
  }

  /** Whether {@code MULTI} was called and what follows is queued. */
  public boolean isOpen() {
    return open != null;
  }

  /** Whether {@code EXEC} would run a command that may write. */
  public boolean mayWrite(ReadOnlyCalls readOnly) {
    Transaction queue = open;
    return queue != null
        && (queue.mayWrite()
            || (queue.mayWriteByScripts() && !queue.hasOnlyReadOnlyScripts(readOnly, made.clientContext())));
  }

  /** Commands queued, or -1 outside a transaction: as {@code CLIENT LIST} has it. */
  public int queued() {
    return open == null ? -1 : open.queued();
  }

  /** Keys that are watched: as {@code CLIENT LIST} has it. */
  public int watched() {
    return watch == null ? 0 : watch.keys();
  }

  /** What is queued since {@code MULTI}; null outside a transaction. */
  public @Nullable Transaction openTransaction() {
    return open;
  }

  /**
   * Queues or refuses a request in an open transaction. False for the few commands that run at
   * once.
   */
  public boolean queueOrReject(RoutePlan plan, Command command) {
    Transaction queue = Objects.requireNonNull(open);
    CommandSpec spec = command.spec();
    if (spec != null
        && (spec.has(CommandFlag.NO_MULTI) || reader.servers().abortsTransaction(spec))
        && !command.isUnknownSubcommand()
        && spec.acceptsArity(command.argc())) {
      return reject(queue, spec, NOT_ALLOWED);
    }
    return switch (plan) {
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) ->
          queueLocalOrReject(queue, which, answer, command);
      case RoutePlan.OnePartition one -> queueForNode(queue, one.partition(), command);
      case RoutePlan.AnyNode _ -> queueForNode(queue, Transaction.ANY_PARTITION, command);
      case RoutePlan.Script script -> queueForNode(queue, script.partition(), command);
      case RoutePlan.Publish(int partition, boolean sharded) ->
          queueForNode(queue, sharded ? partition : Transaction.ANY_PARTITION, command);
      case RoutePlan.Blocking(int partition, int timeoutAt, boolean millis) ->
          queueForNode(
              queue, partition, command, withShortTimeout(command, timeoutAt, millis)); // does not block
      case RoutePlan.Watch _ -> replies.reject(spec, "ERR WATCH inside MULTI is not allowed");
      case RoutePlan.Split _ -> reject(queue, spec, CROSS_SLOT);
      case RoutePlan.Broadcast _, RoutePlan.Scan _ -> queueForAll(queue, command);
      case RoutePlan.Reject(String error) -> reject(queue, spec, error);
    };
  }

  private boolean queueForAll(Transaction queue, Command command) {
    CommandSpec spec = command.spec();
    String refusal =
        spec != null && spec.name().equals("config|set")
            ? ConfigSet.rejection(face.config(), command.frame())
            : null;
    if (refusal != null || hasManyPartitions()) {
      return reject(queue, spec, refusal == null ? EVERY_NODE : refusal);
    }
    return queueForNode(queue, 0, command);
  }

  /** Whether a command for all keys concerns several nodes. */
  private boolean hasManyPartitions() {
    return nodes.placement().partitions() > 1;
  }

  private RequestFrame withShortTimeout(Command command, int timeoutAt, boolean millis) {
    return TimeoutArgument.shorten(command.frame(), timeoutAt, millis, reader.limits());
  }

  private boolean queueForNode(Transaction queue, int partition, Command command) {
    return queueForNode(queue, partition, command, command.frame());
  }

  private boolean queueForNode(
      Transaction queue, int partition, Command command, RequestFrame request) {
    CommandSpec spec = command.spec();
    if (queue.changesProtocol()) {
      return reject(queue, spec, AFTER_HELLO);
    }
    int wanted = RequestKeys.isKeyless(partition, command) ? Transaction.ANY_PARTITION : partition;
    if (!queue.mayHaveKeysIn(wanted)) {
      return reject(queue, spec, OTHER_SLOT);
    }
    if (!queue.hasRoomFor(request)) {
      return reject(queue, spec, TOO_LARGE);
    }
    queue.add(request, wanted, spec);
    account.check();
    if (spec != null && ClientPause.mayWrite(spec)) {
      queue.noteWrite(spec);
    }
    if (spec != null && spec.isScript() && hasManyPartitions()) {
      queue.callsScripts();
    }
    answer(spec, QUEUED);
    return true;
  }

  private boolean queueLocalOrReject(
      Transaction queue, CommandSpec spec, LocalCommand which, Command command) {
    return switch (which) {
      case MULTI, EXEC, DISCARD, QUIT, RESET -> false;
      case CLIENT_REPLY ->
          profile.changesReplyMode(command)
              ? reject(queue, spec, NO_SILENCE)
              : queueLocal(queue, spec, command);
      case SUBSCRIBE, PSUBSCRIBE -> reject(queue, spec, NO_SUBSCRIBING);
      case WAIT -> queueForNode(queue, Transaction.ANY_PARTITION, command, withShortTimeout(command, 2, true));
      case WAITAOF ->
          queueForNode(queue, Transaction.ANY_PARTITION, command, withShortTimeout(command, 3, true));
      default -> queueLocal(queue, spec, command);
    };
  }

  private boolean queueLocal(Transaction queue, CommandSpec spec, Command command) {
    if (!queue.hasRoomFor(command.frame()) || !account.fitsOnHeap(command.frame())) {
      return reject(queue, spec, TOO_LARGE);
    }
    queue.addLocal(command.frame(), spec);
    account.check();
    answer(spec, QUEUED);
    return true;
  }

  private boolean reject(Transaction queue, @Nullable CommandSpec spec, String error) {
    if (isExec(spec)) {
      close();
    } else {
      queue.abort();
    }
    replies.reject(spec, errorFor(spec, ErrorReplies.encode(error)));
    return true;
  }

  /** Answers a request about transactions; those it must wait for have ended. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    Transaction queue = open;
    switch (which) {
      case EXEC -> execute(spec);
      case MULTI -> {
        if (queue != null) {
          replies.reject(spec, NESTED);
        } else {
          int partition = watch == null ? Transaction.ANY_PARTITION : watch.partition();
          open = new Transaction(reader.limits(), partition);
          answer(spec, OK);
        }
      }
      case DISCARD -> {
        if (queue == null) {
          replies.reject(spec, "ERR DISCARD without MULTI");
        } else {
          close();
          answer(spec, OK);
        }
      }
      default -> { // UNWATCH, also of a transaction
        unwatch();
        share.spend(TurnBudget.LOCAL_REPLY);
        request.begin(spec).deliverOwned(Unpooled.wrappedBuffer(OK), Outcome.OK);
      }
    }
  }

  /** What requests an {@code EXEC} must wait for. */
  public enum Awaits {
    NOTHING,
    /** Those that are about the transaction's partition. */
    SAME_PARTITION,
    /** All: it goes by another connection. */
    ALL
  }

  /** What an {@code EXEC} that comes now must wait for. */
  public Awaits execWaitsFor() {
    Transaction queue = open;
    if (queue == null || queue.isAborted()) {
      return Awaits.NOTHING;
    }
    return watch == null ? Awaits.SAME_PARTITION : Awaits.ALL;
  }

  /** The partition that the open transaction is for. */
  public int partition() {
    return open == null ? 0 : Math.max(0, open.partition());
  }

  private void execute(CommandSpec spec) {
    Transaction queue = open;
    Watch watched = watch;
    if (queue == null) {
      replies.reject(spec, "ERR EXEC without MULTI");
    } else if (queue.isAborted()) {
      close();
      replies.reject(spec, ABORTED);
    } else if (watched != null && watched.isInvalidated()) {
      close();
      answer(spec, client.nullArray());
    } else {
      open = null;
      watch = null;
      send(spec, queue, watched);
    }
  }

  private void send(CommandSpec exec, Transaction transaction, @Nullable Watch watched) {
    ReplySlot whole = replies.begin(exec);
    whole.targetManyPartitions();
    var execution = new Execution(made, whole, transaction, watched);
    if (watched == null && transaction.nodeCommands() == 0) {
      execution.answerLocally();
      return;
    }
    int partition = Math.max(0, transaction.partition());
    execution.prepare(exec, partition, transaction.takeBlock(), transaction.nodeCommands());
    if (watched == null) {
      if (transaction.hasSeveralKeys()) {
        made.forward().order().trackMultiKeyRequest(execution);
      }
      execution.sendPrerequisites(this::send);
      send(execution);
    } else {
      execution.sendPrerequisites(watched::sendWithoutAsking);
      watched.send(execution);
    }
  }

  private void send(Exchange exchange) {
    if (!nodes.dispatch(exchange)) {
      made.backpressure().pauseIfBusy(exchange.sentTo());
    }
  }

  /**
   * {@code WATCH}, outside a transaction. No earlier request is unanswered: those go by another
   * connection, and may be about the same keys.
   */
  public void watch(CommandSpec spec, int partition, IncomingRequest request) {
    Watch watched = watch;
    if (watched == null) {
      watched = new Watch(made.clientContext(), made.retryableErrors(), partition, this::unwatch);
      watch = watched;
    }
    if (watched.partition() != partition) {
      replies.reject(spec, OTHER_WATCHED);
    } else if (!watched.isNew() && watched.isInvalidated()) {
      answer(spec, OK); // it makes no difference any more
    } else {
      ReplySlot place = replies.begin(spec);
      client.suspend(place);
      watched.add(place, request);
    }
  }

  /** Nothing is watched any more; what is watched now was not watched. */
  void unwatch() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }

  /** The client speaks another protocol from here on, which its connection to the node does not. */
  public void onProtocolChange() {
    if (watch != null) {
      watch.invalidate();
    }
  }

  private void answer(@Nullable CommandSpec spec, byte[] reply) {
    share.spend(TurnBudget.LOCAL_REPLY);
    replies.begin(spec).deliverOwned(Unpooled.wrappedBuffer(reply), Outcome.OK);
  }

  /** An error as the command's caller gets it: {@code EXEC} puts its own word before any other. */
  public static byte[] errorFor(@Nullable CommandSpec spec, byte[] error) {
    if (!isExec(spec)) {
      return error;
    }
    String line = new String(error, 1, error.length - 1, StandardCharsets.ISO_8859_1).strip();
    return ErrorReplies.encode(ABORTED_BY + line.replaceFirst("^ERR ", ""));
  }

  private static boolean isExec(@Nullable CommandSpec spec) {
    return spec != null
        && spec.handling() instanceof Handling.Local(LocalCommand which)
        && which == LocalCommand.EXEC;
  }

  /** The transaction is discarded, if there is one, and nothing watched. */
  public void close() {
    unwatch();
    if (open != null) {
      open.discard();
      open = null;
    }
  }
}
