package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A list that one client pushes to and others pop from, blocking. Each element is popped once.
 *
 * <p>At most one element may be lost for each pop with an unknown outcome: the element that was in
 * flight. When a master is killed, unreplicated pushes are lost, and elements with unreplicated
 * pops are popped again.
 */
final class QueueWorkload {

  private static final long MAX_LENGTH = 2_000;

  private final String key;
  private final AtomicLong unknownPops = new AtomicLong();
  private final PoppedElements popped;
  private final WriteHistory history = new WriteHistory();
  private boolean verified;

  QueueWorkload(String key, FaultTimeline timeline, EventCounts counts) {
    this.key = key;
    this.popped = new PoppedElements(timeline, counts);
  }

  WorkloadClient pusher(String name, FaultWorkload workload, ClientConnection.Kind kind) {
    return new Pusher(name, workload, kind);
  }

  /**
   * @param command its name, and keys that do not exist
   */
  WorkloadClient popper(
      String name, FaultWorkload workload, ClientConnection.Kind kind, String... command) {
    return new Popper(name, workload, kind, command);
  }

  private final class Pusher extends WorkloadClient {
    private static final int DEPTH = 8;
    private long length;

    Pusher(String name, FaultWorkload workload, ClientConnection.Kind kind) {
      super(name, workload, kind);
    }

    @Override
    void step() {
      List<String[]> requests = requests();
      int count = length > MAX_LENGTH ? 0 : DEPTH;
      for (int i = 0; i < count; i++) {
        requests.add(new String[] {"RPUSH", key, Integer.toString(history.size() + i)});
      }
      requests.add(waitForReplica());
      requests.add(new String[] {"LLEN", key});
      long sent = System.nanoTime();
      List<String> replies = call(requests);
      boolean replicated = isReplicated(replies.get(count), sent);
      for (int i = 0; i < count; i++) {
        history.add(Outcome.of(replies.get(i)), replicated, sent);
      }
      String now = replies.getLast();
      if (now.charAt(0) == ':') {
        length = Long.parseLong(now.substring(1, now.length() - 2));
      }
    }

    @Override
    void verify(ClientConnection fresh) {
      QueueWorkload.this.verify(this, fresh);
    }
  }

  private final class Popper extends WorkloadClient {
    private final String[] request;

    Popper(String name, FaultWorkload workload, ClientConnection.Kind kind, String... command) {
      super(name, workload, kind);
      this.request = Arrays.copyOf(command, command.length + 2);
      request[command.length] = key;
      request[command.length + 1] = "1"; // seconds
    }

    @Override
    void step() {
      long sent = System.nanoTime();
      String reply = call(request);
      switch (Outcome.of(reply)) {
        case UNKNOWN -> unknownPops.incrementAndGet();
        case NOT_RUN -> {}
        case DONE -> {
          if (reply.charAt(0) == '*' && reply.charAt(1) == '2') {
            String head = "*2\r\n" + Wire.bulk(key);
            if (!reply.startsWith(head)) {
              throw new AssertionError(request[0] + " was answered " + Wire.shown(reply));
            }
            int number = Integer.parseInt(Wire.content(reply.substring(head.length())));
            popped.add(number, sent, System.nanoTime());
            counts().add("popped");
          }
        }
      }
    }

    @Override
    void verify(ClientConnection fresh) {
      // done by the pusher
    }
  }

  private void verify(WorkloadClient client, ClientConnection fresh) {
    if (verified) {
      return;
    }
    verified = true;
    List<Integer> left =
        AppendedLists.numbers(
            fresh.exchange(List.<String[]>of(new String[] {"LRANGE", key, "0", "-1"})).getFirst());
    BitSet all = popped.all();
    for (int number : left) {
      if (all.get(number) && !client.timeline().mayLoseWrites(0, System.nanoTime())) {
        throw new AssertionError(number + " was popped and is still in the list");
      }
      all.set(number);
    }
    List<Integer> found = all.stream().boxed().toList();
    long[] missing = {0};
    long now = System.nanoTime();
    history.check(
        "queued",
        found,
        client.counts(),
        (time, replicated) -> {
          if (!client.timeline().mayLoseWrites(time, now)) {
            missing[0]++;
          }
          return true;
        });
    client.counts().add("lost on the way to a client", missing[0]);
    client.counts().add("pops with an unknown outcome", unknownPops.get());
    if (missing[0] > unknownPops.get()) {
      throw new AssertionError(
          missing[0] + " elements are lost after " + unknownPops + " unknown pops");
    }
  }
}
