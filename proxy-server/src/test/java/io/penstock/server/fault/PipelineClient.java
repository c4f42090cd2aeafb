package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Sends pipelines of requests with known replies: constant values of 1 byte to 1 MB in all shards,
 * echoes, numbers, errors. Each reply must belong to its request.
 */
final class PipelineClient extends WorkloadClient {

  private static final int DEPTH = 30;
  private static final int[] SIZES = {1, 5, 100, 4_000, 70_000, 1_000_000};

  /**
   * Suffix of a string key for LPUSH. A separate key, because a retried read must not overtake a
   * write to the same key (decision 4).
   */
  private static final String WRONG = ":wrong";

  private final List<String> tags;
  private final Random random;
  private long echoes;

  PipelineClient(
      String name,
      FaultWorkload workload,
      ClientConnection.Kind kind,
      List<String> tags,
      long seed) {
    super(name, workload, kind);
    this.tags = List.copyOf(tags);
    this.random = new Random(seed);
  }

  private record Known(String[] request, String reply) {}

  /** Writes the values and waits until a replica has them. */
  static void prepare(ClientConnection connection, List<String> tags) {
    for (String tag : tags) {
      set(connection, tag + WRONG, "no list");
      for (int size : SIZES) {
        set(connection, key(tag, size), value(tag, size));
      }
    }
    connection.exchange(List.<String[]>of(new String[] {"WAIT", "1", "10000"}));
  }

  private static void set(ClientConnection connection, String key, String value) {
    String reply =
        connection.exchange(List.<String[]>of(new String[] {"SET", key, value})).getFirst();
    if (!reply.equals("+OK\r\n")) {
      throw new IllegalStateException("SET was answered " + reply);
    }
  }

  private static String key(String tag, int size) {
    return tag + ":known:" + size;
  }

  private static String value(String tag, int size) {
    char[] value = new char[size];
    Arrays.fill(value, (char) ('a' + tag.hashCode() % 13 + 13));
    value[size - 1] = '!';
    return new String(value);
  }

  @Override
  void step() {
    List<Known> known = new ArrayList<>();
    List<String[]> requests = requests();
    for (int i = 0; i < DEPTH; i++) {
      Known next = next();
      known.add(next);
      requests.add(next.request());
    }
    List<String> replies = call(requests, Set.of("WRONGTYPE"));
    int right = 0;
    for (int i = 0; i < DEPTH; i++) {
      String reply = replies.get(i);
      String expected = known.get(i).reply();
      if (reply.charAt(0) == '-' && expected.charAt(0) != '-') {
        continue; // checked already
      }
      boolean same = expected.charAt(0) == '-' ? reply.charAt(0) == '-' : reply.equals(expected);
      if (!same) {
        throw new AssertionError(
            String.join(" ", known.get(i).request()) + " was answered " + Wire.shown(reply));
      }
      right++;
    }
    counts().add("replies that match", right);
  }

  private Known next() {
    String tag = tags.get(random.nextInt(tags.size()));
    // Large values are rare: some must be cut in the middle, but they must not dominate.
    int size = SIZES[random.nextInt(random.nextInt(10) == 0 ? SIZES.length : 4)];
    String key = key(tag, size);
    String value = value(tag, size);
    return switch (random.nextInt(7)) {
      case 0 -> echo();
      case 1 -> new Known(new String[] {"STRLEN", key}, ":" + size + "\r\n");
      case 2 -> new Known(new String[] {"LPUSH", tag + WRONG, "x"}, "-WRONGTYPE");
      case 3 -> mget();
      case 4 ->
          new Known(
              new String[] {"EXISTS", key, key, tag + ":nobody", tags.getFirst() + ":nobody"},
              ":2\r\n");
      default -> new Known(new String[] {"GET", key}, Wire.bulk(value));
    };
  }

  private Known echo() {
    String text = name() + " " + echoes++;
    return new Known(new String[] {"ECHO", text}, Wire.bulk(text));
  }

  private Known mget() {
    List<String> request = new ArrayList<>(List.of("MGET"));
    var reply = new StringBuilder("*" + tags.size() + "\r\n");
    for (String tag : tags) {
      int size = SIZES[random.nextInt(4)];
      request.add(key(tag, size));
      reply.append(Wire.bulk(value(tag, size)));
    }
    return new Known(request.toArray(String[]::new), reply.toString());
  }

  @Override
  void verify(ClientConnection fresh) {
    for (String tag : tags) {
      for (int size : SIZES) {
        String reply =
            fresh.exchange(List.<String[]>of(new String[] {"GET", key(tag, size)})).getFirst();
        if (!reply.equals(Wire.bulk(value(tag, size)))) {
          throw new AssertionError(key(tag, size) + " is " + Wire.shown(reply));
        }
      }
    }
  }
}
