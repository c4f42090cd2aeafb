package io.penstock.core.retry;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client that name several keys and are in flight. A node that migrates their
 * partition may reject one of them (TRYAGAIN) and run the next request, for one of the keys.
 * Therefore that one waits for the reply, unless both only read. Confined to the client's loop.
 */
final class MultiKeyRequests extends RequestTracker {

  /** For keys of any partitions. */
  static final int ALL_PARTITIONS = Integer.MIN_VALUE;

  /** Comparing with more of them would cost more than waiting. */
  private static final int MAX_COMPARED = 64;

  /** Capacity that is kept when idle. */
  private static final int KEPT = 256;

  private final Client client;
  private final RequestReader reader;
  private final Loop loop;
  private Deque<Sent> reads = new ArrayDeque<>(4);
  private Deque<Sent> writes = new ArrayDeque<>(4);
  private int peak; // of requests at a time, since the queues were empty and small
  private @Nullable RequestKeys wanted; // keys of the request that is checked, once they are needed
  private boolean someWait;

  MultiKeyRequests(ClientContext context) {
    this.client = context.client();
    this.reader = context.reader();
    this.loop = context.loop();
  }

  private static final class Sent {
    private final ClientExchange request;
    private @Nullable RequestKeys keys; // once read

    Sent(ClientExchange request) {
      this.request = request;
    }

    /** Returns whether a node might run a request for these keys and reject this one. */
    boolean mayBeOvertakenBy(RequestKeys later) {
      RequestKeys known = keys;
      if (known == null) {
        known = request.keys();
        keys = known;
      }
      return known.keys().size() != 1
          && known.overlaps(later); // the same key several times is one key
    }
  }

  /** Adds a request that is about to be sent. */
  void add(ClientExchange request) {
    queueOf(request).addLast(new Sent(request));
  }

  /**
   * Removes a request that was answered or has failed; requests that wait for it are checked again.
   */
  @Override
  void onEnd(ClientExchange request) {
    Deque<Sent> queue = queueOf(request);
    if (queue.getFirst().request == request) { // as nearly always
      queue.removeFirst();
    } else {
      queue.removeIf(sent -> sent.request == request);
    }
    shrinkWhenIdle();
    if (someWait) {
      someWait = false;
      loop.executor().execute(client::processInput);
    }
  }

  /** Gives the memory back that many requests at a time needed. */
  private void shrinkWhenIdle() {
    int now = reads.size() + writes.size();
    peak = Math.max(peak, now + 1);
    if (now == 0 && peak > KEPT) {
      reads = new ArrayDeque<>(4);
      writes = new ArrayDeque<>(4);
      peak = 0;
    }
  }

  private Deque<Sent> queueOf(ClientExchange request) {
    return request.isReadOnly() ? reads : writes;
  }

  /**
   * Returns whether the request must wait.
   *
   * @param partition of its keys, or {@link #ALL_PARTITIONS}
   */
  boolean mustWait(int partition, IncomingRequest request) {
    if (reads.isEmpty() && writes.isEmpty()) {
      return false;
    }
    var command = reader.command(request.frame());
    CommandSpec spec = command.resolve();
    boolean reading = spec != null && spec.isReadOnly();
    wanted = null;
    boolean waits =
        overlapsAny(writes, partition, command)
            || (!reading && overlapsAny(reads, partition, command));
    someWait |= waits;
    return waits;
  }

  private boolean overlapsAny(Deque<Sent> queue, int partition, Command command) {
    int compared = 0;
    for (Sent sent : queue) {
      if (partition == ALL_PARTITIONS || sent.request.isForPartition(partition)) {
        RequestKeys later = wanted == null ? RequestKeys.of(command) : wanted;
        wanted = later;
        if (++compared > MAX_COMPARED || sent.mayBeOvertakenBy(later)) {
          return true;
        }
      }
    }
    return false;
  }
}
