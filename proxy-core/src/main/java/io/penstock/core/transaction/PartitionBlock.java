package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.output.Growth;
import java.util.List;

/**
 * The commands of one partition that a transaction over several partitions has queued: {@code
 * MULTI} and the commands, without {@code EXEC}. Confined to its loop.
 */
final class PartitionBlock {

  private static final int SMALLEST = 512;

  private final int partition;
  private final ByteBuf bytes;
  private final ReplySource alone = new ReplySource(List.of(this), null, new int[0]);
  private int commands;
  private int prefixed;

  private PartitionBlock(int partition, ByteBuf bytes, int commands) {
    this.partition = partition;
    this.bytes = bytes;
    this.commands = commands;
  }

  /** Returns a block without commands. */
  static PartitionBlock empty(int partition) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(SMALLEST, Integer.MAX_VALUE);
    TransactionBlock.writeMulti(bytes);
    return new PartitionBlock(partition, bytes, 0);
  }

  /**
   * Returns a block with commands.
   *
   * @param bytes begun with {@code MULTI}; the block takes ownership
   */
  static PartitionBlock of(int partition, ByteBuf bytes, int commands) {
    return new PartitionBlock(partition, bytes, commands);
  }

  int partition() {
    return partition;
  }

  /** The number of commands, with those of Penstock. */
  int commands() {
    return commands;
  }

  /** The number of commands at the beginning that are not the client's. */
  int prefixed() {
    return prefixed;
  }

  /** Says that the reply to a command is that of this block alone. */
  ReplySource alone() {
    return alone;
  }

  /** Adds a command of Penstock; before those of the client. */
  void prefix(byte[] request) {
    bytes.writeBytes(request);
    commands++;
    prefixed++;
  }

  /** Adds a command. */
  void add(ByteBuf request, int from, int length) {
    Growth.ensureRoom(bytes, length);
    bytes.writeBytes(request, from, length);
    commands++;
  }

  /** Adds a command, which the caller writes to the buffer that this returns. */
  ByteBuf next() {
    commands++;
    return bytes;
  }

  /** The commands, begun with {@code MULTI}; borrowed. */
  ByteBuf bytes() {
    return bytes;
  }

  void release() {
    bytes.release();
  }
}
