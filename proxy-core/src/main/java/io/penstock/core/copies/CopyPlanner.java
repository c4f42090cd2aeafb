package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.CommandTable;
import io.penstock.core.copies.CopyPlan.Piece;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Mirrored;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which partitions of a copy a task is for. A task over several partitions is divided
 * where each of its requests belongs to one of them or can be split; it is no transaction any more
 * then. Confined to the copy's loop.
 */
final class CopyPlanner {

  static final String SELECTS =
      "a transaction that selects databases is for a copy of several partitions";

  static final String SEVERAL_PARTITIONS = "its keys are in several partitions of the copy";

  /** A larger scratch buffer is not kept. */
  private static final int KEPT_BYTES = 64 * 1024;

  private static final int NO_PARTITION = -1;

  private final Partitioner partitioner;
  private final CommandTable table;
  private final RequestFrame frame = new RequestFrame();
  private final KeyPositions keys = new KeyPositions();
  private ByteBuf scratch = Unpooled.buffer();

  /**
   * @param partitioner of the copy
   * @param table for requests that are not the client's own
   */
  CopyPlanner(Partitioner partitioner, CommandTable table) {
    this.partitioner = partitioner;
    this.table = table;
  }

  CopyPlan plan(CopyTask task) {
    if (partitioner.partitions() > 1) {
      return new Division(task).plan();
    }
    if (task.requests().size() == 1) {
      return CopyPlan.whole(task.requests(), 0, task.keys().isEmpty(), false);
    }
    boolean alone = task.keys().isEmpty();
    boolean selects = false;
    for (CopyRequest request : task.requests()) {
      read(request);
      CommandSpec spec = table.find(frame);
      selects |= spec != null && spec.mirrored() == Mirrored.DATABASE;
      alone |= spec == null || spec.findKeys(frame, keys) == 0;
    }
    return CopyPlan.whole(task.requests(), 0, alone, selects);
  }

  /** Reads a request into the frame. */
  private void read(CopyRequest request) {
    if (scratch.capacity() > KEPT_BYTES) {
      scratch = Unpooled.buffer();
    }
    scratch.clear();
    List<byte[]> arguments = request.arguments();
    frame.begin(scratch, 0);
    Header.write(scratch, '*', arguments.size());
    for (byte[] argument : arguments) {
      Header.write(scratch, '$', argument.length);
      frame.add(scratch.writerIndex(), argument.length);
      scratch.writeBytes(argument).writeByte('\r').writeByte('\n');
    }
    frame.finish(scratch.writerIndex());
  }

  /** The parts of a task. */
  private final class Division {

    private final CopyTask task;
    private final List<List<Piece>> steps = new ArrayList<>();
    private final Map<Integer, List<CopyRequest>> byPartition = new LinkedHashMap<>();
    private boolean keyless;

    Division(CopyTask task) {
      this.task = task;
    }

    CopyPlan plan() {
      for (CopyRequest request : task.requests()) {
        String problem = add(request);
        if (problem != null) {
          return CopyPlan.impossible(problem);
        }
      }
      endStep();
      return new CopyPlan(List.copyOf(steps), keyless || steps.size() > 1, false, null);
    }

    /** Returns why a request cannot be sent; null if it can. */
    private @Nullable String add(CopyRequest request) {
      read(request);
      CommandSpec own = task.spec();
      CommandSpec spec = own == null ? table.find(frame) : own;
      if (spec == null) {
        return addByKeysOfTask(request);
      }
      if (spec.mirrored() == Mirrored.DATABASE) {
        return SELECTS;
      }
      int found = spec.findKeys(frame, keys);
      if (found == CommandSpec.INVALID) {
        return addByKeysOfTask(request);
      }
      if (found == 0) {
        endStep();
        steps.add(List.of(new Piece(CopyPlan.EVERY_MASTER, List.of(request))));
        keyless = true;
        return null;
      }
      return addByKeys(request, spec);
    }

    private @Nullable String addByKeys(CopyRequest request, CommandSpec spec) {
      List<byte[]> arguments = request.arguments();
      int partition = partitioner.partitionOf(arguments.get(keys.get(0)));
      for (int i = 1; i < keys.size(); i++) {
        if (partitioner.partitionOf(arguments.get(keys.get(i))) != partition) {
          return spec.handling() instanceof Handling.Split split
              ? addSplit(arguments, split)
              : SEVERAL_PARTITIONS;
        }
      }
      add(partition, request);
      return null;
    }

    private @Nullable String addByKeysOfTask(CopyRequest request) {
      int partition = NO_PARTITION;
      for (byte[] key : task.keys()) {
        int its = partitioner.partitionOf(key);
        if (partition != NO_PARTITION && its != partition) {
          return SEVERAL_PARTITIONS;
        }
        partition = its;
      }
      if (partition == NO_PARTITION) {
        return "it is not known where its keys are";
      }
      add(partition, request);
      return null;
    }

    private @Nullable String addSplit(List<byte[]> arguments, Handling.Split split) {
      int count = split.keys(frame);
      if (count == Handling.Split.WHOLE) {
        return SEVERAL_PARTITIONS;
      }
      Map<Integer, List<byte[]>> groups = new LinkedHashMap<>();
      int at = split.firstKey();
      for (int i = 0; i < count; i++) {
        int partition = partitioner.partitionOf(arguments.get(at));
        groups
            .computeIfAbsent(partition, _ -> new ArrayList<>())
            .addAll(arguments.subList(at, at + split.keyStep()));
        at += split.keyStep();
      }
      List<byte[]> options = arguments.subList(at, arguments.size());
      groups.forEach((partition, group) -> add(partition, part(arguments, split, group, options)));
      return null;
    }

    private static CopyRequest part(
        List<byte[]> arguments, Handling.Split split, List<byte[]> group, List<byte[]> options) {
      List<byte[]> all = new ArrayList<>(arguments.subList(0, split.firstKey()));
      if (split.countAt() > 0) {
        String count = Integer.toString(group.size() / split.keyStep());
        all.set(split.countAt(), count.getBytes(StandardCharsets.US_ASCII));
      }
      all.addAll(group);
      all.addAll(options);
      return new CopyRequest(all);
    }

    private void add(int partition, CopyRequest request) {
      byPartition.computeIfAbsent(partition, _ -> new ArrayList<>()).add(request);
    }

    private void endStep() {
      if (!byPartition.isEmpty()) {
        List<Piece> pieces = new ArrayList<>(byPartition.size());
        byPartition.forEach(
            (partition, requests) -> pieces.add(new Piece(partition, List.copyOf(requests))));
        steps.add(List.copyOf(pieces));
        byPartition.clear();
      }
    }
  }
}
