package io.penstock.core.resync;

import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The databases in use of one side, at each of its masters. Confined to the jobs' loop.
 *
 * @param hidden number of a database that clients cannot reach, because its number stands for the
 *     side's own; -1 for none
 */
record Keyspace(Questions side, int hidden) {

  private static final Pattern LINE = Pattern.compile("db(\\d+):keys=(\\d+)");
  private static final int MOST = 1024 * 1024;
  private static final int OWN = -1;

  /**
   * A database at a master.
   *
   * @param database as in {@link io.penstock.core.copies.CopyTask#database}
   * @param keys how many it has
   */
  record Database(Endpoint master, int database, long keys) {}

  /** Returns the keyspace of a primary. */
  static Keyspace ofPrimary(Questions primary) {
    return new Keyspace(primary, -1);
  }

  /** Returns the keyspace of a copy. */
  static Keyspace ofCopy(Questions copy, Questions primary) {
    int own = primary.ownDatabase();
    return new Keyspace(copy, own == copy.ownDatabase() ? -1 : own);
  }

  /** Asks all masters. */
  CompletableFuture<List<Database>> read() {
    CompletableFuture<List<Database>> all = CompletableFuture.completedFuture(List.of());
    for (Endpoint master : side.masters()) {
      all = all.thenCombine(read(master), Keyspace::joined);
    }
    return all;
  }

  private static List<Database> joined(List<Database> some, List<Database> more) {
    List<Database> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private CompletableFuture<List<Database>> read(Endpoint master) {
    return side.atNode(master, OWN, Questions.request("INFO", "keyspace"), new Gathered(MOST))
        .thenApply(info -> parse(master, info.text()));
  }

  private List<Database> parse(Endpoint master, String info) {
    List<Database> found = new ArrayList<>();
    Matcher line = LINE.matcher(info);
    while (line.find()) {
      int number = Integer.parseInt(line.group(1));
      long keys = Long.parseLong(line.group(2));
      if (number == side.ownDatabase()) {
        found.add(new Database(master, OWN, keys));
      } else if (number != hidden) {
        found.add(new Database(master, number, keys));
      }
    }
    return found;
  }

  /** Returns what is different for each process of a server; empty if the node does not tell. */
  CompletableFuture<String> runId(Endpoint master) {
    return side.atNode(master, OWN, Questions.request("INFO", "server"), new Gathered(MOST))
        .thenApply(info -> {
          String text = info.text();
          int from = text.indexOf("run_id:");
          return from < 0 ? "" : text.substring(from, text.indexOf('\n', from)).strip();
        });
  }
}
