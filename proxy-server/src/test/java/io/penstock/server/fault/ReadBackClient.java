package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes a key that nobody else writes, and reads it behind each write: what it reads is what it
 * wrote last, or, where it does not know whether a write ran, one of those as well.
 */
final class ReadBackClient extends WorkloadClient {

  private static final int DEPTH = 10;

  /** After so long in calm weather no write is on its way any more. */
  private static final long LATE_NANOS = 1_000_000_000;

  private final String key;
  private long number;
  private String last = "";
  private long lastTime;
  private final Set<String> possible = new HashSet<>();
  private boolean certain;

  ReadBackClient(String name, FaultWorkload crowd, ClientConnection.Kind kind, String key) {
    super(name, crowd, kind);
    this.key = key;
  }

  @Override
  void step() {
    long now = System.nanoTime();
    if (certain && !weather().isDisturbed(now - LATE_NANOS, now)) {
      possible.clear();
    }
    certain = true;
    List<String[]> requests = requests();
    for (int i = 1; i <= DEPTH; i++) {
      requests.add(new String[] {"SET", key, Long.toString(number + i)});
      requests.add(new String[] {"GET", key});
    }
    long sent = System.nanoTime();
    List<String> replies = ask(requests);
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
    tally().add("read back");
    String value = reply.charAt(0) == '$' && reply.charAt(1) != '-' ? Wire.content(reply) : "";
    if (value.equals(last) || possible.contains(value)) {
      return;
    }
    if (weather().losesWrites(lastTime, System.nanoTime())) {
      possible.add(value); // an older one, as its replica had it
      if (!value.isEmpty() && Long.parseLong(value) > number) {
        throw new AssertionError("read " + value + " before it was written");
      }
      return;
    }
    throw new AssertionError("read " + value + " behind " + last + "; perhaps " + possible);
  }

  @Override
  void verify(ClientConnection fresh) {
    check(fresh.exchange(List.<String[]>of(new String[] {"GET", key})).getFirst());
  }
}
