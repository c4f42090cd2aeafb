package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A counter that several clients increment. */
final class CounterWorkload {

  private final String key;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unreplicated = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private boolean verified;

  CounterWorkload(String key) {
    this.key = key;
  }

  WorkloadClient client(
      String name, FaultWorkload workload, ClientConnection.Kind kind, int depth) {
    return new Counter(name, workload, kind, depth);
  }

  private void verify(WorkloadClient client, ClientConnection fresh) {
    if (verified) {
      return;
    }
    verified = true;
    String reply = fresh.exchange(List.<String[]>of(new String[] {"INCR", key})).getFirst();
    long value = Long.parseLong(reply.substring(1, reply.length() - 2)) - 1;
    boolean lossy = client.timeline().mayLoseWrites(0, System.nanoTime());
    long least = acknowledged.get() - (lossy ? unreplicated.get() : 0);
    if (value < least || value > acknowledged.get() + unknown.get()) {
      throw new AssertionError(
          "the counter is %d after %s acknowledged and %s unknown increments"
              .formatted(value, acknowledged, unknown));
    }
    client.counts().add("counted, acknowledged", acknowledged.get());
    client.counts().add("counted, unacknowledged", unknown.get());
    client.counts().add("counted, present", value);
  }

  private final class Counter extends WorkloadClient {
    private final List<String[]> requests = new ArrayList<>();
    private long last;

    Counter(String name, FaultWorkload workload, ClientConnection.Kind kind, int depth) {
      super(name, workload, kind);
      for (int i = 0; i < depth; i++) {
        requests.add(new String[] {"INCR", key});
      }
      requests.add(waitForReplica());
    }

    @Override
    void step() {
      long sent = System.nanoTime();
      List<String> replies = call(requests);
      boolean replicated = isReplicated(replies.getLast(), sent);
      for (String reply : replies.subList(0, requests.size() - 1)) {
        switch (Outcome.of(reply)) {
          case DONE -> {
            take(Long.parseLong(reply.substring(1, reply.length() - 2)));
            acknowledged.incrementAndGet();
            if (!replicated) {
              unreplicated.incrementAndGet();
            }
          }
          case UNKNOWN -> unknown.incrementAndGet();
          case NOT_RUN -> {}
        }
      }
    }

    private void take(long now) {
      if (now <= last && !timeline().mayLoseWrites(0, System.nanoTime())) {
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
