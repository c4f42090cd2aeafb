package io.penstock.server.reads;

import java.util.ArrayList;
import java.util.List;

/**
 * What connections wrote and read. The values of a key are 1, 2, 3 and so on, all written by one
 * connection; 0 stands for a missing key. Any connection may read it. Thread-safe, if each
 * connection is used by one thread.
 */
final class ReadHistory {

  /** What became of an operation, as far as its client knows. */
  enum Result {
    DONE,
    /** It did not run. */
    REJECTED,
    UNKNOWN
  }

  /**
   * One operation on one key. Times are {@link System#nanoTime()} of the client.
   *
   * @param write whether it is a write, else a read
   * @param value what was written, or read
   * @param sentAt before the first byte of the batch was sent
   * @param answeredAt after the last byte of the reply was received
   * @param node the node that served a read; empty if it is not known
   */
  record Operation(
      boolean write,
      String key,
      long value,
      long sentAt,
      long answeredAt,
      Result result,
      String node) {

    static Operation write(String key, long value, long sentAt, long answeredAt, Result result) {
      return new Operation(true, key, value, sentAt, answeredAt, result, "");
    }

    static Operation read(String key, long value, long sentAt, long answeredAt) {
      return new Operation(false, key, value, sentAt, answeredAt, Result.DONE, "");
    }

    /** Returns this read, served by a node. */
    Operation at(String server) {
      return new Operation(write, key, value, sentAt, answeredAt, result, server);
    }

    /** Returns whether both were certainly served by the same node. */
    boolean isAtNodeOf(Operation other) {
      return !node.isEmpty() && node.equals(other.node);
    }

    @Override
    public String toString() {
      String at = node.isEmpty() ? "" : " at " + node;
      return (write ? "write of " : "read of ") + key + "=" + value + (isDone() ? "" : "?") + at;
    }

    boolean isDone() {
      return result == Result.DONE;
    }
  }

  /** The operations of one connection, in the order in which it sent them. */
  static final class Connection {
    private final String name;
    private final List<Operation> operations = new ArrayList<>();

    private Connection(String name) {
      this.name = name;
    }

    void add(Operation operation) {
      operations.add(operation);
    }

    List<Operation> operations() {
      return operations;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final List<Connection> connections = new ArrayList<>();

  /** Adds a connection without operations. */
  synchronized Connection connection(String name) {
    var connection = new Connection(name);
    connections.add(connection);
    return connection;
  }

  synchronized List<Connection> connections() {
    return List.copyOf(connections);
  }
}
