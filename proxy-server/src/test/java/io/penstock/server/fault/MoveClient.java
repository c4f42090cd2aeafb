package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;

/**
 * Moves elements between two lists of two shards, there and back. No element is lost, and none is
 * at both but for a move with an unknown outcome. When no fault is active the lists are checked and
 * deleted, and new ones begin, so that one killed master does not excuse the rest of the run.
 */
final class MoveClient extends WorkloadClient {

  private static final int ELEMENTS = 50;
  private static final int MOVES = 500;
  private static final long CALM_NANOS = 1_000_000_000;

  private final List<String> keys;
  private int generation;
  private boolean filled;
  private int moves;
  private long unknown; // moves of this generation
  private long beganAt;

  /**
   * @param keys prefixes of the keys of the lists
   */
  MoveClient(String name, FaultWorkload workload, ClientConnection.Kind kind, String... keys) {
    super(name, workload, kind);
    this.keys = List.of(keys);
  }

  private String key(int list) {
    return keys.get(list) + ":" + generation;
  }

  @Override
  void step() {
    if (filled) {
      move();
    } else {
      fill();
    }
  }

  private void fill() {
    beganAt = System.nanoTime();
    List<String> request = new ArrayList<>(List.of("RPUSH", key(0)));
    for (int i = 0; i < ELEMENTS; i++) {
      request.add(Integer.toString(i));
    }
    List<String> replies = call(requests(request.toArray(String[]::new), waitForReplica()));
    if (Outcome.of(replies.getFirst()) == Outcome.DONE
        && isReplicated(replies.getLast(), beganAt)) {
      filled = true;
    } else {
      generation++;
    }
  }

  private void move() {
    int from = moves++ / ELEMENTS % 2;
    List<String> replies =
        call(requests(new String[] {"RPOPLPUSH", key(from), key(1 - from)}, waitForReplica()));
    switch (Outcome.of(replies.getFirst())) {
      case DONE -> counts().add("moved over slots");
      case UNKNOWN -> unknown++;
      case NOT_RUN -> {}
    }
    long now = System.nanoTime();
    if (moves >= MOVES && !timeline().anyActive(now - CALM_NANOS, now)) {
      rollOver();
    }
  }

  private void rollOver() {
    try (ClientConnection connection = openConnection()) {
      List<String> lists = lists(connection);
      if (lists.stream().anyMatch(reply -> reply.startsWith("-"))) {
        return; // a fault has begun: later
      }
      check(lists);
    } catch (ClientConnection.ConnectionLost e) {
      return; // as above
    }
    call(requests(new String[] {"DEL", key(0), key(1)}));
    generation++;
    filled = false;
    moves = 0;
    unknown = 0;
  }

  @Override
  void verify(ClientConnection fresh) {
    if (filled) {
      check(lists(fresh));
    }
  }

  /** Returns the replies with the elements of both lists. */
  private List<String> lists(ClientConnection connection) {
    return List.of(list(connection, 0), list(connection, 1));
  }

  private String list(ClientConnection connection, int which) {
    return connection
        .exchange(List.<String[]>of(new String[] {"LRANGE", key(which), "0", "-1"}))
        .getFirst();
  }

  private void check(List<String> lists) {
    List<Integer> found = new ArrayList<>();
    lists.forEach(list -> found.addAll(AppendedLists.numbers(list)));
    counts().add("moves with an unknown outcome", unknown);
    if (timeline().mayLoseWrites(beganAt, System.nanoTime())) {
      return;
    }
    long different = found.stream().distinct().count();
    if (different != ELEMENTS || found.size() > ELEMENTS + unknown) {
      throw new AssertionError(
          "of "
              + ELEMENTS
              + " moved elements "
              + different
              + " are left, "
              + found.size()
              + " with those at both lists, after "
              + unknown
              + " unknown moves");
    }
  }
}
