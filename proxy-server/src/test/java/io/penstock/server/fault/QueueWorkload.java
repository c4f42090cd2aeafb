package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A list that one client pushes to and others pop from, blocking. Each element is for one of them.
 *
 * <p>Lost may be, at most, one element for each pop of which nobody knows how it ended: the one
 * that was on its way. A master that dies takes more along: what its replica had not got is lost,
 * and what it had popped without the replica knowing is popped again.
 */
final class QueueWorkload {

  private static final long ENOUGH = 2_000;
  private static final long REPLICATED_NANOS = 10_000_000_000L;

  private final String key;
  private final AtomicLong unknownPops = new AtomicLong();
  private final BitSet popped = new BitSet(); // guarded by itself
  private final Map<Integer, Long> poppedAt = new HashMap<>(); // fragile pops, guarded by popped
  private final WriteHistory ledger = new WriteHistory();
  private boolean verified;

  QueueWorkload(String key) {
    this.key = key;
  }

  WorkloadClient pusher(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
    return new Pusher(name, crowd, kind);
  }

  WorkloadClient popper(
      String name, FaultWorkload crowd, ClientConnection.Kind kind, String command) {
    return new Popper(name, crowd, kind, command);
  }

  private final class Pusher extends WorkloadClient {
    private static final int DEPTH = 8;
    private long length;

    Pusher(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
      super(name, crowd, kind);
    }

    @Override
    void step() {
      List<String[]> requests = requests();
      int count = length > ENOUGH ? 0 : DEPTH;
      for (int i = 0; i < count; i++) {
        requests.add(new String[] {"RPUSH", key, Integer.toString(ledger.size() + i)});
      }
      requests.add(WAIT);
      requests.add(new String[] {"LLEN", key});
      long sent = System.nanoTime();
      List<String> replies = ask(requests);
      boolean safe = isSafe(replies.get(count), sent);
      for (int i = 0; i < count; i++) {
        ledger.add(Outcome.of(replies.get(i)), safe, sent);
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
    private final String command;

    Popper(String name, FaultWorkload crowd, ClientConnection.Kind kind, String command) {
      super(name, crowd, kind);
      this.command = command;
    }

    @Override
    void step() {
      long sent = System.nanoTime();
      String reply = ask(command, key, "1");
      switch (Outcome.of(reply)) {
        case UNKNOWN -> unknownPops.incrementAndGet();
        case NOT_RUN -> {}
        case DONE -> {
          if (reply.charAt(0) == '*' && reply.charAt(1) == '2') {
            String head = "*2\r\n" + Wire.bulk(key);
            if (!reply.startsWith(head)) {
              throw new AssertionError(command + " was answered " + Wire.shown(reply));
            }
            take(Integer.parseInt(Wire.content(reply.substring(head.length()))), sent);
          }
        }
      }
    }

    private void take(int number, long sent) {
      long now = System.nanoTime();
      synchronized (popped) {
        if (popped.get(number)) {
          Long before = poppedAt.get(number);
          // The first of the two replies may have been on its way for longer than the second.
          if (before == null || !weather().losesWrites(Math.min(before, sent), now)) {
            throw new AssertionError(number + " was popped twice");
          }
          tally().add("popped again after a master's death");
        }
        popped.set(number);
        poppedAt.put(number, sent);
        if (number % 64 == 0) { // what was popped long ago has reached the replica
          poppedAt.values().removeIf(time -> now - time > REPLICATED_NANOS);
        }
      }
      tally().add("popped");
    }

    @Override
    void verify(ClientConnection fresh) {
      // the pusher does
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
    BitSet all;
    synchronized (popped) {
      all = (BitSet) popped.clone();
    }
    for (int number : left) {
      if (all.get(number) && !client.weather().losesWrites(0, System.nanoTime())) {
        throw new AssertionError(number + " was popped and is there");
      }
      all.set(number);
    }
    List<Integer> found = all.stream().boxed().toList();
    long[] missing = {0};
    long now = System.nanoTime();
    ledger.check(
        "queued",
        found,
        client.tally(),
        (time, safe) -> {
          if (!client.weather().losesWrites(time, now)) {
            missing[0]++;
          }
          return true;
        });
    client.tally().add("lost on their way to a client", missing[0]);
    client.tally().add("pops of which nobody knows", unknownPops.get());
    if (missing[0] > unknownPops.get()) {
      throw new AssertionError(
          missing[0] + " elements are lost after " + unknownPops + " unknown pops");
    }
  }
}
