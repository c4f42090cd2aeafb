package io.penstock.core.replication;

import io.netty.buffer.Unpooled;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.blocking.BlockingOperation;
import io.penstock.core.blocking.CurrentBlockingCall;
import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.command.ServerWords;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@code WAIT} or {@code WAITAOF}, from its start to its reply: the least number, over all
 * shards, of replicas whose acknowledgements cover all of the client's writes. It starts when the
 * client's earlier requests are answered, so that the masters have all of its writes.
 */
public final class WaitCall implements BlockingOperation {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  private static final String TIMEOUT_OUT_OF_RANGE = "ERR timeout is out of range";
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  /**
   * The copies that have all of the writes.
   *
   * @param local 1 if the master has synced them to its append-only file
   * @param replicas how many replicas have them; for {@code WAITAOF}, synced to their append-only
   *     files
   */
  record Acknowledged(long local, long replicas) {

    static final Acknowledged NONE = new Acknowledged(0, 0);

    boolean isAtLeast(Acknowledged wanted) {
      return local >= wanted.local && replicas >= wanted.replicas;
    }

    /** Returns the minimum of both. */
    Acknowledged and(Acknowledged other) {
      return new Acknowledged(Math.min(local, other.local), Math.min(replicas, other.replicas));
    }
  }

  private final BlockingContext context;
  private final CurrentBlockingCall current;
  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final ReplySlot whole;
  private final boolean fsync;
  private final List<ShardWait> shards = new ArrayList<>();
  private Acknowledged wanted = Acknowledged.NONE;
  private byte[] unknownCommandError = UNBLOCKED;
  private boolean noTimeout;
  private long deadline;
  private boolean ended;

  /**
   * @param whole where the client's reply goes
   * @param fsync whether it is a {@code WAITAOF}
   */
  WaitCall(BlockingContext context, CurrentBlockingCall current, ReplySlot whole, boolean fsync) {
    this.context = context;
    this.current = current;
    this.client = context.clientContext().client();
    this.nodes = context.clientContext().nodes();
    this.loop = context.clientContext().loop();
    this.whole = whole;
    this.fsync = fsync;
  }

  /** Runs the request; the client's next requests wait for its end. */
  public static void begin(
      BlockingContext context,
      CurrentBlockingCall current,
      CommandSpec spec,
      boolean fsync,
      IncomingRequest request) {
    var call = new WaitCall(context, current, current.beginReply(spec), fsync);
    current.setCurrent(call);
    call.begin(request.command());
  }

  /** Starts the call; the arguments are checked as in Redis's replication.c. */
  private void begin(Command command) {
    String error = fsync ? readFsync(command) : readReplicas(command);
    if (error == null) {
      queryMasters();
    } else {
      answer(ErrorReplies.encode(error), Outcome.REJECTED);
    }
  }

  private @Nullable String readReplicas(Command command) {
    wanted = new Acknowledged(0, command.argAsLong(1));
    long millis = command.argAsLong(2);
    if (wanted.replicas == Command.NOT_A_LONG) {
      return "ERR value is not an integer or out of range";
    }
    return isBeyondTheClock(millis)
            && ServerWords.limitsTimeoutOfWait(context.clientContext().reader().servers())
        ? TIMEOUT_OUT_OF_RANGE
        : readTimeout(millis);
  }

  private @Nullable String readFsync(Command command) {
    wanted = new Acknowledged(command.argAsLong(1), command.argAsLong(2));
    unknownCommandError = ErrorReplies.encode(CommandErrors.unknownCommand(command.frame()));
    if (wanted.local == Command.NOT_A_LONG) {
      return "ERR value is not an integer or out of range";
    }
    if (wanted.local < 0 || wanted.local > 1) {
      return "ERR value is out of range, value must between 0 and 1";
    }
    if (wanted.replicas < 0) { // NOT_A_LONG is negative, too
      return "ERR value is out of range, must be positive";
    }
    long millis = command.argAsLong(3);
    return isBeyondTheClock(millis) ? TIMEOUT_OUT_OF_RANGE : readTimeout(millis);
  }

  private static boolean isBeyondTheClock(long millis) {
    return millis > Long.MAX_VALUE - System.currentTimeMillis();
  }

  private @Nullable String readTimeout(long millis) {
    if (millis == Command.NOT_A_LONG) {
      return "ERR timeout is not an integer or out of range";
    }
    if (millis < 0) {
      return "ERR timeout is negative";
    }
    noTimeout = millis == 0 || millis > TimeUnit.NANOSECONDS.toMillis(NEVER_NANOS);
    long nanos = noTimeout ? NEVER_NANOS : TimeUnit.MILLISECONDS.toNanos(millis);
    deadline = loop.tick() + nanos;
    return null;
  }

  private void queryMasters() {
    for (int partition : nodes.placement().firstPartitions()) {
      if (partition != Placement.UNCOVERED) {
        shards.add(
            fsync
                ? new FsyncWait(context, this, partition)
                : new OffsetWait(context, this, partition));
      }
    }
    if (shards.isEmpty()) {
      answer(nodes.notServed(), Outcome.UNAVAILABLE);
    }
    for (ShardWait shard : List.copyOf(shards)) {
      if (!ended) {
        shard.begin();
      }
    }
  }

  Acknowledged wanted() {
    return wanted;
  }

  /** The error of a server that does not know the command. */
  byte[] unknownCommandError() {
    return unknownCommandError;
  }

  boolean isEnded() {
    return ended;
  }

  /** Returns whether the client has set no timeout. */
  boolean hasNoTimeout() {
    return noTimeout;
  }

  /**
   * Returns for how many milliseconds a shard may wait for more acknowledgements; 0 if it must not.
   */
  long remainingMillis(ShardWait shard) {
    long left = deadline - loop.tick();
    return shard.acknowledged().isAtLeast(wanted) || left <= 0
        ? 0
        : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  /** Handles a shard that has enough acknowledgements or no time left. */
  void onShardDone() {
    if (shards.stream().allMatch(ShardWait::isDone)) {
      answerMinimum();
    }
  }

  private void answerMinimum() {
    Acknowledged least =
        shards.stream()
            .map(ShardWait::acknowledged)
            .reduce(Acknowledged::and)
            .orElse(Acknowledged.NONE);
    String reply = ":" + least.replicas + "\r\n";
    String all = fsync ? "*2\r\n:" + least.local + "\r\n" + reply : reply;
    answer(all.getBytes(StandardCharsets.US_ASCII), Outcome.OK);
  }

  void answer(byte[] reply, Outcome outcome) {
    if (!ended) {
      ended = true;
      current.end(whole);
      whole.answer(reply, outcome);
    }
  }

  @Override
  public boolean isBlocked() {
    return true;
  }

  @Override
  public void unblock(boolean error, IntConsumer done) {
    if (error) {
      answer(UNBLOCKED, Outcome.ERROR);
    } else {
      answerMinimum();
    }
    done.accept(1);
  }

  @Override
  public void onInputEnded() {
    if (!ended) {
      ended = true;
      current.end(whole);
      client.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    }
  }

  @Override
  public void drain() {
    answer(ErrorReplies.CLOSING, Outcome.UNAVAILABLE);
  }
}
