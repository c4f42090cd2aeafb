package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes a key of its own and reads it after each write. It must read its last write, or one of the
 * writes with an unknown outcome.
 */
final class ReadBackClient extends WorkloadClient {

  private static final int DEPTH = 10;

  /** After this time without faults no write is in flight any more. */
  private static final long LATE_NANOS = 1_000_000_000;

  private final String key;
  private long number;
  private String last = "";
  private long lastTime;
  private final Set<String> possible = new HashSet<>();
  private boolean certain;

  ReadBackClient(String name, FaultWorkload workload, ClientConnection.Kind kind, String key) {
    super(name, workload, kind);
    this.key = key;
  }

  @Override
  void step() {
    long now = System.nanoTime();
    if (certain && !timeline().anyActive(now - LATE_NANOS, now)) {
      possible.clear();
    }
    certain = true;
    List<String[]> requests = requests();
    for (int i = 1; i <= DEPTH; i++) {
      requests.add(new String[] {"SET", key, Long.toString(number + i)});
      requests.add(new String[] {"GET", key});
    }
    long sent = System.nanoTime();
    List<String> replies = call(requests);
    for (int i = 0; i < DEPTH; i++) {
      number++;
      switch (Outcome.of(replies.get(2 * i))) {
        case DONE -> {
          last = Long.toString(number);
          lastTime = sent;
        }
        case UNKNOWN -> {
          possible.add(Long.toString(number));
          certain = false;
        }
        case NOT_RUN -> certain = false;
      }
      check(replies.get(2 * i + 1));
    }
  }

  private void check(String reply) {
    if (Outcome.of(reply) != Outcome.DONE) {
      return;
    }
    counts().add("read back");
    String value = reply.charAt(0) == '$' && reply.charAt(1) != '-' ? Wire.content(reply) : "";
    if (value.equals(last) || possible.contains(value)) {
      return;
    }
    if (timeline().mayLoseWrites(lastTime, System.nanoTime())) {
      possible.add(value); // an older value, from the replica
      if (!value.isEmpty() && Long.parseLong(value) > number) {
        throw new AssertionError("read " + value + " before it was written");
      }
      return;
    }
    throw new AssertionError("read " + value + " after " + last + "; also possible: " + possible);
  }

  @Override
  void verify(ClientConnection fresh) {
    check(fresh.exchange(List.<String[]>of(new String[] {"GET", key})).getFirst());
  }
}
