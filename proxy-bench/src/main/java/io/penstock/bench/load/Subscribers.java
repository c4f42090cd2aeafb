package io.penstock.bench.load;

import io.penstock.bench.harness.Target;
import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Clients with patterns of their own. One thread. */
public final class Subscribers implements AutoCloseable {

  /** The outcome of a client that got all it asked for. */
  public static final String CONFIRMED = "confirmed";

  private final List<RespClient> clients = new ArrayList<>();

  /**
   * Connects.
   *
   * @param targets which the clients are divided among
   * @param patience for each reply
   */
  public Subscribers(List<Target.Address> targets, int count, Duration patience) {
    try {
      for (int i = 0; i < count; i++) {
        Target.Address target = targets.get(i % targets.size());
        clients.add(RespClient.open(target.host(), target.port(), patience));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Has each client send one PSUBSCRIBE, all at once, and waits for the replies to all.
   *
   * @param patterns of each client
   * @return the number of clients by outcome: {@link #CONFIRMED}, or the error
   */
  public Map<String, Integer> subscribe(int patterns) {
    for (int i = 0; i < clients.size(); i++) {
      String[] request = new String[patterns + 1];
      request[0] = "PSUBSCRIBE";
      for (int j = 0; j < patterns; j++) {
        request[j + 1] = "p%04d%06d*".formatted(i, j);
      }
      clients.get(i).send(request);
    }
    Map<String, Integer> outcomes = new TreeMap<>();
    clients.forEach(client -> outcomes.merge(outcome(client, patterns), 1, Integer::sum));
    return outcomes;
  }

  private static String outcome(RespClient client, int patterns) {
    try {
      for (int i = 0; i < patterns; i++) {
        String reply = client.read();
        if (reply.startsWith("-")) {
          return reply.strip();
        }
      }
      return CONFIRMED;
    } catch (UncheckedIOException e) {
      return String.valueOf(e.getCause());
    }
  }

  @Override
  public void close() {
    clients.forEach(RespClient::close);
  }
}
