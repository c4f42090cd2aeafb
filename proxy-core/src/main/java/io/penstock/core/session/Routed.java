package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.transport.SocketOutput;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's request, or one part of a divided one, on its way to the node of a slot. Refusals that
 * mean "it did not run" go to the session's {@link Retries}; everything else is delivered.
 */
abstract sealed class Routed extends Exchange permits Request, Part, Block, Publication {

  private long order;
  private boolean readOnly;
  private boolean script;
  private @Nullable SeveralKeys several; // that it is one of

  /** The session that the request came from. */
  abstract Session session();

  /**
   * Hands over what the client gets, or a part of it.
   *
   * @param buffer borrowed
   */
  abstract void deliver(ByteBuf buffer, int from, int to, Outcome outcome);

  /** As {@link #deliver}, with Penstock's own words: most often an error, also a nil. */
  abstract void deliverError(byte[] reply, Outcome outcome);

  /** Hands on a part of a reply that is still arriving. */
  abstract void deliverPart(ByteBuf buffer, int from, int to, boolean last);

  /** Drops the beginning of a reply that was cut: there will be a whole one, or an error. */
  abstract void dropHeld();

  /** Whether a part of the reply has already gone to the client. */
  abstract boolean hasBegun();

  /**
   * Sets the request's bytes.
   *
   * @param shared one share goes over
   */
  final void carry(SharedBuffer shared, int offset, int length) {
    bytes(shared, offset, length);
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      session().allowance().bears(length);
    }
  }

  /** Has {@code sender} send what its node needs first; to be called before each sending. */
  void sendAhead(Consumer<Exchange> sender) {
    // Most need nothing.
  }

  /** Prepares for a first sending to the node of a slot. */
  final void prepare(Session from, CommandSpec command, int slot) {
    toPartition(slot);
    prepare(from, command);
  }

  /** Prepares for a first sending to any node. */
  final void prepareForAnyNode(Session from, CommandSpec command) {
    toAnyNode();
    prepare(from, command);
  }

  /** Prepares a request of which only parts are sent, each with a destination of its own. */
  final void prepare(Session from, CommandSpec command) {
    order = from.activity().requests();
    readOnly = command.isReadOnly();
    script = command.isScript();
    long now = from.loop().now();
    SessionSettings settings = from.loop().settings();
    terms(
        from.profile().protocol(),
        from.affinity(),
        now + settings.commandTimeoutNanos(),
        now + settings.patienceNanos());
    expects(from.allowance().expectsMuch(command));
  }

  /** It has waited, and is sent, or sent again, now. */
  final void sentLate() {
    SessionLoop loop = session().loop();
    sentLate(loop.now(), loop.settings().commandTimeoutNanos());
  }

  /** {@link System#nanoTime()} until which it may be sent once more. */
  final long lastChance() {
    return deadline() - heldUntil() > 0 ? deadline() : heldUntil();
  }

  /** Whether it may not be sent any more. */
  final boolean isTooLate() {
    return session().isClosed() || session().loop().now() - lastChance() >= 0;
  }

  /** Who sends no more is taken for gone when its request has waited, as who blocks is in Redis. */
  @Override
  public final boolean isWanted() {
    return !session().isInputEnded();
  }

  /**
   * Prepares for a first sending to one shard.
   *
   * @param whole the prepared request that it is a part of, which may have waited since
   * @param master the shard's master now
   * @param slot a slot of the shard
   * @param aside whether over a connection that carries nothing else
   */
  final void prepareForShard(Routed whole, Endpoint master, int slot, boolean aside) {
    order = whole.order();
    readOnly = whole.isReadOnly();
    script = whole.isScript();
    toShard(master, slot, aside);
    terms(whole.protocol(), whole.affinity(), whole.deadline(), whole.heldUntil());
    expects(whole.expectedReply());
  }

  /** Its place among the client's requests: later ones have a greater number. */
  final long order() {
    return order;
  }

  final boolean isReadOnly() {
    return readOnly;
  }

  /** Whether its reply is in the words of whoever wrote the script. */
  final boolean isScript() {
    return script;
  }

  /** Whether every key of a shard is its concern. */
  final boolean isForShard() {
    return destination() == Destination.SHARD;
  }

  /** Whether it and {@code other} may be about one key, as far as {@code map} tells. */
  final boolean mayMeet(Routed other, Placement map) {
    if (!isForShard() && !other.isForShard()) {
      return goesLike(other);
    }
    return destination() != Destination.ANY_NODE
        && other.destination() != Destination.ANY_NODE
        && Dispatcher.shardOf(this, map) == Dispatcher.shardOf(other, map);
  }

  /** Later requests look at it there, until it has ended. */
  final void isOneOf(SeveralKeys all) {
    several = all;
  }

  /** Reads the request's keys once more; only before {@link #settle}. */
  RequestKeys keys() {
    return RequestKeys.of(command());
  }

  /** Reads the request once more, out of its own bytes; only before {@link #settle}. */
  final Command command() {
    var scanner = new RequestScanner(session().loop().settings().limits());
    scanner.reset(offset());
    if (scanner.scan(sharedBytes().buffer(), offset() + length()) != ScanResult.REQUEST) {
      throw new IllegalStateException("a request cannot be read again");
    }
    var command = new Command(session().loop().servers().commands(), scanner.frame());
    command.resolve();
    return command;
  }

  /** Gives the request's bytes back: it will not be sent again. */
  final void settle() {
    if (releaseBytes() && length() >= SocketOutput.SLICE_THRESHOLD) {
      session().allowance().bears(-length());
    }
    SeveralKeys all = several;
    if (all != null) {
      several = null;
      all.remove(this);
    }
  }

  /** True when the error reply means "did not run, try again": then it is not delivered. */
  boolean isRefused(ByteBuf buffer, int from, int to) {
    return session().retries().takesOver(this, buffer, from, to);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean error = buffer.getByte(from) == '-';
    if (error && isRefused(buffer, from, to)) {
      return;
    }
    session().retries().answered(this);
    deliver(buffer, from, to, error ? Outcome.ERROR : Outcome.OK);
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      session().retries().answered(this);
    }
    deliverPart(buffer, from, to, last);
  }

  /** Only before its end: what is done behind that sees to itself. */
  @Override
  public final boolean absorbs(Throwable defect) {
    Defect.in(session(), defect);
    session().loop().hold().leave(this);
    settle();
    broke();
    return true;
  }

  /** It failed within Penstock, and its client is closed: what is held for it is dropped. */
  void broke() {
    dropHeld();
  }

  @Override
  public void onFailure(Failure failure) {
    if (hasBegun()) {
      session().abandon("a node's connection was lost in the middle of a reply");
      session().retries().forget(this);
      deliverError(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      return;
    }
    session().retries().failed(this, failure);
  }
}
