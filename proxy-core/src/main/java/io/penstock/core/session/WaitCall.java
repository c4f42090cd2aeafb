package io.penstock.core.session;

import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Shard;
import io.penstock.core.command.Command;
import io.penstock.core.observe.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * A {@code WAIT}, from its beginning to its reply: how many replicas every shard's master has at
 * least whose acknowledgements cover all of the client's writes. Begun when the client's earlier
 * requests are answered, so that all it wrote lies before what the masters have then.
 */
final class WaitCall implements Blocking {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private final Session session;
  private final Request whole;
  private final List<ShardWait> shards = new ArrayList<>();
  private long wanted;
  private long until;
  private boolean ended;

  /**
   * @param whole its place among the client's replies
   */
  WaitCall(Session session, Request whole) {
    this.session = session;
    this.whole = whole;
  }

  /** Begins; the arguments are those of Redis's replication.c. */
  void begin(Command command) {
    wanted = command.argAsLong(1);
    long millis = command.argAsLong(2);
    if (wanted == Command.NOT_A_LONG) {
      answer(ErrorReplies.encode("ERR value is not an integer or out of range"), Outcome.REJECTED);
    } else if (millis == Command.NOT_A_LONG) {
      answer(
          ErrorReplies.encode("ERR timeout is not an integer or out of range"), Outcome.REJECTED);
    } else if (millis < 0) {
      answer(ErrorReplies.encode("ERR timeout is negative"), Outcome.REJECTED);
    } else {
      boolean forever = millis == 0 || millis > TimeUnit.NANOSECONDS.toMillis(NEVER_NANOS);
      until =
          session.loop().tick() + (forever ? NEVER_NANOS : TimeUnit.MILLISECONDS.toNanos(millis));
      ask();
    }
  }

  private void ask() {
    for (Shard shard : session.loop().dispatcher().adoptTopology().shards()) {
      shards.add(new ShardWait(session, this, shard.master()));
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

  boolean isEnded() {
    return ended;
  }

  /** How long a shard may go on waiting for more replicas, in milliseconds; 0 if no longer. */
  long patienceMillis(ShardWait shard) {
    long left = until - session.loop().tick();
    return shard.replicas() >= wanted || left <= 0
        ? 0
        : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  /** A shard has enough replicas, or no time. */
  void settled() {
    if (shards.stream().allMatch(ShardWait::isSettled)) {
      answerMinimum();
    }
  }

  private void answerMinimum() {
    long least = shards.stream().mapToLong(ShardWait::replicas).min().orElse(0);
    answer((":" + least + "\r\n").getBytes(StandardCharsets.US_ASCII), Outcome.OK);
  }

  void answer(byte[] reply, Outcome outcome) {
    if (!ended) {
      ended = true;
      session.intake().blocked().ended();
      whole.deliverError(reply, outcome);
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
  public void gone() {
    if (!ended) {
      ended = true;
      session.intake().blocked().ended();
      session.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    }
  }

  @Override
  public void drain() {
    answer(ErrorReplies.SHUTTING_DOWN, Outcome.UNAVAILABLE);
  }
}
