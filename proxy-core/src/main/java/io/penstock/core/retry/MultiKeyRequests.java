package io.penstock.core.retry;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client that name several keys and are on their way. A node that migrates
 * their partition may refuse one of them (TRYAGAIN) and take the next request, for one of the keys;
 * so that one waits for the reply, unless both only read. Confined to the client's loop.
 */
final class MultiKeyRequests {

  /** For keys of whatever partitions. */
  static final int ALL_PARTITIONS = Integer.MIN_VALUE;

  /** To look at more of them would cost more than to wait. */
  private static final int MAX_COMPARED = 64;

  /** Room for so many is kept. */
  private static final int KEPT = 256;

  private final Client client;
  private final RequestReader reader;
  private final Loop loop;
  private Deque<Sent> reads = new ArrayDeque<>(4);
  private Deque<Sent> writes = new ArrayDeque<>(4);
  private int peak; // at a time, since they were empty and small
  private @Nullable RequestKeys wanted; // of the request that is looked at, once that is needed
  private boolean someWait;

  MultiKeyRequests(ClientContext context) {
    this.client = context.client();
    this.reader = context.reader();
    this.loop = context.loop();
  }

  private static final class Sent {
    private final ClientExchange request;
    private @Nullable RequestKeys keys; // once looked at

    Sent(ClientExchange request) {
      this.request = request;
    }

    /** Whether a request for these keys might be taken where this one is refused. */
    boolean meets(RequestKeys later) {
      RequestKeys known = keys;
      if (known == null) {
        known = request.keys();
        keys = known;
      }
      return known.keys().size() != 1 && known.overlaps(later); // one key several times is one key
    }
  }

  /** The request is about to be sent. */
  void add(ClientExchange request) {
    queueOf(request).addLast(new Sent(request));
  }

  /** It was answered, or has failed: those that wait for it are looked at again. */
  void remove(ClientExchange request) {
    Deque<Sent> line = queueOf(request);
    if (line.getFirst().request == request) { // as nearly always
      line.removeFirst();
    } else {
      line.removeIf(sent -> sent.request == request);
    }
    shrinkWhenIdle();
    if (someWait) {
      someWait = false;
      loop.executor().execute(client::processInput);
    }
  }

  /** What many requests took at a time is given back after them. */
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
   * Whether the request must wait.
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
    boolean held =
        overlapsAny(writes, partition, command) || (!reading && overlapsAny(reads, partition, command));
    someWait |= held;
    return held;
  }

  private boolean overlapsAny(Deque<Sent> line, int partition, Command command) {
    int looks = 0;
    for (Sent sent : line) {
      if (partition == ALL_PARTITIONS || sent.request.isForPartition(partition)) {
        RequestKeys later = wanted == null ? RequestKeys.of(command) : wanted;
        wanted = later;
        if (++looks > MAX_COMPARED || sent.meets(later)) {
          return true;
        }
      }
    }
    return false;
  }
}
