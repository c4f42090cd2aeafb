package io.penstock.server.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource table. Immutable.
 *
 * @param buckets their number; 0 if the table does not divide keys and has one share
 * @param shares each bucket is in one
 */
public record RouteTable(int buckets, List<Share> shares) {

  public RouteTable {
    shares = List.copyOf(shares);
  }

  /** Returns how many resources get each write, as far as all shares have as many. */
  public int writes() {
    return shares.stream().mapToInt(each -> each.operation().writes().size()).min().orElse(1);
  }

  /** Returns whether the table divides keys over buckets. */
  public boolean isSharded() {
    return buckets > 0;
  }

  /**
   * The buckets that one operation serves.
   *
   * @param buckets empty if the table does not divide keys
   */
  public record Share(List<Integer> buckets, Operation operation) {

    public Share {
      buckets = List.copyOf(buckets);
    }
  }

  /**
   * Where commands go.
   *
   * @param place in the table, for messages
   * @param writes for all commands, or for all but those that {@code read} serves: the first runs
   *     them, the others get what was written
   */
  public record Operation(String place, List<Url> writes, @Nullable Reads read) {

    public Operation {
      writes = List.copyOf(writes);
    }

    /** Serves all commands. */
    public Operation(String place, Url write) {
      this(place, List.of(write), null);
    }

    /** Returns the resource that runs the writes. */
    public Url write() {
      return writes.getFirst();
    }
  }

  /**
   * Where commands go that only read.
   *
   * @param inOrder whether the first that can be reached serves them all
   */
  public record Reads(boolean inOrder, List<Url> resources) {

    public Reads {
      resources = List.copyOf(resources);
    }
  }

  /**
   * The URL of a resource.
   *
   * @param place in the table, for messages
   */
  public record Url(String place, String text) {

    @Override
    public String toString() {
      return "Url[" + place + "]"; // it may have a password
    }
  }
}
