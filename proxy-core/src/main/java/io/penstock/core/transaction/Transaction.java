package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.answer.ReadOnlyCalls;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.transport.Growth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client has queued since {@code MULTI}: the block for a node, and beside it the commands
 * that Penstock answers itself. Holds nothing any more once it cannot be executed. Confined to its
 * loop.
 */
public final class Transaction {

  /** As long as no command has named a key. */
  static final int ANY_PARTITION = -1;

  private static final int SMALLEST = 512;

  /** Bytes that a command of Penstock's own takes beside its own. */
  private static final int LOCAL_OVERHEAD = 64;

  /**
   * A command that Penstock answers itself.
   *
   * @param place among all commands of the transaction, from 0
   * @param request its bytes
   */
  record Own(int place, byte[] request) {}

  private final RespLimits limits;
  private final List<Own> localRequests = new ArrayList<>(0);
  private @Nullable ByteBuf block;
  private int partition;
  private int queued;
  private long size; // of all requests
  private long localBytes;
  private boolean changesProtocol; // HELLO was queued
  private boolean aborted;
  private boolean mayWrite;
  private boolean mayWriteByScripts;
  private boolean callsScripts;
  private int firstKeyAt; // in the block, once there is one
  private int firstKeyLength;
  private boolean severalKeys; // different keys

  /**
   * @param partition that its keys must be in, or {@link #ANY_PARTITION}
   */
  public Transaction(RespLimits limits, int partition) {
    this.limits = limits;
    this.partition = partition;
  }

  /** Commands queued so far. */
  int queued() {
    return queued;
  }

  /** Bytes of the buffer with what is queued for a node. */
  public long size() {
    return block == null ? 0 : block.capacity();
  }

  /** Bytes of the objects with what Penstock answers itself. */
  public long sizeOnHeap() {
    return aborted ? 0 : localBytes + (long) localRequests.size() * LOCAL_OVERHEAD;
  }

  /** Commands for a node among them. */
  int nodeCommands() {
    return queued - localRequests.size();
  }

  /** Those that Penstock answers itself, in their order. */
  List<Own> localRequests() {
    return localRequests;
  }

  /** The partition of the keys so far, or {@link #ANY_PARTITION}. */
  int partition() {
    return partition;
  }

  /** Whether a command was refused, so that {@code EXEC} will be. */
  boolean isAborted() {
    return aborted;
  }

  /** Whether replies behind this point are in another protocol than the node's. */
  boolean changesProtocol() {
    return changesProtocol;
  }

  /** Whether keys of {@code other} may be among its keys. */
  boolean mayHaveKeysIn(int other) {
    return partition == ANY_PARTITION || other == ANY_PARTITION || partition == other;
  }

  /** Whether a command that may write is queued, scripts aside. */
  boolean mayWrite() {
    return mayWrite;
  }

  /** Whether a script or function is called that may write, as far as its name tells. */
  boolean mayWriteByScripts() {
    return mayWriteByScripts;
  }

  /** A command that may write is queued. */
  void noteWrite(CommandSpec command) {
    mayWrite |= !command.isScript();
    mayWriteByScripts |= command.isScript();
  }

  /** Whether all that may write declares that it does not. */
  boolean hasOnlyReadOnlyScripts(ReadOnlyCalls readOnly, ClientContext client) {
    ByteBuf queuedBytes = block;
    return queuedBytes == null || readOnly.isReadOnlyBlock(queuedBytes, client);
  }

  /** Whether its commands name more than one key. */
  boolean hasSeveralKeys() {
    return severalKeys;
  }

  /** Whether a script or function is called that a node may lack. */
  boolean mayNeedScripts() {
    return callsScripts;
  }

  /** A script or function is called. */
  void callsScripts() {
    callsScripts = true;
  }

  /** A command was refused. */
  void abort() {
    aborted = true;
    discard();
  }

  /** Whether a request that long still fits. */
  boolean hasRoomFor(RequestFrame frame) {
    return size + frame.end() - frame.start() <= limits.maxRequestLength()
        && queued < limits.maxArguments();
  }

  /**
   * Queues a command for the node.
   *
   * @param of partition of its keys, or {@link #ANY_PARTITION}
   * @param command what it is, when that is known
   */
  void add(RequestFrame frame, int of, @Nullable CommandSpec command) {
    queued++;
    if (aborted) {
      return;
    }
    int length = frame.end() - frame.start();
    size += length;
    partition = of == ANY_PARTITION ? partition : of;
    ByteBuf out = block;
    if (out == null) {
      out = ByteBufAllocator.DEFAULT.directBuffer(Math.max(SMALLEST, length), Integer.MAX_VALUE);
      TransactionBlock.writeMulti(out);
      block = out;
    }
    Growth.ensureRoom(out, length);
    int start = out.writerIndex();
    out.writeBytes(frame.buffer(), frame.start(), length);
    if (command != null && !severalKeys) {
      compareKeys(frame, command, out, start);
    }
  }

  /** Finds out whether there are several, the copy of the command lying at {@code start}. */
  private void compareKeys(RequestFrame frame, CommandSpec command, ByteBuf out, int start) {
    var keys = new KeyPositions();
    command.findKeys(frame, keys);
    for (int i = 0; i < keys.size(); i++) {
      int at = start + frame.offset(keys.get(i)) - frame.start();
      int length = frame.length(keys.get(i));
      if (firstKeyAt == 0) {
        firstKeyAt = at;
        firstKeyLength = length;
      }
      severalKeys |= length != firstKeyLength || !ByteBufUtil.equals(out, at, out, firstKeyAt, length);
    }
  }

  /** Queues a command that Penstock answers itself. */
  void addLocal(RequestFrame frame, CommandSpec command) {
    changesProtocol |= command.name().equals("hello") && frame.argc() > 1;
    int place = queued++;
    if (!aborted) {
      byte[] request = new byte[frame.end() - frame.start()];
      size += request.length;
      localBytes += request.length;
      frame.buffer().getBytes(frame.start(), request);
      localRequests.add(new Own(place, request));
    }
  }

  /** The block without its end; it goes over to the caller. */
  public ByteBuf takeBlock() {
    ByteBuf out = block;
    block = null;
    if (out == null) {
      out = ByteBufAllocator.DEFAULT.directBuffer(SMALLEST);
      TransactionBlock.writeMulti(out);
    }
    return out;
  }

  /** Gives everything back. */
  void discard() {
    localRequests.clear();
    ByteBuf out = block;
    if (out != null) {
      block = null;
      out.release();
    }
  }
}
