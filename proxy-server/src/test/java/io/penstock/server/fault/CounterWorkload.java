package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A counter that several clients increment. */
final class CounterWorkload {

  private final String key;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong fragile = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private boolean verified;

  CounterWorkload(String key) {
    this.key = key;
  }

  WorkloadClient client(String name, FaultWorkload crowd, ClientConnection.Kind kind, int depth) {
    return new Counter(name, crowd, kind, depth);
  }

  private void verify(WorkloadClient client, ClientConnection fresh) {
    if (verified) {
      return;
    }
    verified = true;
    String reply = fresh.exchange(List.<String[]>of(new String[] {"INCR", key})).getFirst();
    long value = Long.parseLong(reply.substring(1, reply.length() - 2)) - 1;
    boolean lossy = client.weather().losesWrites(0, System.nanoTime());
    long least = acknowledged.get() - (lossy ? fragile.get() : 0);
    if (value < least || value > acknowledged.get() + unknown.get()) {
      throw new AssertionError(
          "the counter is " + value + " after " + acknowledged + " and perhaps " + unknown);
    }
    client.tally().add("counted, acknowledged", acknowledged.get());
    client.tally().add("counted, unacknowledged", unknown.get());
    client.tally().add("counted, present", value);
  }

  private final class Counter extends WorkloadClient {
    private final List<String[]> requests = new ArrayList<>();
    private long last;

    Counter(String name, FaultWorkload crowd, ClientConnection.Kind kind, int depth) {
      super(name, crowd, kind);
      for (int i = 0; i < depth; i++) {
        requests.add(new String[] {"INCR", key});
      }
      requests.add(WAIT);
    }

    @Override
    void step() {
      long sent = System.nanoTime();
      List<String> replies = ask(requests);
      boolean safe = isSafe(replies.getLast(), sent);
      for (String reply : replies.subList(0, requests.size() - 1)) {
        switch (Outcome.of(reply)) {
          case DONE -> {
            take(Long.parseLong(reply.substring(1, reply.length() - 2)));
            acknowledged.incrementAndGet();
            if (!safe) {
              fragile.incrementAndGet();
            }
          }
          case UNKNOWN -> unknown.incrementAndGet();
          case NOT_RUN -> {}
        }
      }
    }

    private void take(long now) {
      if (now <= last && !weather().losesWrites(0, System.nanoTime())) {
        throw new AssertionError("a counter went from " + last + " to " + now);
      }
      last = now;
    }

    @Override
    void verify(ClientConnection fresh) {
      CounterWorkload.this.verify(this, fresh);
    }
  }
}
