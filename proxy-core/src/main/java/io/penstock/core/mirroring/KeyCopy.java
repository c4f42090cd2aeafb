package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.KeyImage;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one key again whole, in its place among the writes: has its stripe, reads it from the
 * primary behind all writes that are queued for the copy, and queues what it has read. Confined to
 * a loop.
 */
final class KeyCopy {

  private static final Logger log = LoggerFactory.getLogger(KeyCopy.class);

  /** A primary that cannot be read is asked again for as long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long PAUSE_MILLIS = 100;
  private static final int MOST_REDIRECTS = 5;

  private final LoopMirror mirror;
  private final int copy;
  private final int database;
  private final byte[] key;
  private final Consumer<Boolean> done;
  private final long begun;
  private @Nullable Claim claim;
  private @Nullable Read value;
  private @Nullable Read deadline;

  KeyCopy(LoopMirror mirror, int copy, int database, byte[] key, Consumer<Boolean> done) {
    this.mirror = mirror;
    this.copy = copy;
    this.database = database;
    this.key = key;
    this.done = done;
    this.begun = mirror.loop().tick();
  }

  private ConnectionKey connections() {
    return database == ConnectionKey.DEFAULT_DATABASE
        ? ConnectionKey.PLAIN
        : ConnectionKey.ofDatabase(database);
  }

  void begin() {
    var made =
        new Claim(
            mirror.mirror().stripes(),
            mirror.ownLane(connections()),
            mirror.placement(),
            new int[] {Stripes.of(key)},
            this::read);
    claim = made;
    if (made.begin()) {
      read();
    }
  }

  private void read() {
    var first = new Read(KeyImage.value(key));
    var second = new Read(KeyImage.deadline(key));
    value = first;
    deadline = second;
    mirror.side().send(first);
    mirror.side().send(second);
  }

  private void onRead() {
    Read dumped = value;
    Read expires = deadline;
    if (dumped == null || expires == null || !dumped.over || !expires.over) {
      return;
    }
    if (dumped.failed || expires.failed) {
      again(dumped.problem());
      return;
    }
    CopyRequest request = KeyImage.of(key, dumped.content(), expires.number());
    mirror
        .mirror()
        .offerTo(
            copy,
            new CopyTask(database, List.of(request), null, null, List.of(key)),
            result -> done.accept(result == CopyTask.Result.DONE));
    release();
  }

  /** The primary could not be read: others may write meanwhile. */
  private void again(String problem) {
    release();
    if (mirror.loop().tick() - begun > PATIENCE_NANOS) {
      mirror.mirror().markBehind(copy, "a key could not be read at the primary: " + problem);
      done.accept(false);
    } else {
      mirror.loop().executor().schedule(this::begin, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void release() {
    Claim held = claim;
    claim = null;
    if (held != null) {
      held.release();
    }
  }

  /** One of the two reads. */
  private final class Read extends PlacedExchange {

    private ByteBuf reply = Unpooled.EMPTY_BUFFER;
    private int redirects;
    private boolean over;
    private boolean failed;

    Read(CopyRequest request) {
      ByteBuf bytes = Unpooled.buffer(request.size());
      request.write(bytes);
      bytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
      targetPartition(mirror.side().partitioner().partitionOf(key));
      useConnections(connections());
      sendOptions(
          Protocol.RESP2,
          LoopMirror.OWN_AFFINITY,
          mirror.loop().tick() + mirror.side().timeoutNanos());
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      if (buffer.getByte(from) == '-' && redirects < MOST_REDIRECTS) {
        redirects++;
        if (mirror.side().follow(this, buffer, from, to)) {
          return;
        }
      }
      onReplyPart(buffer, from, to, true);
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      if (reply == Unpooled.EMPTY_BUFFER) {
        reply = Unpooled.buffer(to - from);
      }
      reply.writeBytes(buffer, from, to - from);
      if (last) {
        end(reply.getByte(0) == '-');
      }
    }

    @Override
    public void onFailure(Failure failure) {
      reply = Unpooled.copiedBuffer("-" + failure, StandardCharsets.US_ASCII);
      end(true);
    }

    private void end(boolean hasFailed) {
      over = true;
      failed = hasFailed;
      releaseBytes();
      onRead();
    }

    String problem() {
      return failed
          ? reply.toString(1, reply.writerIndex() - 1, StandardCharsets.ISO_8859_1).strip()
          : "no deadline";
    }

    /** Returns the bulk string of the reply; null if there is none. */
    byte @Nullable [] content() {
      int line = reply.indexOf(0, reply.writerIndex(), (byte) '\n') + 1;
      return reply.getByte(1) == '-'
          ? null
          : ByteBufUtil.getBytes(reply, line, reply.writerIndex() - 2 - line);
    }

    long number() {
      String digits = reply.toString(1, reply.writerIndex() - 1, StandardCharsets.US_ASCII).strip();
      return Long.parseLong(digits);
    }

    @Override
    public boolean recoverFrom(Throwable defect) {
      log.error("A key could not be copied again", defect);
      if (!over) {
        onFailure(Failure.NOT_SENT);
      }
      return true;
    }
  }
}
