package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.RequestKeys;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.steps.Replies;
import java.nio.charset.StandardCharsets;

/**
 * {@code MULTI}, commands and {@code EXEC}, sent in one piece: on a shared connection no other
 * commands can come between them. A node that rejects any of them runs none, so the whole block may
 * be sent again after a retryable error.
 */
public abstract class TransactionBlock extends ClientExchange {

  private static final byte[] MULTI = bytes("*1\r\n$5\r\nMULTI\r\n");
  private static final byte[] EXEC = bytes("*1\r\n$4\r\nEXEC\r\n");
  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors. ";
  private static final String NOT_ATOMIC =
      "-ERR The node refused MULTI, so the commands ran one by one: ";

  private final QueuedReplies queuedReplies = new QueuedReplies();

  public TransactionBlock(ExchangeOwner owner) {
    super(owner);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes {@code MULTI}, which stands before the first command. */
  public static void writeMulti(ByteBuf out) {
    out.writeBytes(MULTI);
  }

  /** Returns the number of bytes that {@link #writeMulti} writes. */
  static int multiLength() {
    return MULTI.length;
  }

  /** Writes {@code EXEC}, which stands behind the last command. */
  public static void writeExec(ByteBuf out) {
    out.writeBytes(EXEC);
  }

  /**
   * Prepares for the first send.
   *
   * @param block begun with {@link #writeMulti}, with the commands; this takes ownership
   * @param commands number of commands in it
   */
  public final void prepare(CommandSpec command, int partition, ByteBuf block, int commands) {
    writeExec(block);
    prepareWhole(command, partition, block, commands);
  }

  /** Like {@link #prepare}, for a block that ends with {@link #writeExec}. */
  public final void prepareWhole(CommandSpec command, int partition, ByteBuf block, int commands) {
    setRequestBytes(new SharedBuffer(block), block.readerIndex(), block.readableBytes());
    interimReplies(queuedReplies, commands + 1);
    prepare(command, partition);
  }

  /** Returns the keys of all its commands; none if those of one command are unknown. */
  @Override
  public final RequestKeys keys() {
    return RequestKeys.ofAll(reader(), sharedBytes().buffer(), offset(), length());
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    byte[] error = queuedReplies.takeError();
    if (error == null || buffer.getByte(from) != '-') {
      if (!isRejectedByReplica(buffer, from, to)) {
        super.onReply(buffer, from, to);
      }
    } else if (queuedReplies.ranWithoutMulti()) {
      endRelay(true);
      onRanWithoutMulti(error, queuedReplies.lastReply());
    } else if (!handleRetryableError(Unpooled.wrappedBuffer(error), 0, error.length)) {
      markExecuted();
      endRelay(false);
      onAborted(error);
    }
  }

  /**
   * Handles the reply to {@code EXEC} of a node that has become a replica since it queued the
   * commands: none ran. Returns whether it is such a reply.
   */
  private boolean isRejectedByReplica(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) != '-') {
      return false;
    }
    byte[] reason = Replies.discardReason(buffer, from, to);
    return reason != null && handleRetryableError(Unpooled.wrappedBuffer(reason), 0, reason.length);
  }

  /** Returns whether the node refused {@code MULTI} itself, and so ran the commands one by one. */
  final boolean ranWithoutMulti() {
    return queuedReplies.ranWithoutMulti();
  }

  /**
   * Handles a node that refused {@code MULTI} with this error line, and ran the commands one by
   * one.
   *
   * @param reply to the last of them
   */
  public abstract void onRanWithoutMulti(byte[] error, ByteBuf reply);

  /** Returns the reply to {@code EXEC} in that case. */
  static byte[] notAtomicError(byte[] error) {
    return prefixed(NOT_ATOMIC, error);
  }

  /**
   * Handles a node that rejected a command with this error line, which is not retryable, and ran
   * nothing.
   */
  public abstract void onAborted(byte[] error);

  /** Returns the reply to {@code EXEC} in that case. */
  static byte[] abortError(byte[] error) {
    return prefixed(ABORTED, error);
  }

  /** Returns {@code beginning} followed by the error line without its {@code -}. */
  private static byte[] prefixed(String beginning, byte[] error) {
    return (beginning + new String(error, 1, error.length - 1, StandardCharsets.ISO_8859_1))
        .getBytes(StandardCharsets.ISO_8859_1);
  }
}
