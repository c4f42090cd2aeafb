package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who works through Penstock, step by step, each on a thread of its own; connects again
 * when its connection is lost, and never sends anything twice. An error that the weather does not
 * explain ends the test.
 */
abstract class WorkloadClient implements Runnable, AutoCloseable {

  /** Between two steps: this is about what goes wrong, not about how fast it goes. */
  private static final long PAUSE_NANOS = 3_000_000;

  private final String name;
  private final FaultWorkload crowd;
  private final ClientConnection.Kind kind;
  private @Nullable ClientConnection line;
  private boolean failed;
  private volatile long wellAt = System.nanoTime();

  WorkloadClient(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
    this.name = name;
    this.crowd = crowd;
    this.kind = kind;
  }

  final String name() {
    return name;
  }

  final FaultTimeline weather() {
    return crowd.weather();
  }

  final EventCounts tally() {
    return crowd.tally();
  }

  /** When the last step began in which nothing failed. */
  final long wellAt() {
    return wellAt;
  }

  @Override
  public final void run() {
    long began = System.nanoTime();
    failed = false;
    step();
    if (!failed) {
      wellAt = began;
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  abstract void step();

  /** Looks at what is there when everything is over, through {@code fresh}. */
  abstract void verify(ClientConnection fresh);

  /** This step is no success. */
  final void fail() {
    failed = true;
  }

  final String ask(String... request) {
    return ask(List.<String[]>of(request)).getFirst();
  }

  final List<String> ask(List<String[]> requests) {
    return ask(requests, Set.of());
  }

  /**
   * Sends requests at once and answers their replies, one for each.
   *
   * @param meant errors that the requests are meant to get
   */
  final List<String> ask(List<String[]> requests, Set<String> meant) {
    long sent = System.nanoTime();
    ClientConnection open = line();
    List<String> replies =
        open == null
            ? requests.stream().map(_ -> Outcome.REFUSED).toList()
            : open.exchange(requests);
    long now = System.nanoTime();
    tally().atLeast("slowest answer in ms", (now - sent) / 1_000_000);
    for (int i = 0; i < replies.size(); i++) {
      String reply = replies.get(i);
      if (reply.charAt(0) == '-' && !meant.contains(Outcome.word(reply))) {
        judge(requests.get(i)[0], reply, sent, now);
      }
    }
    if (open != null && !open.isOpen()) {
      disconnect();
    }
    return replies;
  }

  /** Fails unless the weather between {@code sent} and {@code now} explains the error. */
  final void judge(String command, String error, long sent, long now) {
    String word = Outcome.word(error);
    if (!weather().explains(word, sent, now)) {
      throw new AssertionError(
          command
              + " was answered "
              + error.strip()
              + " after "
              + (now - sent) / 1_000_000
              + " ms; last done: "
              + weather());
    }
    tally().add(command.equals("WAIT") ? "WAIT " + word : word);
    failed = true;
  }

  /** Asks whether a replica has what was written before, for half a second. */
  static final String[] WAIT = {"WAIT", "1", "500"};

  /** Whether one has, as the reply to {@link #WAIT} says, and what it has is not lost since. */
  final boolean isSafe(String waited, long sent) {
    boolean has = waited.charAt(0) == ':' && !waited.equals(":0\r\n");
    tally().add(has ? "safe writes" : "writes without a replica");
    return has && !weather().losesWrites(sent, System.nanoTime());
  }

  /** The connection, made if there is none; null when that does not work. */
  final @Nullable ClientConnection line() {
    if (line == null) {
      try {
        line = crowd.connect(kind);
        connected(line);
      } catch (ClientConnection.Broken e) {
        // judged by who asked for it
      }
    }
    return line;
  }

  /**
   * A connection besides, that hides nothing.
   *
   * @throws ClientConnection.Broken when nobody answers
   */
  final ClientConnection anotherLine() {
    return crowd.connect(ClientConnection.RESP2);
  }

  /** Called with each new connection. */
  void connected(ClientConnection fresh) {}

  final void disconnect() {
    if (line != null) {
      line.close();
      line = null;
    }
  }

  @Override
  public final void close() {
    disconnect();
  }

  /** Several copies of nothing but a request. */
  static List<String[]> requests(String[]... requests) {
    return new ArrayList<>(List.of(requests));
  }

  @Override
  public String toString() {
    return name;
  }
}
