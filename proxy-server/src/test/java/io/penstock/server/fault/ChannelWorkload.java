package io.penstock.server.fault;

import io.penstock.server.fault.ClientConnection.Raw;
import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Publishes numbers to a channel; subscribers receive them in order, none twice, and all of them
 * except those published while a fault is active.
 *
 * <p>During a fault, a message received from one node may arrive again from the node that the
 * subscription moved to, and once more after it, when the subscription goes back. A message that
 * was not received before never arrives after one published later, with these exceptions:
 *
 * <ul>
 *   <li>The publisher got an error that leaves open whether and when the message is published.
 *   <li>The node cannot be reached and its channel moves at the same time: a subscription at a
 *       third node receives messages of both nodes, which have no order between them.
 *   <li>It went to a shard channel at a node that has just become a replica. A server accepts it
 *       there, after ending its own subscriptions to the channel, and passes it on to the master.
 * </ul>
 */
final class ChannelWorkload {

  private final String channel;
  private final AtomicLong published = new AtomicLong(); // the latest acknowledged number
  private final Set<Long> unknown = ConcurrentHashMap.newKeySet(); // may be published late

  private final String publish;

  /** Returns a workload on a channel, whose messages all nodes receive. */
  static ChannelWorkload clusterWide(String channel) {
    return new ChannelWorkload(channel, "PUBLISH");
  }

  /** Returns a workload on a shard channel. */
  static ChannelWorkload sharded(String channel) {
    return new ChannelWorkload(channel, "SPUBLISH");
  }

  private ChannelWorkload(String channel, String publish) {
    this.channel = channel;
    this.publish = publish;
  }

  WorkloadClient publisher(String name, FaultWorkload workload, ClientConnection.Kind kind) {
    return new Publisher(name, workload, kind);
  }

  /** Returns a client that subscribes with {@code command}. */
  WorkloadClient subscriber(
      String name, FaultWorkload workload, ClientConnection.Kind kind, String command) {
    return new Subscriber(name, workload, kind, command);
  }

  private final class Publisher extends WorkloadClient {
    private static final int DEPTH = 3;
    private long number;

    Publisher(String name, FaultWorkload workload, ClientConnection.Kind kind) {
      super(name, workload, kind);
    }

    @Override
    void step() {
      List<String[]> requests = requests();
      for (int i = 1; i <= DEPTH; i++) {
        requests.add(new String[] {publish, channel, Long.toString(number + i)});
        unknown.add(number + i); // until the reply comes
      }
      List<String> replies = call(requests);
      for (String reply : replies) {
        number++;
        switch (Outcome.of(reply)) {
          case DONE -> {
            unknown.remove(number);
            published.set(number);
          }
          case NOT_RUN -> unknown.remove(number);
          case UNKNOWN -> {}
        }
      }
    }

    @Override
    void verify(ClientConnection fresh) {
      counts().add("published", published.get());
    }
  }

  private final class Subscriber extends WorkloadClient {
    private final String command;
    private final ReceivedMessages received;
    private boolean subscribed;

    Subscriber(String name, FaultWorkload workload, ClientConnection.Kind kind, String command) {
      super(name, workload, kind);
      this.command = command;
      this.received =
          new ReceivedMessages(timeline(), counts(), unknown::contains, publish.equals("SPUBLISH"));
    }

    @Override
    void connected(ClientConnection fresh) {
      subscribed = false;
    }

    /** Reads until a PING is answered. Succeeds if a number published since the start arrived. */
    @Override
    void step() {
      long began = System.nanoTime();
      long before = published.get();
      ClientConnection connection = connection();
      if (connection == null) {
        checkError("connect", Outcome.NO_CONNECTION, began, began);
        return;
      }
      RespClient wire = ((Raw) connection).wire();
      try {
        if (!subscribed) {
          wire.send(command, command.equals("PSUBSCRIBE") ? channel + "*" : channel);
          subscribed = readUntil(wire, command.toLowerCase(Locale.ROOT), began);
        }
        wire.send("PING");
        readUntil(wire, "pong", began);
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof SocketTimeoutException) {
          throw new AssertionError("a subscriber's PING is not answered", e);
        }
        checkError(command, Outcome.CLOSED, began, System.nanoTime());
        disconnect();
      }
      if (received.last() <= before) {
        markFailed();
      }
    }

    /** Reads until a push of type {@code word}. Returns false if an error arrived instead. */
    private boolean readUntil(RespClient wire, String word, long began) {
      while (true) {
        String push = wire.read();
        String[] lines = push.split("\r\n", -1);
        if (push.charAt(0) == '-') {
          checkError(command, push, began, System.nanoTime());
          return false;
        }
        if (push.equals("+PONG\r\n") || lines[2].equals(word)) {
          return true;
        }
        received.add(Long.parseLong(lines[lines.length - 2]), System.nanoTime());
      }
    }

    @Override
    void verify(ClientConnection fresh) {
      counts().add("subscribers", 1);
    }
  }
}
