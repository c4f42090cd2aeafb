package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.observe.ShadowStats.Skipped;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read of a client that goes to a shadow too. The client's exchange tells it of the reply that
 * the client gets; the shadow is read at the same time. If the replies differ, both are read again
 * after a while, some times: a write in between, or replication, makes them differ for a moment.
 * Confined to one event loop. Never throws.
 */
public final class ShadowedRead {

  private static final Logger log = LoggerFactory.getLogger(ShadowedRead.class);
  private static final String WRONGTYPE = ErrorPrefix.WRONGTYPE.label();

  private final ShadowReads reads;
  private final SampledRequest request;
  private final int place;
  private final long startedAt;
  private ReplyDigest clients; // what the client gets
  private int round; // how often it was read again
  private long shadowSentAt;
  private @Nullable ReplyDigest ownBefore; // of the round before
  private @Nullable ReplyDigest own; // of this round
  private @Nullable ReplyDigest shadow;
  private boolean repeated;
  private boolean over;

  ShadowedRead(ShadowReads reads, SampledRequest request, int place) {
    this.reads = reads;
    this.request = request;
    this.place = place;
    this.startedAt = reads.loop().now();
    this.clients = new ReplyDigest(request.spec().comparison());
  }

  SampledRequest request() {
    return request;
  }

  int place() {
    return place;
  }

  long startedAt() {
    return startedAt;
  }

  boolean isRepeated() {
    return repeated;
  }

  /** Reads the shadow. */
  void begin() {
    if (!over) {
      shadowSentAt = reads.loop().now();
      reads.readShadow(this, new OfShadow());
    }
  }

  /**
   * The client gets a reply, or the next part of it.
   *
   * @param buffer borrowed
   * @param last true for the last part, and for a whole reply
   */
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (over) {
      return;
    }
    try {
      clients.add(buffer, from, to);
      if (last) {
        reads.counts().addOwnDuration(reads.loop().now() - startedAt);
        clients.end();
        own = clients;
        compareIfBothAnswered();
      }
    } catch (RuntimeException e) { // the client must not notice
      log.error("A reply could not be compared with a shadow's", e);
      end();
    }
  }

  /** The client gets no reply of a node. */
  public void onNoReply() {
    skip(Skipped.UNANSWERED);
  }

  private void skip(Skipped reason) {
    if (!over) {
      reads.counts().count(reason);
      end();
    }
  }

  /** Ends without a count. */
  void abandon() {
    if (!over) {
      end();
    }
  }

  private void end() {
    over = true;
    reads.onEnd(this);
  }

  private void fail(String kind) {
    if (!over) {
      reads.counts().countError(kind);
      end();
    }
  }

  /** The shadow's side of a round. */
  private final class OfShadow implements DigestExchange.Receiver {

    @Override
    public void onReply(ReplyDigest reply) {
      if (over) {
        return;
      }
      if (round == 0) {
        reads.counts().addShadowDuration(reads.loop().now() - shadowSentAt);
      }
      shadow = reply;
      compareIfBothAnswered();
    }

    @Override
    public void onNoReply(Failure failure) {
      fail(kindOf(failure));
    }
  }

  /** The other side of a round, except the first. */
  private final class OfOwn implements DigestExchange.Receiver {

    @Override
    public void onReply(ReplyDigest reply) {
      if (!over) {
        own = reply;
        compareIfBothAnswered();
      }
    }

    @Override
    public void onNoReply(Failure failure) {
      skip(Skipped.UNANSWERED);
    }
  }

  private static String kindOf(Failure failure) {
    return switch (failure) {
      case TIMEOUT -> "timeout";
      case CONNECTION_LOST -> "connlost";
      case OVERLOADED -> "overloaded";
      case NOT_SENT, NO_OWNER, NO_REPLICA -> "unavailable";
    };
  }

  private void compareIfBothAnswered() {
    ReplyDigest one = own;
    ReplyDigest other = shadow;
    if (one != null && other != null) {
      compare(one, other);
    }
  }

  private void compare(ReplyDigest one, ReplyDigest other) {
    if (one.isSameAs(other)) {
      endAsSame();
    } else if (isErrorOfServer(one)) {
      skip(Skipped.UNANSWERED);
    } else if (isErrorOfServer(other)) {
      fail(ErrorPrefix.of(other.error()).label());
    } else {
      compareRounds(one, other);
    }
  }

  /** Returns whether the reply is an error that says nothing about the data. */
  private static boolean isErrorOfServer(ReplyDigest reply) {
    return reply.error() != null && !WRONGTYPE.equals(reply.error());
  }

  private void endAsSame() {
    if (repeated) {
      reads.counts().countSettled();
    } else {
      reads.counts().countSame();
    }
    end();
  }

  private void compareRounds(ReplyDigest one, ReplyDigest other) {
    ReplyDigest before = ownBefore;
    if (before != null && before.isSameAs(other)) {
      endAsSame(); // the shadow is only late
    } else if (round < reads.settings().pauses().size()) {
      repeat(one);
    } else if (before != null && !before.isSameAs(one)) {
      skip(Skipped.CHANGING);
    } else {
      reads.onDiffering(request, one, other);
      end();
    }
  }

  private void repeat(ReplyDigest one) {
    if (!repeated && !reads.tryRepeat()) {
      skip(Skipped.NOT_REPEATED);
      return;
    }
    repeated = true;
    long pause = reads.settings().pauses().get(round).toNanos();
    round++;
    ownBefore = one;
    own = null;
    shadow = null;
    reads.loop().executor().schedule(this::readAgain, pause, TimeUnit.NANOSECONDS);
  }

  private void readAgain() {
    if (!over) {
      reads.loop().tick();
      reads.readOwn(this, new OfOwn());
    }
    if (!over) {
      reads.readShadow(this, new OfShadow());
    }
  }
}
