package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.transaction.TransactionBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of a block that makes copies of keys, runs one command with them, and removes them.
 * Large values are not copied: the block retains the buffers in which they arrived. Owned by one
 * that either takes its bytes or closes it. Confined to the client's event loop.
 */
final class CopyBlock implements AutoCloseable {

  /** Milliseconds after which a copy expires, if a node ran only a part of the block. */
  private static final String EXPIRY = "60000";

  private static final int ROOM = 512;

  private final CompositeByteBuf bytes =
      ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
  private final List<String> names = new ArrayList<>();
  private ByteBuf tail = ByteBufAllocator.DEFAULT.directBuffer(ROOM); // behind what bytes has
  private ReplyWriter writer = new ReplyWriter(tail, Protocol.RESP2);
  private int commands;
  private int before; // commands before the one that runs with the copies
  private boolean taken;

  CopyBlock() {
    TransactionBlock.writeMulti(tail);
  }

  /**
   * Adds a copy of a key.
   *
   * @param dump the reply to {@code DUMP}, not nil; borrowed
   * @param guarded whether the command must fail if the node does not accept the dump: a hash has
   *     its name then, a type that no command that stores accepts
   */
  void restore(String name, ByteBuf dump, boolean guarded) {
    if (guarded) {
      begin("HSET", 3, name);
      writer.bulk("-");
      writer.bulk("-");
    }
    begin("RESTORE", 4, name);
    writer.bulk(EXPIRY);
    value(dump);
    writer.bulk("REPLACE");
    names.add(name);
  }

  /**
   * Adds a string under the name of a copy.
   *
   * @param value a bulk string as in a reply; borrowed
   */
  void string(String name, ByteBuf value) {
    begin("SET", 4, name);
    value(value);
    writer.bulk("PX");
    writer.bulk(EXPIRY);
    names.add(name);
  }

  /** Adds a hash with one field, like {@link #string}. */
  void hash(String name, String field, ByteBuf value) {
    begin("HSET", 3, name);
    writer.bulk(field);
    value(value);
    begin("PEXPIRE", 2, name);
    writer.bulk(EXPIRY);
    names.add(name);
  }

  private void begin(String command, int arguments, String name) {
    commands++;
    writer.array(1 + arguments);
    writer.bulk(command);
    writer.bulk(name);
  }

  private void value(ByteBuf bulk) {
    if (bulk.readableBytes() < SocketOutput.SLICE_THRESHOLD) {
      tail.writeBytes(bulk, bulk.readerIndex(), bulk.readableBytes());
      return;
    }
    bytes.addComponent(true, tail);
    tail = ByteBufAllocator.DEFAULT.directBuffer(ROOM);
    writer = new ReplyWriter(tail, Protocol.RESP2);
    bytes.addComponent(true, bulk.retainedSlice());
  }

  /** Begins the command that runs with the copies; its arguments follow. */
  void beginCommand(int argc) {
    before = commands;
    commands++;
    writer.array(argc);
  }

  /** Adds an argument; borrows it. */
  void argument(ByteBuf argument) {
    writer.bulk(argument, argument.readerIndex(), argument.readableBytes());
  }

  /** Adds an argument whose characters are bytes. */
  void argument(String argument) {
    writer.bulk(argument);
  }

  /** Ends the block behind the command's arguments. */
  void end() {
    if (!names.isEmpty()) {
      commands++;
      writer.array(1 + names.size());
      writer.bulk("UNLINK");
      names.forEach(writer::bulk);
    }
  }

  /** Returns how many commands it has. */
  int commands() {
    return commands;
  }

  /** Returns how many commands stand before the one that runs with the copies. */
  int before() {
    return before;
  }

  /** Returns whether another command follows the one that runs with the copies. */
  boolean hasRemoval() {
    return !names.isEmpty();
  }

  /** Returns the bytes, which the caller owns, with {@code EXEC} at the end. */
  ByteBuf take() {
    TransactionBlock.writeExec(tail);
    taken = true;
    if (bytes.numComponents() > 0) {
      return bytes.addComponent(true, tail);
    }
    bytes.release();
    return tail;
  }

  /** Releases the bytes unless they were taken. */
  @Override
  public void close() {
    if (!taken) {
      taken = true;
      bytes.release();
      tail.release();
    }
  }
}
