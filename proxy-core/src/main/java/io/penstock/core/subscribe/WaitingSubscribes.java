package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.PendingSubscriptions;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests to subscribe that a client has sent and that are not handled yet, because they or
 * requests before them wait for earlier ones: {@link PendingSubscriptions} knows their channels
 * from the moment they are read. Those behind a request that a node answers are not looked for.
 * Confined to the client's loop.
 */
public final class WaitingSubscribes {

  /** Bytes of waiting requests among which requests to subscribe are looked for. */
  public static final int MOST_BYTES = 16 * 1024;

  /**
   * A request that waits.
   *
   * @param end its end among all bytes that the client has sent
   */
  private record Waiting(long end, Kind kind, long number, List<Name> names) {}

  private final PendingSubscriptions pending;
  private final RequestReader reader;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long examined; // among all bytes that the client has sent
  private int namesOfAll;

  /**
   * @param reader parses the requests
   */
  public WaitingSubscribes(SubscribeLoop loop, RequestReader reader) {
    this.pending = loop.hub().subscriberCounts().pending();
    this.reader = reader;
  }

  /**
   * Looks for requests among bytes that wait; those that are known already are skipped.
   *
   * @param buffer borrowed
   * @param from index of the first request that is not handled
   * @param to index behind the last byte that has arrived
   * @param position of {@code from} among all bytes that the client has sent
   */
  public void read(ByteBuf buffer, int from, int to, long position) {
    int length = Math.min(to - from, MOST_BYTES);
    int known = (int) Math.max(0, examined - position);
    if (known < length) {
      long start = position - from; // of the buffer
      reader.allMatch(
          buffer,
          from + known,
          length - known,
          command -> command.frame().buffer() == buffer && note(command, start));
    }
  }

  /** Returns whether the requests behind this one are looked for too. */
  private boolean note(Command command, long start) {
    LocalCommand which = localCommand(command);
    if (which == null) {
      return false;
    }
    switch (which.area()) {
      case SUBSCRIPTION -> {
        Kind kind = kindOf(which);
        if (kind != null && namesOfAll < PendingSubscriptions.MOST_NAMES) {
          add(kind, command.frame(), start + command.frame().end());
        }
      }
      case CONNECTION -> {}
      case CLIENTS, TRACKING, USERS, SERVER, CLUSTER, TRANSACTION, REPLICATION -> {
        return false;
      }
    }
    examined = start + command.frame().end();
    return true;
  }

  private static @Nullable LocalCommand localCommand(Command command) {
    return command.spec() != null
            && command.spec().handling() instanceof Handling.Local(LocalCommand which)
        ? which
        : null;
  }

  /** Returns what is subscribed to and known to others; null if nothing is. */
  private static @Nullable Kind kindOf(LocalCommand which) {
    return switch (which) {
      case SUBSCRIBE -> Kind.CHANNEL;
      case SSUBSCRIBE -> Kind.SHARD;
      default -> null;
    };
  }

  private void add(Kind kind, RequestFrame frame, long end) {
    var names = new ArrayList<Name>(frame.argc() - 1);
    var request = new Waiting(end, kind, pending.nextRequest(), names);
    waiting.add(request);
    for (int i = 1; i < frame.argc() && namesOfAll < PendingSubscriptions.MOST_NAMES; i++) {
      Name name = Name.copy(frame.buffer(), frame.offset(i), frame.length(i));
      names.add(name);
      namesOfAll++;
      pending.begin(kind, name, request.number());
    }
  }

  /**
   * Requests have been handled.
   *
   * @param position of the first one that was not, among all bytes that the client has sent
   */
  public void onHandled(long position) {
    for (Waiting first = waiting.peek();
        first != null && first.end() <= position;
        first = waiting.peek()) {
      end(waiting.remove());
    }
  }

  private void end(Waiting request) {
    namesOfAll -= request.names().size();
    request.names().forEach(name -> pending.handOver(request.kind(), name, request.number()));
  }

  /** Whether none is known. */
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** They will not be handled here. */
  public void close() {
    onHandled(Long.MAX_VALUE);
  }
}
