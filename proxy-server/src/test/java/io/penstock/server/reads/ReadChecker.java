package io.penstock.server.reads;

import io.penstock.server.reads.ReadHistory.Connection;
import io.penstock.server.reads.ReadHistory.Operation;
import io.penstock.server.reads.ReadHistory.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds reads that break what Penstock promises about reads from replicas. It only uses what
 * clients see. A read is reported only if no delay between client and Penstock can explain it.
 *
 * <p>Whether a read may have gone to the master follows from the writes of its connection to the
 * same partition: certainly so if it was answered within {@code read-your-writes} of when the write
 * was sent, certainly not if it was sent later than that after the write was answered.
 *
 * <p>If the history tells which node served a read, two more things are known: no node goes back in
 * time, and a change of replica excuses an older value only if the two reads had different nodes.
 */
final class ReadChecker {

  /** A promise that a read broke. */
  enum Violation {
    /** It missed an acknowledged write of its connection, within {@code read-your-writes}. */
    MISSED_OWN_WRITE,
    /** It returned an older value than an earlier read of its connection. */
    WENT_BACK,
    /** It returned a value that its connection wrote after it. */
    OVERTAKEN,
    /** It returned a value that was not written, or not yet. */
    INVENTED
  }

  /** Says whether an event between two times excuses an older value. */
  interface Excuse {
    boolean between(long from, long until);
  }

  private final long windowNanos;
  private final UnaryOperator<String> partition;
  private Excuse replicaChanges = (_, _) -> false;
  private Excuse lostWrites = (_, _) -> false;

  private final Map<Violation, List<String>> found = new EnumMap<>(Violation.class);
  private final Map<String, Map<Long, Operation>> writes = new HashMap<>(); // by key and value
  private final Map<String, Connection> writers = new HashMap<>(); // by key

  /**
   * @param readYourWrites as configured
   * @param partition what keys belong to the same partition
   */
  ReadChecker(Duration readYourWrites, UnaryOperator<String> partition) {
    this.windowNanos = readYourWrites.toNanos();
    this.partition = partition;
  }

  /** Sets when a client may have changed its replica: a read after it may return older values. */
  ReadChecker replicaChanges(Excuse excuse) {
    replicaChanges = excuse;
    return this;
  }

  /** Sets when a master may have been replaced by one that lacks acknowledged writes. */
  ReadChecker lostWrites(Excuse excuse) {
    lostWrites = excuse;
    return this;
  }

  /** Returns what was found, with one text for each read; empty if all is well. */
  Map<Violation, List<String>> check(ReadHistory history) {
    List<Connection> connections = history.connections();
    for (Connection connection : connections) {
      for (Operation operation : connection.operations()) {
        if (operation.write()) {
          writers.put(operation.key(), connection);
          writes
              .computeIfAbsent(operation.key(), _ -> new HashMap<>())
              .put(operation.value(), operation);
        }
      }
    }
    for (Connection connection : connections) {
      var check = new ConnectionCheck(connection);
      connection.operations().forEach(check::add);
    }
    return found;
  }

  private void report(Violation violation, Connection connection, Operation read, String why) {
    found
        .computeIfAbsent(violation, _ -> new ArrayList<>())
        .add(connection + ": " + read + " " + why);
  }

  /** The latest writes of one connection to a partition. */
  private final class Writes {
    private @Nullable Operation answeredLast;
    private @Nullable Operation doneLast;

    void add(Operation write) {
      if (answeredLast == null || write.answeredAt() - answeredLast.answeredAt() > 0) {
        answeredLast = write;
      }
      if (write.isDone()) {
        doneLast = write;
      }
    }

    boolean mayHaveReadMaster(Operation read) {
      return answeredLast != null && read.sentAt() - answeredLast.answeredAt() <= windowNanos;
    }

    boolean mayHaveReadReplica(Operation read) {
      return doneLast == null || read.answeredAt() - doneLast.sentAt() > windowNanos;
    }
  }

  /** What one connection knows of one key. */
  private static final class Key {
    private long attempted; // the value of its last write
    private @Nullable Operation done; // its last acknowledged write
    private @Nullable Operation read; // the newest value
    private @Nullable Operation readByReplica; // the newest value that certainly was a replica's
    private final Map<String, Operation> readAt = new HashMap<>(); // the newest value of each node
  }

  /** Goes through the operations of one connection in order. */
  private final class ConnectionCheck {
    private final Connection connection;
    private final Map<String, Writes> partitions = new HashMap<>();
    private final Map<String, Key> keys = new HashMap<>();

    ConnectionCheck(Connection connection) {
      this.connection = connection;
    }

    void add(Operation operation) {
      Writes own = partitions.computeIfAbsent(partition.apply(operation.key()), _ -> new Writes());
      Key key = keys.computeIfAbsent(operation.key(), _ -> new Key());
      if (operation.write()) {
        own.add(operation);
        key.attempted = operation.value();
        key.done = operation.isDone() ? operation : key.done;
        return;
      }
      checkWritten(operation);
      if (writers.get(operation.key()) == connection) {
        checkOwnWrites(operation, key);
      }
      checkOrder(operation, key, own);
    }

    /** Every value was written, by an operation that had begun and was not rejected. */
    private void checkWritten(Operation read) {
      if (read.value() != 0) {
        Operation write = writes.getOrDefault(read.key(), Map.of()).get(read.value());
        if (write == null
            || write.result() == Result.REJECTED
            || write.sentAt() - read.answeredAt() > 0) {
          report(Violation.INVENTED, connection, read, "which nobody had written");
        }
      }
    }

    private void checkOwnWrites(Operation read, Key key) {
      Operation write = key.done;
      if (write != null
          && read.value() < write.value()
          && read.answeredAt() - write.sentAt() <= windowNanos
          && !lostWrites.between(write.sentAt(), read.answeredAt())) {
        report(Violation.MISSED_OWN_WRITE, connection, read, "after the " + write);
      }
      if (read.value() > key.attempted) {
        report(Violation.OVERTAKEN, connection, read, "before the write of it");
      }
    }

    /**
     * An older value may follow a newer one only if the newer one came from the master and the
     * older one from a replica.
     */
    private void checkOrder(Operation read, Key key, Writes own) {
      Operation earlier = own.mayHaveReadReplica(read) ? key.readByReplica : key.read;
      if (earlier != null
          && read.value() < earlier.value()
          && (read.isAtNodeOf(earlier)
              || !replicaChanges.between(earlier.sentAt(), read.answeredAt()))
          && !lostWrites.between(earlier.sentAt(), read.answeredAt())) {
        report(Violation.WENT_BACK, connection, read, "after the " + earlier);
      }
      if (!read.node().isEmpty()) {
        checkOrderAtNode(read, key);
      }
      if (!own.mayHaveReadMaster(read)) {
        key.readByReplica = newest(key.readByReplica, read);
      }
      key.read = newest(key.read, read);
    }

    /** Nothing but a lost write lets a node go back. */
    private void checkOrderAtNode(Operation read, Key key) {
      Operation same = key.readAt.get(read.node());
      if (same != null
          && read.value() < same.value()
          && !lostWrites.between(same.sentAt(), read.answeredAt())) {
        report(Violation.WENT_BACK, connection, read, "after the " + same);
      }
      key.readAt.put(read.node(), newest(same, read));
    }

    private static Operation newest(@Nullable Operation earlier, Operation read) {
      return earlier == null || read.value() >= earlier.value() ? read : earlier;
    }
  }
}
