package io.penstock.core.crossslot;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.blocking.CurrentBlockingCall;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.waiting.WaitedKey;
import io.penstock.core.waiting.WaitingCalls;
import io.penstock.core.waiting.WaitingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts a client's commands whose keys are in several partitions. The client's later requests wait
 * until the command has ended. Confined to the client's event loop.
 */
public final class CrossSlotCalls {

  /** The first version with {@code PEXPIRETIME}. */
  private static final ServerVersion WITH_EXPIRY_TIMES = new ServerVersion(7, 0, 0);

  private final CrossSlotContext context;
  private final Client client;
  private final ReplySequence replies;
  private final RetryableErrors retryableErrors;
  private final WaitingContext waiting;
  private final WaitingCalls waitingCalls;

  public CrossSlotCalls(
      ForwardContext forward,
      CrossSlotLoop loop,
      BlockingContext blocking,
      CurrentBlockingCall current,
      RetryableErrors retryableErrors,
      Backpressure backpressure) {
    this.context = new CrossSlotContext(forward, loop, backpressure);
    this.client = forward.clientContext().client();
    this.replies = forward.clientContext().replies();
    this.retryableErrors = retryableErrors;
    this.waiting = new WaitingContext(forward, blocking, current, loop.waits(), loop.limit());
    this.waitingCalls = new WaitingCalls(waiting, loop.partitioner());
  }

  /** Starts a command; all earlier requests of the client are answered. */
  public void start(CommandSpec spec, IncomingRequest request) {
    ReplySlot whole = replies.begin(spec);
    whole.targetManyPartitions();
    client.suspend(whole);
    byte[] refusal = refusal(spec, request.frame());
    if (refusal != null) {
      reject(whole, refusal, Outcome.OVERLOADED);
      return;
    }
    context.loop().counts().countCommand(spec.id());
    CopiedRequest copied = CopiedRequest.of(context, request.frame());
    whole.addHeapBytes(copied.frame().end());
    switch (Objects.requireNonNull(spec.across())) {
      case COPIES, STORE_IN_FIRST, STORE_IN_LAST, READ_ONLY_SCRIPT ->
          new RunOnCopies(context, whole, copied).begin();
      case SORT -> sort(whole, copied);
      case SCRIPT -> throw new IllegalArgumentException(spec + " was not rejected");
      case RENAME, RENAME_IF_NEW, COPY, MOVE_MEMBER, MOVE_ELEMENT, MOVE_LAST_ELEMENT ->
          startMove(whole, copied);
      case POP_ELEMENTS -> pop(whole, copied, WaitedKey.Kind.LIST);
      case POP_MEMBERS -> pop(whole, copied, WaitedKey.Kind.SORTED_SET);
      case READ_STREAMS -> {
        noteWrites(copied);
        waitingCalls.read(whole, copied.frame(), copied.spec(), copied.partitions());
      }
      case ALL_OR_NOTHING -> setAllOrNothing(whole, copied);
    }
  }

  private void startMove(ReplySlot whole, CopiedRequest copied) {
    RequestFrame frame = copied.frame();
    switch (Objects.requireNonNull(copied.spec().across())) {
      case RENAME -> moveKey(whole, copied, MovedKey.How.RENAME, client.connections());
      case RENAME_IF_NEW ->
          moveKey(whole, copied, MovedKey.How.RENAME_IF_NEW, client.connections());
      case COPY -> copyKey(whole, copied);
      case MOVE_MEMBER ->
          move(
              whole,
              copied,
              new MovedMember(frame.text(1), frame.text(2), copied.frame().argument(3)));
      case MOVE_ELEMENT -> moveElement(whole, copied);
      case MOVE_LAST_ELEMENT ->
          moveOrWait(whole, copied, new MovedElement(frame.text(1), false, frame.text(2), true));
      default -> throw new IllegalArgumentException(copied.spec() + " moves nothing");
    }
  }

  /** Returns why a request cannot be carried out in steps; null if it can. */
  private byte @Nullable [] refusal(CommandSpec spec, RequestFrame frame) {
    if (!context.forward().clientContext().account().fitsOnHeap(frame)) {
      return ErrorReplies.REQUEST_TOO_LONG;
    }
    int maxKeys = context.loop().settings().maxKeys();
    return spec.findKeys(frame, new KeyPositions()) > maxKeys
        ? CrossSlotErrors.tooManyKeys(maxKeys)
        : null;
  }

  private void sort(ReplySlot whole, CopiedRequest request) {
    List<SortPattern> patterns = SortPattern.of(request.frame());
    if (patterns.isEmpty()) {
      new RunOnCopies(context, whole, request).begin();
    } else {
      new SortOnCopies(context, whole, request, patterns).begin();
    }
  }

  private void moveKey(
      ReplySlot whole, CopiedRequest request, MovedKey.How how, ConnectionKey connections) {
    RequestFrame frame = request.frame();
    ServerFacts servers = context.forward().clientContext().reader().servers();
    boolean expiryTimes = servers.version().compareTo(WITH_EXPIRY_TIMES) >= 0;
    var key = new MovedKey(how, frame.text(1), frame.text(2), expiryTimes);
    move(whole, request, key, connections);
  }

  private void setAllOrNothing(ReplySlot whole, CopiedRequest request) {
    int firstKey = request.partitions().keySet().iterator().next();
    String name = request.frame().argument(0).toString(StandardCharsets.ISO_8859_1);
    ConditionalSet.Parsed parsed = ConditionalSet.parse(request.frame(), name, firstKey);
    ConditionalSet set = parsed.set();
    if (set == null) {
      reject(whole, parsed.error());
    } else {
      new AllOrNothing(context, retryableErrors, whole, request, set).begin();
    }
  }

  /** Reads the options as servers do. The destination's node knows which databases there are. */
  private void copyKey(ReplySlot whole, CopiedRequest request) {
    RequestFrame frame = request.frame();
    boolean replace = false;
    ConnectionKey connections = client.connections();
    for (int i = 3; i < frame.argc(); i++) {
      if (frame.text(i).equalsIgnoreCase("replace")) {
        replace = true;
      } else if (frame.text(i).equalsIgnoreCase("db") && i + 1 < frame.argc()) {
        i++;
        long number = Ascii.parseLong(frame, i);
        byte[] error = databaseError(number);
        if (error != null) {
          reject(whole, error);
          return;
        }
        connections =
            number == client.databaseNumber()
                ? client.connections()
                : client.connections().withDatabase((int) number);
      } else {
        reject(whole, MoveErrors.SYNTAX);
        return;
      }
    }
    moveKey(whole, request, replace ? MovedKey.How.COPY : MovedKey.How.COPY_IF_NEW, connections);
  }

  private static byte @Nullable [] databaseError(long number) {
    if (number == Ascii.NOT_A_LONG) {
      return MoveErrors.NOT_AN_INTEGER;
    }
    if (number != (int) number) {
      return MoveErrors.NOT_AN_INT;
    }
    return number < 0 || number > ConnectionKey.MAX_DATABASE ? MoveErrors.NO_DATABASE : null;
  }

  private void moveElement(ReplySlot whole, CopiedRequest request) {
    RequestFrame frame = request.frame();
    List<String> ends = List.of("left", "right");
    int from = ends.indexOf(frame.text(3).toLowerCase(Locale.ROOT));
    int to = ends.indexOf(frame.text(4).toLowerCase(Locale.ROOT));
    if (from < 0 || to < 0) {
      reject(whole, MoveErrors.SYNTAX);
      return;
    }
    moveOrWait(whole, request, new MovedElement(frame.text(1), from == 0, frame.text(2), to == 0));
  }

  private void reject(ReplySlot whole, byte[] error) {
    reject(whole, error, Outcome.REJECTED);
  }

  private void reject(ReplySlot whole, byte[] error, Outcome outcome) {
    client.resume(whole);
    whole.answer(error, outcome);
  }

  private void pop(ReplySlot whole, CopiedRequest request, WaitedKey.Kind kind) {
    noteWrites(request);
    waitingCalls.pop(whole, request.frame(), request.spec(), request.partitions(), kind);
  }

  private void noteWrites(CopiedRequest request) {
    if (request.spec().isWrite()) {
      request.partitions().values().forEach(context.forward().order()::noteOtherWrite);
    }
  }

  private void moveOrWait(ReplySlot whole, CopiedRequest request, Moved moved) {
    if (!(request.spec().handling() instanceof Handling.Blocking blocking)) {
      move(whole, request, moved);
      return;
    }
    noteWrites(request);
    int source = Objects.requireNonNull(request.partitions().get(1));
    int timeoutAt = blocking.timeoutAt(request.frame());
    Function<BlockingMove, Move> moves =
        by ->
            makeMove(whole, request, moved, client.connections())
                .waitingBy(by::onNothingThere, by::onMoveEnded);
    new BlockingMove(waiting, whole, request, source, timeoutAt, moves).start();
  }

  private void move(ReplySlot whole, CopiedRequest request, Moved moved) {
    move(whole, request, moved, client.connections());
  }

  private void move(
      ReplySlot whole, CopiedRequest request, Moved moved, ConnectionKey connections) {
    noteWrites(request);
    makeMove(whole, request, moved, connections).begin();
  }

  private Move makeMove(
      ReplySlot whole, CopiedRequest request, Moved moved, ConnectionKey connections) {
    int source = Objects.requireNonNull(request.partitions().get(1));
    int destination = Objects.requireNonNull(request.partitions().get(2));
    var keys = new Move.Keys(source, destination, connections);
    return new Move(context, retryableErrors, whole, keys, moved);
  }
}
