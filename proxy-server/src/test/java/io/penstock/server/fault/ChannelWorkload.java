package io.penstock.server.fault;

import io.penstock.server.fault.ClientConnection.Raw;
import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers published to a channel, and clients that hear them: in order, none twice, and all of them
 * but for what is published while something goes wrong. Then, and only then, a message that was
 * heard from a node may come once more from another that is listened to instead. What had not been
 * heard never comes behind what was published later, unless its publisher was told that nobody
 * knows whether and when it is published, or the node cannot be reached and its channel moves at
 * once: who then listens at a third node hears two that have no order between them. Or it went to a
 * shard channel at a node that had just become a replica: servers take it there, have ended their
 * subscriptions to the channel before, and pass it on to the master.
 */
final class ChannelWorkload {

  private final String channel;
  private final AtomicLong published = new AtomicLong(); // the newest that was acknowledged
  private final Set<Long> unknown = ConcurrentHashMap.newKeySet(); // may be published late

  private final String publish;

  /** Of a channel, which all nodes hear. */
  static ChannelWorkload everywhere(String channel) {
    return new ChannelWorkload(channel, "PUBLISH");
  }

  /** Of a shard channel. */
  static ChannelWorkload inShard(String channel) {
    return new ChannelWorkload(channel, "SPUBLISH");
  }

  private ChannelWorkload(String channel, String publish) {
    this.channel = channel;
    this.publish = publish;
  }

  WorkloadClient publisher(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
    return new Publisher(name, crowd, kind);
  }

  /** Somebody who subscribes with this command. */
  WorkloadClient subscriber(
      String name, FaultWorkload crowd, ClientConnection.Kind kind, String command) {
    return new Subscriber(name, crowd, kind, command);
  }

  private final class Publisher extends WorkloadClient {
    private static final int DEPTH = 3;
    private long number;

    Publisher(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
      super(name, crowd, kind);
    }

    @Override
    void step() {
      List<String[]> requests = requests();
      for (int i = 1; i <= DEPTH; i++) {
        requests.add(new String[] {publish, channel, Long.toString(number + i)});
        unknown.add(number + i); // until the reply comes
      }
      List<String> replies = ask(requests);
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
      tally().add("published", published.get());
    }
  }

  private final class Subscriber extends WorkloadClient {
    private static final int REMEMBERED = 10_000;

    /**
     * Penstock listens where a channel belongs within so long after that has changed, and misses
     * what passes from node to node then.
     */
    private static final long SETTLING_NANOS = 1_000_000_000;

    /** A node that becomes a replica passes on what it has when it has copied its master. */
    private static final long LATE_NANOS = 5_000_000_000L;

    private final String command;
    private final NavigableSet<Long> heard = new TreeSet<>();
    private long last;
    private long lastHeard;
    private boolean subscribed;

    Subscriber(String name, FaultWorkload crowd, ClientConnection.Kind kind, String command) {
      super(name, crowd, kind);
      this.command = command;
    }

    @Override
    void connected(ClientConnection fresh) {
      subscribed = false;
    }

    /** Hears until a ping is answered; well when something was heard that is newer than this. */
    @Override
    void step() {
      long began = System.nanoTime();
      long before = published.get();
      ClientConnection line = line();
      if (line == null) {
        judge("connect", Outcome.REFUSED, began, began);
        return;
      }
      RespClient wire = ((Raw) line).wire();
      try {
        if (!subscribed) {
          wire.send(command, command.equals("PSUBSCRIBE") ? channel + "*" : channel);
          subscribed = hearUntil(wire, command.toLowerCase(Locale.ROOT), began);
        }
        wire.send("PING");
        hearUntil(wire, "pong", began);
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof SocketTimeoutException) {
          throw new AssertionError("a subscriber's PING is not answered", e);
        }
        judge(command, Outcome.CLOSED, began, System.nanoTime());
        disconnect();
      }
      if (last <= before) {
        fail();
      }
    }

    /** Answers whether it did not get an error instead. */
    private boolean hearUntil(RespClient wire, String word, long began) {
      while (true) {
        String push = wire.read();
        String[] lines = push.split("\r\n", -1);
        if (push.charAt(0) == '-') {
          judge(command, push, began, System.nanoTime());
          return false;
        }
        if (push.equals("+PONG\r\n") || lines[2].equals(word)) {
          return true;
        }
        hear(Long.parseLong(lines[lines.length - 2]));
      }
    }

    private void hear(long number) {
      long now = System.nanoTime();
      if (number <= last) {
        hearAgain(number, now);
        return;
      }
      if (last != 0 && number > last + 1) {
        if (!weather().isDisturbed(lastHeard - SETTLING_NANOS, now)) {
          throw new AssertionError("heard " + number + " behind " + last + ", " + weather());
        }
        tally().add("messages missed", number - last - 1);
      }
      tally().add("messages heard");
      last = number;
      lastHeard = now;
      heard.add(number);
      if (heard.size() > REMEMBERED) {
        heard.remove(heard.first());
      }
    }

    private void hearAgain(long number, long now) {
      boolean before = heard.contains(number) || number < heard.first();
      boolean explained =
          before
              ? weather().isDisturbed(lastHeard, now)
              : unknown.contains(number)
                  || weather().isStormy(lastHeard - LATE_NANOS, now)
                  || (publish.equals("SPUBLISH")
                      && weather().isDisturbed(lastHeard - SETTLING_NANOS, now));
      if (!explained) {
        throw new AssertionError(
            "heard " + number + (before ? " again" : "") + " behind " + last + ", " + weather());
      }
      tally().add(before ? "messages heard twice" : "messages heard late");
      heard.add(number);
    }

    @Override
    void verify(ClientConnection fresh) {
      tally().add("subscribers", 1);
    }
  }
}
