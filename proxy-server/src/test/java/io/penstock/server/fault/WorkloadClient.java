package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client of Penstock that repeats a step on a thread of its own. It reconnects when its
 * connection is lost and never sends a request twice. An error that the timeline does not explain
 * ends the test.
 */
abstract class WorkloadClient implements Runnable, AutoCloseable {

  /** Between two steps. These tests are about faults, not about throughput. */
  private static final long PAUSE_NANOS = 3_000_000;

  private final String name;
  private final FaultWorkload workload;
  private final ClientConnection.Kind kind;
  private @Nullable ClientConnection connection;
  private boolean failed;
  private volatile long lastSuccessAt = System.nanoTime();

  WorkloadClient(String name, FaultWorkload workload, ClientConnection.Kind kind) {
    this.name = name;
    this.workload = workload;
    this.kind = kind;
  }

  final String name() {
    return name;
  }

  final FaultTimeline timeline() {
    return workload.timeline();
  }

  final EventCounts counts() {
    return workload.counts();
  }

  /** Returns when the last successful step began. */
  final long lastSuccessAt() {
    return lastSuccessAt;
  }

  @Override
  public final void run() {
    long began = System.nanoTime();
    failed = false;
    step();
    if (!failed) {
      lastSuccessAt = began;
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  abstract void step();

  /** Checks the data at the end, through {@code fresh}. */
  abstract void verify(ClientConnection fresh);

  /** Marks the current step as failed. */
  final void markFailed() {
    failed = true;
  }

  final String call(String... request) {
    return call(List.<String[]>of(request)).getFirst();
  }

  final List<String> call(List<String[]> requests) {
    return call(requests, Set.of());
  }

  /**
   * Sends requests in one pipeline and returns one reply for each.
   *
   * @param expected prefixes of errors that the requests may get
   */
  final List<String> call(List<String[]> requests, Set<String> expected) {
    long sent = System.nanoTime();
    ClientConnection open = connection();
    List<String> replies =
        open == null
            ? requests.stream().map(_ -> Outcome.NO_CONNECTION).toList()
            : open.exchange(requests);
    long now = System.nanoTime();
    counts().recordMax("slowest reply in ms", (now - sent) / 1_000_000);
    for (int i = 0; i < replies.size(); i++) {
      String reply = replies.get(i);
      if (reply.charAt(0) == '-' && !expected.contains(Outcome.prefix(reply))) {
        checkError(requests.get(i)[0], reply, sent, now);
      }
    }
    if (open != null && !open.isOpen()) {
      disconnect();
    }
    return replies;
  }

  /** Fails unless a fault between {@code sent} and {@code now} explains the error. */
  final void checkError(String command, String error, long sent, long now) {
    String prefix = Outcome.prefix(error);
    if (!timeline().explains(prefix, sent, now)) {
      throw new AssertionError(
          command
              + " was answered "
              + error.strip()
              + " after "
              + (now - sent) / 1_000_000
              + " ms; recent faults: "
              + timeline());
    }
    counts().add(command.equals("WAIT") ? "WAIT " + prefix : prefix);
    failed = true;
  }

  /** Returns a request that waits for one replica to acknowledge the writes before it. */
  final String[] waitForReplica() {
    return new String[] {"WAIT", "1", Long.toString(workload.replicaPatience().toMillis())};
  }

  /**
   * Returns whether a replica has the writes, according to the reply to {@link #waitForReplica},
   * and no fault may have lost them since.
   */
  final boolean isReplicated(String waitReply, long sent) {
    boolean acknowledged = waitReply.charAt(0) == ':' && !waitReply.equals(":0\r\n");
    counts().add(acknowledged ? "replicated writes" : "writes without a replica");
    return acknowledged && !timeline().mayLoseWrites(sent, System.nanoTime());
  }

  /** Returns the connection, opened if there is none; null if it cannot be opened. */
  final @Nullable ClientConnection connection() {
    if (connection == null) {
      try {
        connection = workload.connect(kind);
        connected(connection);
      } catch (ClientConnection.ConnectionLost e) {
        // the caller checks whether a fault explains it
      }
    }
    return connection;
  }

  /**
   * Opens another connection, which shows reply bytes unchanged.
   *
   * @throws ClientConnection.ConnectionLost if Penstock does not accept it
   */
  final ClientConnection openConnection() {
    return workload.connect(ClientConnection.RESP2);
  }

  /** Called for each new connection. */
  void connected(ClientConnection fresh) {}

  final void disconnect() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  @Override
  public final void close() {
    disconnect();
  }

  /** Returns a modifiable list of requests. */
  static List<String[]> requests(String[]... requests) {
    return new ArrayList<>(List.of(requests));
  }

  @Override
  public String toString() {
    return name;
  }
}
