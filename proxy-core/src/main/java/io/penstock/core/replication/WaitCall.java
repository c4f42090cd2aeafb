package io.penstock.core.replication;

import io.netty.buffer.Unpooled;
import io.penstock.core.blocking.CurrentBlockingCall;
import io.penstock.core.blocking.BlockingOperation;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@code WAIT} or {@code WAITAOF}, from its beginning to its reply: how many replicas every
 * shard's master has at least whose acknowledgements cover all of the client's writes. Begun when
 * the client's earlier requests are answered, so that all it wrote lies before what the masters
 * have then.
 */
public final class WaitCall implements BlockingOperation {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  /**
   * Who has all that was written.
   *
   * @param local 1 when the master has it in its file on disk
   * @param replicas how many replicas have it, for {@code WAITAOF} in their files on disk
   */
  record Acknowledged(long local, long replicas) {

    static final Acknowledged NONE = new Acknowledged(0, 0);

    boolean isAtLeast(Acknowledged wanted) {
      return local >= wanted.local && replicas >= wanted.replicas;
    }

    /** What both have at least. */
    Acknowledged and(Acknowledged other) {
      return new Acknowledged(Math.min(local, other.local), Math.min(replicas, other.replicas));
    }
  }

  private final BlockingContext made;
  private final CurrentBlockingCall calls;
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
   * @param whole its place among the client's replies
   * @param fsync whether it is a {@code WAITAOF}
   */
  WaitCall(BlockingContext made, CurrentBlockingCall calls, ReplySlot whole, boolean fsync) {
    this.made = made;
    this.calls = calls;
    this.client = made.clientContext().client();
    this.nodes = made.clientContext().nodes();
    this.loop = made.clientContext().loop();
    this.whole = whole;
    this.fsync = fsync;
  }

  /** Carries out the request; its client's next requests wait for the end. */
  public static void begin(
      BlockingContext made,
      CurrentBlockingCall calls,
      CommandSpec spec,
      boolean fsync,
      IncomingRequest request) {
    var call = new WaitCall(made, calls, calls.beginReply(spec), fsync);
    calls.setCurrent(call);
    call.begin(request.command());
  }

  /** Begins; the arguments are those of Redis's replication.c. */
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
    return wanted.replicas == Command.NOT_A_LONG
        ? "ERR value is not an integer or out of range"
        : readTimeout(command.argAsLong(2));
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
    if (wanted.replicas < 0) { // as what is no number is
      return "ERR value is out of range, must be positive";
    }
    long millis = command.argAsLong(3);
    return millis > Long.MAX_VALUE - System.currentTimeMillis()
        ? "ERR timeout is out of range"
        : readTimeout(millis);
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
            fsync ? new FsyncWait(made, this, partition) : new OffsetWait(made, this, partition));
      }
    }
    if (shards.isEmpty()) {
      answer(ErrorReplies.NOT_SERVED, Outcome.UNAVAILABLE);
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

  /** What a server says that does not know the command. */
  byte[] unknownCommandError() {
    return unknownCommandError;
  }

  boolean isEnded() {
    return ended;
  }

  /** Whether the client has set no time for it. */
  boolean hasNoTimeout() {
    return noTimeout;
  }

  /** How long a shard may go on waiting for more, in milliseconds; 0 if no longer. */
  long remainingMillis(ShardWait shard) {
    long left = deadline - loop.tick();
    return shard.acknowledged().isAtLeast(wanted) || left <= 0
        ? 0
        : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  /** A shard has enough, or no time. */
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
      calls.end(whole);
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
      calls.end(whole);
      client.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    }
  }

  @Override
  public void drain() {
    answer(ErrorReplies.SHUTTING_DOWN, Outcome.UNAVAILABLE);
  }
}
