package io.penstock.core.resync;

import io.penstock.core.resync.Keyspace.Database;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All keys of one side, by {@code SCAN} of each database at each master. Keys that are there from
 * its beginning to its end are all found, some of them twice. A cursor is valid as long as the
 * process lives: if a shard gets another master, or its process another run id, its databases begin
 * anew. If slots move to other shards, everything does. Confined to the jobs' loop.
 */
final class KeyWalk implements KeySource {

  private static final int MOST_BYTES = 256 * 1024 * 1024;
  private static final String BEGINNING = "0";

  private final Keyspace keyspace;
  private final Questions side;
  private @Nullable List<Part> parts;
  private @Nullable Placement placement; // that the parts are of
  private long estimate = -1;
  private int turn;

  KeyWalk(Keyspace keyspace) {
    this.keyspace = keyspace;
    this.side = keyspace.side();
  }

  /** One database at one master. */
  private static final class Part {

    final int database;
    final long slots; // of its shard
    Endpoint master;
    String cursor = BEGINNING;
    @Nullable String runId;
    boolean scanned;
    boolean doubtful; // whether the process is the same must be asked
    boolean done;

    Part(Database of, long slots) {
      this.database = of.database();
      this.master = of.master();
      this.slots = slots;
    }

    void beginAnew(@Nullable String process) {
      runId = process;
      cursor = BEGINNING;
      scanned = false;
      doubtful = false;
      done = false;
    }

    boolean mustAsk() {
      return runId == null || doubtful || scanned;
    }

    void answered(String process) {
      if (!process.equals(runId)) {
        beginAnew(process);
      }
      doubtful = false;
      done = scanned;
    }
  }

  @Override
  public boolean isEnded() {
    List<Part> known = parts;
    return known != null && known.stream().allMatch(each -> each.done) && isSamePlacement();
  }

  @Override
  public long estimate() {
    return estimate;
  }

  @Override
  public CompletableFuture<Keys> next(int count) {
    Placement now = side.placement();
    if (!now.isFullyCovered()) {
      return CompletableFuture.failedFuture(new NoAnswerException("not all slots have a master"));
    }
    if (!isSamePlacement()) {
      adopt(now);
    }
    List<Part> known = parts;
    if (known == null) {
      placement = now;
      return keyspace.read().thenApply(found -> begin(now, found));
    }
    Part part = choose(known);
    if (part == null) {
      return CompletableFuture.completedFuture(Keys.NONE);
    }
    CompletableFuture<Keys> keys = part.mustAsk() ? ask(part) : scan(part, count);
    return keys.whenComplete((_, failure) -> part.doubtful |= failure != null);
  }

  private boolean isSamePlacement() {
    return placement == side.placement();
  }

  private Keys begin(Placement now, List<Database> found) {
    List<Part> made = new ArrayList<>();
    long[] slots = slotsOf(now);
    for (Database each : found) {
      made.add(new Part(each, slots[now.indexOfMaster(each.master())]));
    }
    estimate = found.stream().mapToLong(Database::keys).sum();
    parts = made;
    return Keys.NONE;
  }

  private @Nullable Part choose(List<Part> known) {
    for (int i = 0; i < known.size(); i++) {
      Part part = known.get(turn++ % known.size());
      if (!part.done) {
        return part;
      }
    }
    return null;
  }

  private void adopt(Placement now) {
    List<Part> known = parts;
    placement = now;
    if (known == null) {
      return;
    }
    long[] slots = slotsOf(now);
    for (Part part : known) {
      int shard =
          IntStream.range(0, slots.length)
              .filter(each -> slots[each] == part.slots)
              .findFirst()
              .orElse(-1);
      if (shard < 0) {
        parts = null; // keys have moved
        return;
      }
      Endpoint master = now.shards().get(shard).master();
      if (!master.equals(part.master)) {
        part.master = master;
        part.beginAnew(null);
      }
    }
  }

  /** Returns, for each shard, a hash of its partitions. */
  private static long[] slotsOf(Placement placement) {
    long[] hashes = new long[placement.shards().size()];
    for (int partition = 0; partition < placement.partitions(); partition++) {
      int owner = placement.ownerOf(partition);
      if (owner >= 0) {
        hashes[owner] = hashes[owner] * 31 + partition + 1;
      }
    }
    return hashes;
  }

  private CompletableFuture<Keys> ask(Part part) {
    return keyspace
        .runId(part.master)
        .thenApply(process -> {
          part.answered(process);
          return Keys.NONE;
        });
  }

  private CompletableFuture<Keys> scan(Part part, int count) {
    return side.atNode(
            part.master,
            part.database,
            Questions.request("SCAN", part.cursor, "COUNT", count),
            new Gathered(MOST_BYTES))
        .thenApply(reply -> {
          List<?> elements = reply.list();
          part.cursor = Gathered.text(elements.getFirst());
          part.scanned = part.cursor.equals(BEGINNING);
          List<byte[]> keys = new ArrayList<>();
          ((List<?>) Objects.requireNonNull(elements.getLast()))
              .forEach(each -> keys.add((byte[]) Objects.requireNonNull(each)));
          return new Keys(part.database, keys);
        });
  }
}
