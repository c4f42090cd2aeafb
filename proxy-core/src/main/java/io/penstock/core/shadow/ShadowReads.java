package io.penstock.core.shadow;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.side.Side;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.ReplyComparison;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Partitioner;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of one event loop that go to a shadow too: chooses them, limits how many there are, and
 * counts and logs what became of them. Confined to the loop.
 */
public final class ShadowReads {

  private static final Logger log = LoggerFactory.getLogger(ShadowReads.class);

  /** Most reads at a time, those that are read again included. */
  private static final int MOST_READS = 128;

  /** Most reads at a time that are read again, so that there is room for others. */
  private static final int MOST_REPEATED = 64;

  /** Longer requests are not sampled, in bytes: with the number of reads, this limits memory. */
  private static final int LONGEST_REQUEST = 16 * 1024;

  /** A read that has not ended by then never will: its place is used again. */
  private static final long LOST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final int NO_PARTITION = -1;

  private final Loop loop;
  private final Side own;
  private final Side shadow;
  private final ShadowSettings settings;
  private final ShadowCounts counts;
  private final KeyPositions keys = new KeyPositions();
  private final @Nullable ShadowedRead[] places = new ShadowedRead[MOST_READS];
  private final ThrottledLog differingLog = new ThrottledLog();
  private int repeated;
  private boolean closed;

  ShadowReads(ShadowLink.Ends ends, ShadowSettings settings, ShadowCounts counts) {
    this.loop = ends.loop();
    this.own = ends.own();
    this.shadow = ends.shadow();
    this.settings = settings;
    this.counts = counts;
  }

  /**
   * Returns the shadow's side of a client's read that is about to be sent; null if it does not go
   * to the shadow.
   *
   * @param frame the request
   * @param partition of its keys
   * @param protocol that the client speaks
   * @param connections that the client's requests use
   */
  public @Nullable ShadowedRead sample(
      CommandSpec spec,
      RequestFrame frame,
      int partition,
      Protocol protocol,
      ConnectionKey connections) {
    if (spec.comparison() == ReplyComparison.NONE
        || ThreadLocalRandom.current().nextInt(ShadowSettings.ALL) >= settings.share()) {
      return null;
    }
    if (connections.database() != ConnectionKey.PLAIN.database()) {
      return skip(Skipped.DATABASE);
    }
    if (frame.end() - frame.start() > LONGEST_REQUEST) {
      return skip(Skipped.LARGE);
    }
    if (spec.findKeys(frame, keys) <= 0) {
      return null; // every server answers with the same error
    }
    int shadowPartition = shadowPartition(frame);
    if (shadowPartition == NO_PARTITION) {
      return skip(Skipped.CROSS_SLOT);
    }
    int place = freePlace();
    if (place < 0 || !shadow.mayRead(shadowPartition, protocol, affinity(place))) {
      return skip(Skipped.FULL);
    }
    var where = new SampledRequest.Keys(keys.get(0), partition, shadowPartition);
    var read = new ShadowedRead(this, new SampledRequest(spec, frame, protocol, where), place);
    places[place] = read;
    counts.countRequest();
    loop.executor().execute(read::begin); // the client's request goes first
    return read;
  }

  private @Nullable ShadowedRead skip(Skipped reason) {
    counts.count(reason);
    return null;
  }

  /** Returns the shadow's partition of all keys of the request. */
  private int shadowPartition(RequestFrame frame) {
    Partitioner partitioner = shadow.partitioner();
    int all = partitionOf(partitioner, frame, keys.get(0));
    for (int i = 1; i < keys.size(); i++) {
      if (partitionOf(partitioner, frame, keys.get(i)) != all) {
        return NO_PARTITION;
      }
    }
    return all;
  }

  private static int partitionOf(Partitioner partitioner, RequestFrame frame, int argument) {
    return partitioner.partitionOf(frame.buffer(), frame.offset(argument), frame.length(argument));
  }

  private int freePlace() {
    for (int i = 0; i < places.length; i++) {
      ShadowedRead read = places[i];
      if (read == null) {
        return i;
      }
    }
    for (int i = 0; i < places.length; i++) {
      ShadowedRead read = places[i];
      if (read != null && loop.now() - read.startedAt() > LOST_NANOS) {
        read.abandon();
        return i;
      }
    }
    return -1;
  }

  /**
   * Reads at a time have different affinities, so that none waits for another, with any dispatch.
   */
  private static int affinity(int place) {
    return -1 - place; // clients have positive ones
  }

  Loop loop() {
    return loop;
  }

  ShadowSettings settings() {
    return settings;
  }

  ShadowCounts counts() {
    return counts;
  }

  boolean isClosed() {
    return closed;
  }

  /** Reads at the upstream that clients read. */
  void readOwn(ShadowedRead read, DigestExchange.Receiver receiver) {
    send(own, read, read.request().ownPartition(), receiver);
  }

  void readShadow(ShadowedRead read, DigestExchange.Receiver receiver) {
    send(shadow, read, read.request().shadowPartition(), receiver);
  }

  private void send(Side side, ShadowedRead read, int partition, DigestExchange.Receiver receiver) {
    long deadline = loop.now() + side.timeoutNanos();
    var exchange =
        new DigestExchange(side, read.request(), affinity(read.place()), deadline, receiver);
    side.send(exchange.of(partition));
  }

  /** Returns whether a read whose replies differ may be read again, and counts it if so. */
  boolean tryRepeat() {
    if (repeated >= MOST_REPEATED) {
      return false;
    }
    repeated++;
    return true;
  }

  /** A read has ended. */
  void onEnd(ShadowedRead read) {
    if (places[read.place()] == read) {
      places[read.place()] = null;
    }
    repeated -= read.isRepeated() ? 1 : 0;
  }

  /** The replies of both sides differ after they were read again. */
  void onDiffering(SampledRequest request, ReplyDigest ownReply, ReplyDigest shadowReply) {
    counts.countDiffering(request.spec());
    differingLog.log(times ->
        log.warn(
            "{}: {} of a key in slot {} has {} here and {} there, also when read again; {} replies"
                + " differed since the last such line",
            settings.label(),
            request.spec(),
            request.keySlot(),
            ownReply.description(),
            shadowReply.description(),
            times));
  }

  /** Ends all reads; none of them is counted any more. */
  void close() {
    closed = true;
    for (ShadowedRead read : places) {
      if (read != null) {
        read.abandon();
      }
    }
  }
}
