package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.penstock.core.forward.SplitRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.spec.Merge;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The commands for nodes of a transaction over several partitions: a block for each partition, and
 * for each command the blocks whose replies make its reply. Confined to its loop.
 */
final class PartitionBlocks {

  /** Bytes on the heap for a command. */
  private static final int PER_COMMAND = 8;

  /** Bytes on the heap for a block, or for a part of a command that is split. */
  private static final int PER_PART = 128;

  private final Map<Integer, PartitionBlock> blocks = new LinkedHashMap<>();
  private final List<ReplySource> sources = new ArrayList<>();
  private int last; // partition of the last command
  private int parts;
  private int database = -1; // that the commands have selected; -1 for none

  /**
   * @param partition of the next command without keys
   */
  PartitionBlocks(int partition) {
    last = partition;
  }

  /** Takes the commands that were queued while there was one partition. */
  void begin(PartitionBlock block) {
    blocks.put(block.partition(), block);
    for (int i = 0; i < block.commands(); i++) {
      sources.add(block.alone());
    }
  }

  /** Returns how many blocks there would be with one for this partition. */
  int sizeWith(int partition) {
    return blocks.size() + (blocks.containsKey(partition) ? 0 : 1);
  }

  /** Adds a command with keys of one partition. */
  void add(RequestFrame frame, int partition) {
    last = partition;
    addToLast(frame);
  }

  /** Adds a command without keys: it runs where the one before it runs. */
  void addToLast(RequestFrame frame) {
    PartitionBlock block = block(last);
    block.add(frame.buffer(), frame.start(), frame.end() - frame.start());
    sources.add(block.alone());
  }

  /** Adds a command whose keys are split by partition. */
  void addSplit(SplitRequest split, Merge merge) {
    List<PartitionBlock> all = new ArrayList<>();
    int key = 0;
    for (int group = 0; group < split.groups(); group++) {
      PartitionBlock block = block(split.partitionOfGroup(group));
      split.encode(block.next(), group, key);
      key += split.keysOfGroup(group);
      all.add(block);
    }
    parts += all.size();
    sources.add(new ReplySource(all, merge, split.groupOfKey()));
  }

  /** Adds a command that concerns the connection, as {@code SELECT}: all blocks have it. */
  void addToAll(RequestFrame frame) {
    block(last);
    for (PartitionBlock block : blocks.values()) {
      block.add(frame.buffer(), frame.start(), frame.end() - frame.start());
    }
    parts += blocks.size();
    sources.add(new ReplySource(List.copyOf(blocks.values()), null, new int[0]));
  }

  /** Notes the database that is selected from now on, also by blocks to come. */
  void selected(int number) {
    database = number;
  }

  private PartitionBlock block(int partition) {
    return blocks.computeIfAbsent(
        partition,
        where -> {
          PartitionBlock made = PartitionBlock.empty(where);
          if (database >= 0) {
            made.prefix(WireRequest.of("SELECT", Integer.toString(database)));
          }
          return made;
        });
  }

  Collection<PartitionBlock> all() {
    return blocks.values();
  }

  /** The sources of the replies to the commands for nodes, in their order. */
  List<ReplySource> sources() {
    return sources;
  }

  /** Bytes of the buffers. */
  long size() {
    long bytes = 0;
    for (PartitionBlock block : blocks.values()) {
      bytes += block.bytes().capacity();
    }
    return bytes;
  }

  /** Bytes of the objects. */
  long sizeOnHeap() {
    return (long) sources.size() * PER_COMMAND + (long) (blocks.size() + parts) * PER_PART;
  }

  /** Returns the buffers; borrowed. */
  List<ByteBuf> bytes() {
    return blocks.values().stream().map(PartitionBlock::bytes).toList();
  }

  void release() {
    blocks.values().forEach(PartitionBlock::release);
    blocks.clear();
  }
}
