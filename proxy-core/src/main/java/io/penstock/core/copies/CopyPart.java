package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.Reply;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one partition of a copy gets for a task: one request, or several in one transaction. It may
 * be sent again while it has not run. Confined to the copy's loop.
 */
final class CopyPart extends PlacedExchange {

  private static final Logger log = LoggerFactory.getLogger(CopyPart.class);

  private static final byte[] MULTI = WireRequest.of("MULTI");
  private static final byte[] EXEC = WireRequest.of("EXEC");
  private static final String DISCARDED = "-EXECABORT Transaction discarded because of: ";

  /** A longer reply counts as another one than expected. */
  private static final int LONGEST_REPLY = 16 << 20;

  private final CopyFlight flight;
  private final @Nullable BlockReplies queued; // of a transaction
  private @Nullable ByteBuf parts; // of a large reply; on the heap
  private boolean tooLong;
  private byte @Nullable [] redirect; // to follow when it is sent again
  private State state = State.SENT;
  private @Nullable CopyError error;

  /** What became of it. */
  enum State {
    /** It is in flight. */
    SENT,
    DONE,
    /** It did not run and is to be sent again. */
    AGAIN,
    /** It has failed: see {@link CopyPart#error}. */
    FAILED,
    /** It may have run. */
    UNKNOWN
  }

  /**
   * @param requests at least one; several are a transaction
   * @param connections on which it is sent
   */
  CopyPart(CopyFlight flight, List<CopyRequest> requests, ConnectionKey connections) {
    this.flight = flight;
    boolean block = requests.size() > 1;
    queued = block ? new BlockReplies() : null;
    int size = block ? MULTI.length + EXEC.length : 0;
    for (CopyRequest request : requests) {
      size += request.size();
    }
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(size);
    if (block) {
      out.writeBytes(MULTI);
    }
    requests.forEach(request -> request.write(out));
    if (block) {
      out.writeBytes(EXEC);
    }
    bytes(new SharedBuffer(out), 0, out.readableBytes());
    if (queued != null) {
      interimReplies(queued, requests.size() + 1);
    }
    useConnections(connections);
  }

  CopyPart toPartition(int number) {
    targetPartition(number);
    return this;
  }

  CopyPart toMaster(Endpoint master, int number) {
    targetShard(master, number, false);
    return this;
  }

  State state() {
    return state;
  }

  /** Why it failed. */
  @Nullable CopyError error() {
    return error;
  }

  /** The redirect to follow; null for none. */
  byte @Nullable [] takeRedirect() {
    byte[] taken = redirect;
    redirect = null;
    return taken;
  }

  /** Prepares to be sent, for the first time or again. */
  void prepare(int affinity, long now, long timeoutNanos) {
    state = State.SENT;
    long deadline = now + timeoutNanos;
    sendOptions(Protocol.RESP2, affinity, deadline, deadline + timeoutNanos);
    if (queued != null) {
      queued.reset();
    }
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '-') {
      onError(errorLine(ByteBufUtil.getBytes(buffer, from, to - from)));
    } else if (queued == null) {
      flight.onReply(buffer.slice(from, to - from));
      end(State.DONE);
    } else {
      onExecuted(buffer.slice(from, to - from));
    }
  }

  /** Returns the error that is the reason of a reply to {@code EXEC}. */
  private byte[] errorLine(byte[] line) {
    byte[] reason = queued == null ? null : queued.error();
    if (reason != null) {
      return reason;
    }
    String text = new String(line, StandardCharsets.ISO_8859_1);
    return text.startsWith(DISCARDED)
        ? ("-" + text.substring(DISCARDED.length())).getBytes(StandardCharsets.ISO_8859_1)
        : line;
  }

  private void onError(byte[] line) {
    CopyError said = CopyError.of(line);
    if (queued != null && queued.ranWithoutMulti()) {
      fail(new CopyError(CopyError.Kind.FAILED, said.text()));
      return;
    }
    switch (said.kind()) {
      case REDIRECT -> {
        redirect = line;
        sendAgain(said);
      }
      case NOT_NOW -> sendAgain(said);
      case REFUSED, FAILED -> fail(said);
    }
  }

  private void onExecuted(ByteBuf reply) {
    for (Reply element : Reply.of(reply).elements()) {
      if (reply.getByte(element.from()) == '-') {
        byte[] line = ByteBufUtil.getBytes(reply, element.from(), element.to() - element.from());
        CopyError said = CopyError.of(line);
        boolean refused = said.kind() == CopyError.Kind.REFUSED;
        fail(refused ? said : new CopyError(CopyError.Kind.FAILED, said.text()));
        return;
      }
    }
    byte[] one = queued == null ? null : queued.error();
    if (one == null) {
      end(State.DONE);
    } else {
      onError(one);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (flight.comparesReplies() || queued != null) {
      keep(buffer, from, to);
    }
    if (!last) {
      return;
    }
    ByteBuf whole = parts;
    parts = null;
    if (tooLong) {
      fail(new CopyError(CopyError.Kind.FAILED, "a reply that is too long to be compared"));
    } else if (whole == null) {
      end(State.DONE);
    } else {
      onReply(whole, 0, whole.readableBytes());
    }
  }

  private void keep(ByteBuf buffer, int from, int to) {
    ByteBuf kept = parts == null ? Unpooled.buffer(to - from) : parts;
    parts = kept;
    if (kept.readableBytes() + (to - from) > LONGEST_REPLY) {
      tooLong = true;
      kept.clear();
    } else if (!tooLong) {
      kept.writeBytes(buffer, from, to - from);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    parts = null;
    switch (failure) {
      case NOT_SENT, NO_OWNER, NO_REPLICA, OVERLOADED -> {
        flight.sender().pause(partition(), failure.name());
        end(State.AGAIN);
      }
      case TIMEOUT, CONNECTION_LOST -> {
        flight.sender().pause(partition(), failure.name());
        end(State.UNKNOWN);
      }
    }
  }

  private void sendAgain(CopyError said) {
    flight.sender().onNotRun(this, flight, said);
    end(State.AGAIN);
  }

  /** It has failed, with a reply or before it was sent. */
  void fail(CopyError said) {
    error = said;
    end(State.FAILED);
  }

  private void end(State last) {
    state = last;
    if (last != State.AGAIN) {
      releaseBytes();
    }
    flight.onPartEnd();
  }

  /** It is not sent again. */
  void abandon() {
    releaseBytes();
  }

  @Override
  public boolean recoverFrom(Throwable defect) {
    log.error("A write could not be copied", defect);
    if (state == State.SENT) {
      end(State.UNKNOWN);
    }
    return true;
  }
}
