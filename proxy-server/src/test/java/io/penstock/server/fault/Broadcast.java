package io.penstock.server.fault;

import io.penstock.server.fault.Line.Raw;
import io.penstock.server.it.Wire;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers published to a channel, and clients that hear them: in order, none twice, and all of them
 * but for what is published while something goes wrong.
 */
final class Broadcast {

  private final String channel;
  private final AtomicLong published = new AtomicLong(); // the newest that was acknowledged

  Broadcast(String channel) {
    this.channel = channel;
  }

  Client publisher(String name, Crowd crowd, Line.Kind kind) {
    return new Publisher(name, crowd, kind);
  }

  Client subscriber(String name, Crowd crowd, Line.Kind kind, boolean pattern) {
    return new Subscriber(name, crowd, kind, pattern);
  }

  private final class Publisher extends Client {
    private static final int DEPTH = 3;
    private long number;

    Publisher(String name, Crowd crowd, Line.Kind kind) {
      super(name, crowd, kind);
    }

    @Override
    void step() {
      List<String[]> requests = requests();
      for (int i = 1; i <= DEPTH; i++) {
        requests.add(new String[] {"PUBLISH", channel, Long.toString(number + i)});
      }
      List<String> replies = ask(requests);
      for (String reply : replies) {
        number++;
        if (Outcome.of(reply) == Outcome.DONE) {
          published.set(number);
        }
      }
    }

    @Override
    void verify(Line fresh) {
      tally().add("published", published.get());
    }
  }

  private final class Subscriber extends Client {
    private final boolean pattern;
    private long last;
    private long lastHeard;
    private boolean subscribed;

    Subscriber(String name, Crowd crowd, Line.Kind kind, boolean pattern) {
      super(name, crowd, kind);
      this.pattern = pattern;
    }

    @Override
    void connected(Line fresh) {
      subscribed = false;
    }

    /** Hears until a ping is answered; well when something was heard that is newer than this. */
    @Override
    void step() {
      long began = System.nanoTime();
      long before = published.get();
      Line line = line();
      if (line == null) {
        judge("connect", Outcome.REFUSED, began, began);
        return;
      }
      Wire wire = ((Raw) line).wire();
      try {
        if (!subscribed) {
          wire.send(pattern ? "PSUBSCRIBE" : "SUBSCRIBE", pattern ? channel + "*" : channel);
          subscribed = hearUntil(wire, pattern ? "psubscribe" : "subscribe", began);
        }
        wire.send("PING");
        hearUntil(wire, "pong", began);
      } catch (java.io.UncheckedIOException e) {
        if (e.getCause() instanceof java.net.SocketTimeoutException) {
          throw new AssertionError("a subscriber's PING is not answered", e);
        }
        judge("SUBSCRIBE", Outcome.CLOSED, began, System.nanoTime());
        disconnect();
      }
      if (last <= before) {
        fail();
      }
    }

    /** Answers whether it did not get an error instead. */
    private boolean hearUntil(Wire wire, String word, long began) {
      while (true) {
        String push = wire.read();
        String[] lines = push.split("\r\n", -1);
        if (push.charAt(0) == '-') {
          judge("SUBSCRIBE", push, began, System.nanoTime());
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
      if (number <= last && weather().movesChannels(lastHeard, now)) {
        tally().add("messages heard late or twice");
        return;
      }
      if (number <= last) {
        throw new AssertionError("heard " + number + " behind " + last + ", " + weather());
      }
      if (last != 0 && number > last + 1) {
        if (!weather().isDisturbed(lastHeard, now)) {
          throw new AssertionError("heard " + number + " behind " + last + ", " + weather());
        }
        tally().add("messages missed", number - last - 1);
      }
      tally().add("messages heard");
      last = number;
      lastHeard = now;
    }

    @Override
    void verify(Line fresh) {
      tally().add("subscribers", 1);
    }
  }
}
