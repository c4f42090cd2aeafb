package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.RequestKeys;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;

/**
 * {@code MULTI}, commands and {@code EXEC}, sent in one piece: on a shared connection nobody's
 * commands can come between them. A node that refuses any of them runs none, so what it refused may
 * be sent again as a whole.
 */
public abstract class TransactionBlock extends ClientExchange {

  private static final byte[] MULTI = bytes("*1\r\n$5\r\nMULTI\r\n");
  private static final byte[] EXEC = bytes("*1\r\n$4\r\nEXEC\r\n");
  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors. ";
  private static final String NOT_ATOMIC =
      "-ERR The node refused MULTI, so the commands ran one by one: ";

  private final QueuedReplies queueing = new QueuedReplies();

  public TransactionBlock(ExchangeOwner owner) {
    super(owner);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes what stands before the first command. */
  public static void writeMulti(ByteBuf out) {
    out.writeBytes(MULTI);
  }

  /**
   * Prepares for a first sending.
   *
   * @param block begun with {@link #writeMulti}, with the commands; ownership goes over
   * @param commands how many there are in it
   */
  public final void prepare(CommandSpec command, int partition, ByteBuf block, int commands) {
    block.writeBytes(EXEC);
    setRequestBytes(new SharedBuffer(block), block.readerIndex(), block.readableBytes());
    interimReplies(queueing, commands + 1);
    prepare(command, partition);
  }

  /** Of all its commands; none where one of them does not say what it is about. */
  @Override
  public final RequestKeys keys() {
    return RequestKeys.ofAll(reader(), sharedBytes().buffer(), offset(), length());
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    byte[] error = queueing.takeError();
    if (error == null || buffer.getByte(from) != '-') {
      super.onReply(buffer, from, to);
    } else if (queueing.ranWithoutMulti()) {
      onRanWithoutMulti(error, queueing.lastReply());
    } else if (!handleRetryableError(Unpooled.wrappedBuffer(error), 0, error.length)) {
      markExecuted();
      onAborted(error);
    }
  }

  /** Whether the node refused {@code MULTI} itself, and so ran the commands one by one. */
  final boolean ranWithoutMulti() {
    return queueing.ranWithoutMulti();
  }

  /**
   * The node refused {@code MULTI} with this error line, and ran the commands one by one.
   *
   * @param reply to the last of them
   */
  public abstract void onRanWithoutMulti(byte[] error, ByteBuf reply);

  /** What {@code EXEC} is answered then. */
  static byte[] notAtomicError(byte[] error) {
    return reworded(NOT_ATOMIC, error);
  }

  /** The node refused a command for good, with this error line, and ran nothing. */
  public abstract void onAborted(byte[] error);

  /** What {@code EXEC} is answered then. */
  static byte[] abortError(byte[] error) {
    return reworded(ABORTED, error);
  }

  /** The error line, without its {@code -}, behind {@code beginning}. */
  private static byte[] reworded(String beginning, byte[] error) {
    return (beginning + new String(error, 1, error.length - 1, StandardCharsets.ISO_8859_1))
        .getBytes(StandardCharsets.ISO_8859_1);
  }
}
