package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.User;
import io.penstock.core.directory.ReadOnlyCalls;
import io.penstock.core.forward.PublishedChannels;
import io.penstock.core.forward.SplitRequest;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.output.Growth;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Merge;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands that a client has queued since {@code MULTI}: the block for a node and, beside it,
 * the local commands, which Penstock answers itself. Empty once it cannot be executed. Confined to
 * its loop.
 */
public final class Transaction {

  /** The partition as long as no command has named a key. */
  static final int ANY_PARTITION = -1;

  /** Limit on the blocks of a transaction, each of which needs a connection to a node. */
  static final int MAX_PARTITIONS = 256;

  private static final int SMALLEST = 512;

  /** Bytes on the heap for a local command, in addition to its request. */
  private static final int LOCAL_OVERHEAD = 64;

  /**
   * A command that Penstock answers itself.
   *
   * @param index of the command in the transaction, from 0
   * @param request its bytes
   * @param error the error that answers it, encoded; null to answer the request
   */
  record LocalRequest(int index, byte[] request, byte @Nullable [] error) {}

  /**
   * A {@code SELECT}.
   *
   * @param index of the command in the transaction, from 0
   * @param database that it selects, if the node accepts it
   */
  record Selection(int index, int database) {}

  /** How the queued commands may write; the last that applies. */
  private enum Writes {
    NONE,
    /** Only by scripts and functions, judged by the commands that call them. */
    BY_SCRIPTS,
    DIRECTLY
  }

  /** The keys that the commands for a node name. */
  private enum Keys {
    NONE,
    /** One key, perhaps more than once. */
    ONE,
    SEVERAL
  }

  private final RespLimits limits;
  private final List<Selection> selections = new ArrayList<>(0);
  private final List<LocalRequest> localRequests = new ArrayList<>(0);
  private final List<LocalRequest> subscribing = new ArrayList<>(0);
  private final List<byte[]> originals = new ArrayList<>(0); // if noted, one for each command
  private boolean lacksOriginal; // one was too long
  private final User user; // the client's, when the transaction began
  private final PublishedChannels publishes = new PublishedChannels();
  private final List<@Nullable CommandSpec> asked = new ArrayList<>(0); // one for each reply
  private int noted; // queued commands of which that is noted
  private @Nullable ByteBuf block;
  private @Nullable PartitionBlocks spread; // instead of the block, if there are several partitions
  private int partition;
  private int queued;
  private long size; // of all requests
  private long localBytes;
  private boolean changesProtocol; // a HELLO that may change it was queued
  private boolean aborted;
  private boolean nodeSilent;
  private Writes writes = Writes.NONE;
  private boolean callsScripts;
  private Keys keys = Keys.NONE;
  private int firstKeyAt; // index in the block, unless there is none
  private int firstKeyLength;
  private @Nullable MirroredBlock mirrored; // if copies do the same

  /**
   * @param partition that its keys must belong to, or {@link #ANY_PARTITION}
   */
  public Transaction(RespLimits limits, int partition) {
    this(limits, partition, User.DEFAULT);
  }

  /**
   * @param partition that its keys must belong to, or {@link #ANY_PARTITION}
   * @param user of the client
   */
  Transaction(RespLimits limits, int partition, User user) {
    this.limits = limits;
    this.partition = partition;
    this.user = user;
  }

  /** The client's user when the transaction began. */
  User user() {
    return user;
  }

  /** Keeps the command queued last as the client sent it. */
  void noteOriginal(RequestFrame frame) {
    if (!aborted && !lacksOriginal && originals.size() < queued) {
      byte[] request = new byte[frame.end() - frame.start()];
      frame.buffer().getBytes(frame.start(), request);
      localBytes += request.length;
      originals.add(request);
    }
  }

  /** The command queued last is too long to be kept as the client sent it. */
  void omitOriginal() {
    lacksOriginal |= originals.size() < queued;
  }

  /** The commands as the client sent them; fewer than were queued if some were not noted. */
  List<byte[]> originals() {
    return originals;
  }

  /** The number of commands queued so far. */
  int queued() {
    return queued;
  }

  /** Bytes of the buffer with the commands for a node. */
  public long size() {
    PartitionBlocks several = spread;
    if (several != null) {
      return several.size();
    }
    return block == null ? 0 : block.capacity();
  }

  /** Bytes of the objects with the local commands. */
  public long sizeOnHeap() {
    PartitionBlocks several = spread;
    long blocks = several == null ? 0 : several.sizeOnHeap();
    long local = localBytes + (long) localRequests.size() * LOCAL_OVERHEAD;
    long commands = (long) asked.size() * Long.BYTES;
    return aborted ? 0 : blocks + local + publishes.sizeOnHeap() + commands;
  }

  /** The number of commands for a node. */
  int nodeCommands() {
    return queued - localRequests.size();
  }

  /** The local commands, in their order. */
  List<LocalRequest> localRequests() {
    return localRequests;
  }

  /** The {@code SELECT}s for the node, in their order. */
  List<Selection> selections() {
    return selections;
  }

  /** Notes that the command queued last selects a database. */
  void noteSelection(int database) {
    selections.add(new Selection(queued - 1, database));
    PartitionBlocks several = spread;
    if (several != null) {
      several.selected(database);
    }
  }

  /** The partition of the keys so far, or {@link #ANY_PARTITION}. */
  int partition() {
    return partition;
  }

  /**
   * Notes the command of the client's own request, if it was queued.
   *
   * @param command null if it is unknown
   * @param replies how many it has
   */
  void noteAsked(@Nullable CommandSpec command, int replies) {
    while (noted < queued && !aborted) {
      noted++;
      asked.addAll(
          Collections.nCopies(noted == queued ? replies : 1, noted == queued ? command : null));
    }
  }

  /** Returns the commands of the client's own requests, one for each reply. */
  List<@Nullable CommandSpec> asked() {
    return asked;
  }

  /** Returns whether a command was rejected, so that {@code EXEC} will fail. */
  boolean isAborted() {
    return aborted;
  }

  /** Returns whether later replies may have to be in another protocol than the node's. */
  boolean changesProtocol() {
    return changesProtocol;
  }

  /** Sets whether later replies may have to be in another protocol than the node's. */
  void changesProtocol(boolean changes) {
    changesProtocol = changes;
  }

  /** Returns whether its keys may belong to partition {@code other}. */
  boolean mayHaveKeysIn(int other) {
    return partition == ANY_PARTITION || other == ANY_PARTITION || partition == other || isSpread();
  }

  /** Returns whether there may be a block for this partition, too. */
  boolean mayHavePartition(int other) {
    PartitionBlocks several = spread;
    return several == null || other < 0 || several.sizeWith(other) <= MAX_PARTITIONS;
  }

  /** Returns whether there may be blocks for the partitions of a command, too. */
  boolean mayHavePartitions(RoutePlan.ReusedSplit plan) {
    PartitionBlocks several = spread;
    int count = several == null ? 1 : several.all().size();
    for (int group = 0; group < plan.groups() && count <= MAX_PARTITIONS; group++) {
      int other = plan.partitionOfGroup(group);
      boolean isNew =
          several == null ? other != partition : several.sizeWith(other) > several.all().size();
      count += isNew ? 1 : 0;
    }
    return count <= MAX_PARTITIONS;
  }

  /** Returns whether there is a block for each of several partitions. */
  boolean isSpread() {
    return spread != null;
  }

  /** Has a block for each partition from now on. */
  void spread() {
    if (aborted || spread != null) {
      return;
    }
    var several = new PartitionBlocks(Math.max(0, partition));
    ByteBuf commands = block;
    if (commands != null) {
      block = null;
      several.begin(PartitionBlock.of(Math.max(0, partition), commands, nodeCommands()));
    }
    if (!selections.isEmpty()) {
      several.selected(selections.getLast().database());
    }
    spread = several;
  }

  /**
   * Returns whether a queued command may write. A script or function may not if it is declared
   * read-only.
   */
  boolean mayWrite(ReadOnlyCalls readOnly, ClientContext client) {
    return switch (writes) {
      case NONE -> false;
      case BY_SCRIPTS -> !hasOnlyReadOnlyScripts(readOnly, client);
      case DIRECTLY -> true;
    };
  }

  /** Notes that a command that may write is queued. */
  void noteWrite(CommandSpec command) {
    if (!command.isScript()) {
      writes = Writes.DIRECTLY;
    } else if (writes == Writes.NONE) {
      writes = Writes.BY_SCRIPTS;
    }
  }

  private boolean hasOnlyReadOnlyScripts(ReadOnlyCalls readOnly, ClientContext client) {
    PartitionBlocks several = spread;
    if (several != null) {
      return several.bytes().stream().allMatch(bytes -> readOnly.isReadOnlyBlock(bytes, client));
    }
    ByteBuf queuedBytes = block;
    return queuedBytes == null || readOnly.isReadOnlyBlock(queuedBytes, client);
  }

  /** Returns whether its commands name more than one key. */
  boolean hasSeveralKeys() {
    return keys == Keys.SEVERAL;
  }

  /** Returns whether a script or function is called that a node may lack. */
  boolean mayNeedScripts() {
    return callsScripts;
  }

  /** Notes that a script or function is called. */
  void noteScriptCall() {
    callsScripts = true;
  }

  /** Returns whether its node was asked for an answer and gave none. */
  boolean isNodeSilent() {
    return nodeSilent;
  }

  /** Notes that its node was asked for an answer and gave none. */
  void nodeIsSilent() {
    nodeSilent = true;
  }

  /** Aborts the transaction: a command was rejected. */
  void abort() {
    aborted = true;
    discard();
  }

  /** Returns whether a request of this length still fits. */
  boolean hasRoomFor(RequestFrame frame) {
    return size + frame.end() - frame.start() <= limits.maxRequestLength()
        && queued < limits.maxArguments();
  }

  /** What copies get for the queued commands; null if there are no copies. */
  @Nullable MirroredBlock mirrored() {
    return mirrored;
  }

  /** Has copies do the same. Before anything is queued. */
  void mirrored(MirroredBlock block) {
    mirrored = block;
  }

  /**
   * Queues a command for the node.
   *
   * @param keyPartition partition of its keys, or {@link #ANY_PARTITION}
   * @param command its spec; null if that is unknown
   */
  void add(RequestFrame frame, int keyPartition, @Nullable CommandSpec command) {
    queued++;
    if (aborted) {
      return;
    }
    int length = frame.end() - frame.start();
    size += length;
    partition = keyPartition == ANY_PARTITION ? partition : keyPartition;
    PartitionBlocks several = spread;
    if (several != null) {
      if (keyPartition == ANY_PARTITION) {
        several.addToLast(frame);
      } else {
        several.add(frame, keyPartition);
      }
      return;
    }
    ByteBuf out = block;
    if (out == null) {
      out = ByteBufAllocator.DEFAULT.directBuffer(Math.max(SMALLEST, length), Integer.MAX_VALUE);
      TransactionBlock.writeMulti(out);
      block = out;
    }
    Growth.ensureRoom(out, length);
    int start = out.writerIndex();
    out.writeBytes(frame.buffer(), frame.start(), length);
    if (command != null && keys != Keys.SEVERAL) {
      compareKeys(frame, command, out, start);
    }
  }

  /** Queues a command whose keys are in several partitions, in parts. */
  void addSplit(RequestFrame frame, SplitRequest split, Merge merge) {
    spread();
    queued++;
    PartitionBlocks several = spread;
    if (several != null && !aborted) {
      size += frame.end() - frame.start();
      partition = split.partitionOfGroup(0);
      several.addSplit(split, merge);
    }
  }

  /** Queues a command for the connections of all blocks. */
  void addToAll(RequestFrame frame) {
    queued++;
    PartitionBlocks several = spread;
    if (several != null && !aborted) {
      size += frame.end() - frame.start();
      several.addToAll(frame);
    }
  }

  /**
   * Finds out whether there are several different keys. The command's copy is at index {@code
   * start}.
   */
  private void compareKeys(RequestFrame frame, CommandSpec command, ByteBuf out, int start) {
    var positions = new KeyPositions();
    command.findKeys(frame, positions);
    for (int i = 0; i < positions.size(); i++) {
      int at = start + frame.offset(positions.get(i)) - frame.start();
      int length = frame.length(positions.get(i));
      if (keys == Keys.NONE) {
        keys = Keys.ONE;
        firstKeyAt = at;
        firstKeyLength = length;
      } else if (length != firstKeyLength
          || !ByteBufUtil.equals(out, at, out, firstKeyAt, length)) {
        keys = Keys.SEVERAL;
      }
    }
  }

  /** Queues a command in place of which the client gets an error. */
  void addDenied(byte[] request, byte[] error) {
    int index = queued++;
    localBytes += request.length + error.length;
    localRequests.add(new LocalRequest(index, request, error));
  }

  /** Queues a local command. */
  void addLocal(RequestFrame frame) {
    int index = queued++;
    if (!aborted) {
      byte[] request = new byte[frame.end() - frame.start()];
      size += request.length;
      localBytes += request.length;
      frame.buffer().getBytes(frame.start(), request);
      localRequests.add(new LocalRequest(index, request, null));
    }
  }

  /** Notes that the command queued last subscribes. */
  void noteSubscribing() {
    if (!aborted) {
      subscribing.add(localRequests.getLast());
    }
  }

  /** The local commands that subscribe. */
  List<LocalRequest> subscribing() {
    return subscribing;
  }

  /** The channels that queued commands publish to. */
  PublishedChannels publishes() {
    return publishes;
  }

  /** Returns the block without {@code EXEC}; the caller takes ownership. */
  public ByteBuf takeBlock() {
    ByteBuf out = block;
    block = null;
    if (out == null) {
      out = ByteBufAllocator.DEFAULT.directBuffer(SMALLEST);
      TransactionBlock.writeMulti(out);
    }
    return out;
  }

  /** Returns a block for each partition; the caller takes ownership. */
  PartitionBlocks takeBlocks() {
    spread();
    PartitionBlocks several = Objects.requireNonNull(spread);
    spread = null;
    return several;
  }

  /** Returns the block without {@code EXEC}, with a {@code SELECT} as its first command. */
  ByteBuf takeBlockSelecting(int database) {
    ByteBuf commands = takeBlock();
    try {
      byte[] select = WireRequest.of("SELECT", Integer.toString(database));
      int most = select.length + commands.readableBytes();
      ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(most + SMALLEST, Integer.MAX_VALUE);
      TransactionBlock.writeMulti(out);
      commands.skipBytes(out.readableBytes());
      return out.writeBytes(select).writeBytes(commands);
    } finally {
      commands.release();
    }
  }

  /** Releases everything that is queued. */
  void discard() {
    localRequests.clear();
    subscribing.clear();
    originals.clear();
    PartitionBlocks several = spread;
    if (several != null) {
      several.release(); // stays, so that what comes is not queued
    }
    ByteBuf out = block;
    if (out != null) {
      block = null;
      out.release();
    }
  }
}
