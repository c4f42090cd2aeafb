package io.penstock.core.mirroring;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.KeyImage;
import io.penstock.core.mirror.Reply;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.side.SideExchange;
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

  private ConnectionKey ofDatabase() {
    return database == ConnectionKey.DEFAULT_DATABASE
        ? ConnectionKey.PLAIN
        : ConnectionKey.ofDatabase(database);
  }

  void begin() {
    var made =
        new Claim(
            mirror.mirror().stripes(),
            mirror.ownLane(ofDatabase()),
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
    if (dumped == null || expires == null || !dumped.isOver() || !expires.isOver()) {
      return;
    }
    String problem = dumped.problem == null ? expires.problem : dumped.problem;
    if (problem != null) {
      again(problem);
      return;
    }
    CopyRequest request = KeyImage.of(key, Reply.of(dumped.reply), Reply.of(expires.reply));
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
  private final class Read extends SideExchange {

    private final ByteBuf reply = Unpooled.buffer();
    private @Nullable String problem; // if there is no reply, or an error

    Read(CopyRequest request) {
      super(mirror.side());
      ByteBuf bytes = Unpooled.buffer(request.size());
      request.write(bytes);
      bytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
      targetPartition(mirror.side().partitioner().partitionOf(key));
      useConnections(ofDatabase());
      sendOptions(
          Protocol.RESP2,
          LoopMirror.OWN_AFFINITY,
          mirror.loop().tick() + mirror.side().timeoutNanos());
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      reply.writeBytes(buffer, from, to - from);
      if (last) {
        if (reply.getByte(0) == '-') {
          problem = reply.toString(1, reply.writerIndex() - 1, ISO_8859_1).strip();
        }
        end();
        onRead();
      }
    }

    @Override
    public void onFailure(Failure failure) {
      problem = failure.toString();
      end();
      onRead();
    }

    @Override
    protected void logDefect(Throwable defect) {
      log.error("A key could not be copied again", defect);
    }
  }
}
