package io.penstock.server.fault;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes many keys of its own and asks the servers, directly behind each reply, which of them have
 * the write: as many as the policy says, and none if it did not run.
 */
final class PlacedWritesClient extends WorkloadClient {

  private static final int DEPTH = 8;
  private static final int KEYS = 304;

  /** A server that does not answer in this time is not asked any more for this write. */
  private static final Duration SILENCE = Duration.ofMillis(100);

  /** Time for a copy to catch up after a fault. */
  private static final long CATCH_UP_NANOS = 1_000_000_000;

  private final CopiesTestbed testbed;
  private final CopiesServers servers;
  private final @Nullable RespClient[] direct = new @Nullable RespClient[CopiesServers.COPIES + 1];
  private final int[] generations = new int[KEYS]; // a key of which too little is known is left
  private int number;

  PlacedWritesClient(
      String name, FaultWorkload workload, ClientConnection.Kind kind, CopiesTestbed testbed) {
    super(name, workload, kind);
    this.testbed = testbed;
    this.servers = testbed.servers();
  }

  /**
   * What is known of the servers during one pipeline.
   *
   * @param absences of each server before it
   * @param sent when it was sent
   * @param answered when all replies were here
   */
  private record Span(long[] absences, long sent, long answered) {}

  @Override
  void step() {
    long[] absences = new long[CopiesServers.COPIES + 1];
    for (int i = 0; i < absences.length; i++) {
      absences[i] = servers.absence(i);
    }
    int first = number;
    List<String[]> requests = requests();
    for (int i = 0; i < DEPTH; i++) {
      requests.add(new String[] {"SET", key(first + i), Integer.toString(first + i)});
    }
    number += DEPTH;
    long sent = System.nanoTime();
    List<String> replies = call(requests);
    check(requests, replies, new Span(absences, sent, System.nanoTime()));
    for (int i = 0; i < DEPTH; i++) {
      if (Outcome.of(replies.get(i)) == Outcome.UNKNOWN) {
        generations[(first + i) % KEYS]++;
      }
    }
  }

  private String key(int value) {
    return name() + ":" + value % KEYS + ":" + generations[value % KEYS];
  }

  private void check(List<String[]> requests, List<String> replies, Span span) {
    List<@Nullable List<String>> found = new ArrayList<>();
    String[] keys = requests.stream().map(request -> request[1]).toArray(String[]::new);
    for (int i = 0; i <= CopiesServers.COPIES; i++) {
      found.add(servers.isAbsentSince(i, servers.absence(i)) ? null : read(i, keys));
    }
    for (int i = 0; i < requests.size(); i++) {
      String value = requests.get(i)[2];
      var places = new Places(i, value, found, span);
      String reply = replies.get(i);
      if (Outcome.of(reply) == Outcome.DONE) {
        places.checkAcknowledged();
      } else if (reply.startsWith("-NOCOPIES")) {
        places.checkPrimary();
      } else if (Outcome.of(reply) == Outcome.NOT_RUN) {
        places.checkNowhere(reply);
      }
    }
  }

  /** Returns the values at a server; null if it does not answer. */
  private @Nullable List<String> read(int server, String[] keys) {
    try {
      RespClient open = direct[server];
      if (open == null) {
        ServerProcess its = servers.all().get(server);
        open = RespClient.open(its.host(), its.port(), SILENCE);
        direct[server] = open;
      }
      String[] request = new String[keys.length + 1];
      request[0] = "MGET";
      System.arraycopy(keys, 0, request, 1, keys.length);
      if (!(open.value(request) instanceof List<?> values)) {
        throw new AssertionError("MGET was not answered with a list");
      }
      return values.stream().map(PlacedWritesClient::text).toList();
    } catch (UncheckedIOException e) {
      counts().add("not asked where a write is");
      closeDirect(server);
      return null;
    } catch (RespClient.ErrorReply e) {
      return null; // it is loading
    }
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : new String((byte[]) value, StandardCharsets.US_ASCII);
  }

  private void closeDirect(int server) {
    RespClient open = direct[server];
    direct[server] = null;
    if (open != null) {
      open.close();
    }
  }

  /** Where one write is. */
  private final class Places {

    private final int index; // in the pipeline
    private final String value;
    private final List<@Nullable List<String>> found;
    private final Span span;

    Places(int index, String value, List<@Nullable List<String>> found, Span span) {
      this.index = index;
      this.value = value;
      this.found = found;
      this.span = span;
    }

    /** Returns whether a server has the write, as far as is known. */
    private boolean mayHaveIt(int server) {
      if (servers.isAbsentSince(server, span.absences[server])) {
        return false;
      }
      List<String> values = found.get(server);
      return values == null || values.get(index).equals(value);
    }

    void checkAcknowledged() {
      int have = 0;
      for (int i = 0; i <= CopiesServers.COPIES; i++) {
        have += mayHaveIt(i) ? 1 : 0;
      }
      checkPrimary();
      if (have < needed()) {
        fail("was acknowledged and is at " + have);
      }
      counts().add("acknowledged where the policy says");
    }

    private int needed() {
      return switch (testbed.policy()) {
        case PRIMARY -> 1;
        case ALL -> 1 + CopiesServers.COPIES;
        case SAFE_QUORUM -> 2;
        case QUORUM -> mayHaveAQuorum() ? 2 : 1;
      };
    }

    /** One copy was well all the time. */
    private boolean mayHaveAQuorum() {
      boolean inTime = span.answered - span.sent < testbed.commandTimeout().toNanos();
      return inTime
          && (servers.isSettled(1, CATCH_UP_NANOS) || servers.isSettled(2, CATCH_UP_NANOS));
    }

    void checkPrimary() {
      if (!mayHaveIt(0)) {
        fail("has run and is not at the primary");
      }
    }

    void checkNowhere(String reply) {
      for (List<String> values : found) {
        if (values != null && values.get(index).equals(value)) {
          fail("was answered " + reply.strip() + " and has run");
        }
      }
      counts().add("nowhere, and not run");
    }

    private void fail(String what) {
      String places = found.stream().map(each -> String.valueOf(at(each))).toList().toString();
      throw new AssertionError(
          "a write of %s %s; the servers have %s; recent faults: %s"
              .formatted(value, what, places, timeline()));
    }

    private @Nullable String at(@Nullable List<String> values) {
      return values == null ? null : values.get(index);
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    for (int i = 0; i < Math.min(number, KEYS); i++) {
      String value = Objects.requireNonNull(get(fresh, key(i)));
      if (!value.isEmpty() && Integer.parseInt(value) % KEYS != i) {
        throw new AssertionError(key(i) + " is " + value);
      }
    }
    for (int i = 0; i < direct.length; i++) {
      closeDirect(i);
    }
  }

  private static String get(ClientConnection connection, String key) {
    String reply = connection.exchange(List.<String[]>of(new String[] {"GET", key})).getFirst();
    return reply.startsWith("$-1") || reply.startsWith("_") ? "" : Wire.content(reply);
  }
}
