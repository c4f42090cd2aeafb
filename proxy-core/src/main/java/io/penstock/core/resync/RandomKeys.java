package io.penstock.core.resync;

import io.penstock.core.resync.Keyspace.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Keys of one side at random; all of them if it has no more. Confined to the jobs' loop. */
final class RandomKeys implements KeySource {

  private static final int MOST_BYTES = 64 * 1024 * 1024;

  private final Keyspace keyspace;
  private final long wanted;
  private @Nullable List<Database> databases;
  private @Nullable KeyWalk walk; // if all are wanted
  private long all = -1;
  private long taken;

  RandomKeys(Keyspace keyspace, long wanted) {
    this.keyspace = keyspace;
    this.wanted = wanted;
  }

  @Override
  public boolean isEnded() {
    KeyWalk whole = walk;
    return whole == null ? databases != null && taken >= wanted : whole.isEnded();
  }

  @Override
  public long estimate() {
    return all < 0 ? -1 : Math.min(wanted, all);
  }

  @Override
  public CompletableFuture<Keys> next(int count) {
    List<Database> known = databases;
    if (known == null) {
      return keyspace.read().thenApply(this::begin);
    }
    KeyWalk whole = walk;
    return whole == null ? random(known, (int) Math.min(count, wanted - taken)) : whole.next(count);
  }

  private Keys begin(List<Database> found) {
    databases = found;
    all = found.stream().mapToLong(Database::keys).sum();
    if (all <= wanted) {
      walk = new KeyWalk(keyspace);
    }
    return Keys.NONE;
  }

  private CompletableFuture<Keys> random(List<Database> known, int count) {
    Database database = choose(known);
    List<CompletableFuture<Gathered>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(
          keyspace
              .side()
              .atNode(
                  database.master(),
                  database.database(),
                  Questions.request("RANDOMKEY"),
                  new Gathered(MOST_BYTES)));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .whenComplete((_, failure) -> databases = failure == null ? databases : null)
        .thenApply(_ -> {
          taken += count;
          List<byte[]> keys = new ArrayList<>();
          for (CompletableFuture<Gathered> each : asked) {
            if (each.resultNow().value() instanceof byte[] key) {
              keys.add(key);
            }
          }
          return new Keys(database.database(), keys);
        });
  }

  /** Returns a database, that with more keys more often. */
  private Database choose(List<Database> known) {
    long at = ThreadLocalRandom.current().nextLong(all);
    for (Database each : known) {
      at -= each.keys();
      if (at < 0) {
        return each;
      }
    }
    return known.getLast();
  }
}
