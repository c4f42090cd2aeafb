package io.penstock.server.it;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.observe.MirrorStats;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** What tests of upstreams with copies share. */
public final class CopiesFixture {

  /** Kinds of writes that are copied in their place among the others. */
  public static final int ORDERED = 21;

  /** All kinds of writes. */
  public static final int ALL = 23;

  private CopiesFixture() {}

  static ProxySettings.Mirror mirror(String of, List<String> copies, MirrorSettings how) {
    return new ProxySettings.Mirror(of, of, copies, how);
  }

  static MirrorStats stats(ChangingProxy proxy, String upstream) {
    return ((RespUpstream) proxy.upstream(upstream)).mirrorStats();
  }

  /**
   * Appends a random write, or several, to keys that others write too.
   *
   * @param kinds up to {@link #ORDERED} or {@link #ALL}
   * @return how many replies come
   */
  static int append(StringBuilder out, Random random, int kinds) {
    List<String[]> requests = next(random, kinds);
    requests.forEach(request -> out.append(Wire.request(request)));
    return requests.size();
  }

  /**
   * Returns a random write, or several, to keys that others write too.
   *
   * @param kinds up to {@link #ORDERED} or {@link #ALL}
   */
  public static List<String[]> next(Random random, int kinds) {
    String n = Integer.toString(random.nextInt(3));
    String value = Integer.toString(random.nextInt(1_000));
    return switch (random.nextInt(kinds)) {
      case 0 -> call("INCR", "count" + n);
      case 1 -> call("APPEND", "string" + n, value);
      case 2 -> call("LPUSH", "list" + n, value);
      case 3 -> call("RPUSH", "list" + n, value);
      case 4 -> call("LPOP", "list" + n);
      case 5 -> call("RPOPLPUSH", "list" + n, "list0");
      case 6 -> call("SADD", "set" + n, value);
      case 7 -> call("SPOP", "set" + n);
      case 8 -> call("XADD", "stream" + n, "*", "f", value);
      case 9 -> call("XADD", "stream" + n, "MAXLEN", "~", "10", "*", "f", value);
      case 10 -> call("HINCRBYFLOAT", "hash" + n, "f", "0.1");
      case 11 -> call("SET", "string" + n, value, "EX", "1000");
      case 12 -> call("MSET", "string0", value, "string1", value, "string2", value);
      case 13 -> call("ZADD", "zset" + n, value, value);
      case 14 -> call("ZPOPMAX", "zset" + n);
      case 15 -> call("EXPIRE", "hash" + n, "1000");
      case 16 -> call("RENAME", "string" + n, "string0");
      case 21 -> call("BLPOP", "list" + n, "0.001");
      case 22 -> call("EVAL", "return redis.call('incrby', KEYS[1], ARGV[1])", "1", "count" + n, n);
      case 17 -> call("DEL", "list" + n, "set" + n);
      case 18 ->
          List.of(
              new String[] {"MULTI"},
              new String[] {"INCR", "count" + n},
              new String[] {"RPUSH", "list0", value},
              new String[] {"SPOP", "set" + n},
              new String[] {"EXEC"});
      case 19 -> call(random.nextInt(20) == 0 ? "FLUSHDB" : "DBSIZE");
      case 20 -> call("PERSIST", "hash" + n);
      default -> throw new IllegalArgumentException();
    };
  }

  /** Returns each key with a digest of its value and its deadline, sorted. */
  public static List<String> contents(ServerProcess... servers) {
    List<String> lines = new ArrayList<>();
    for (ServerProcess server : servers) {
      addContents(server, lines);
    }
    lines.sort(null);
    return lines;
  }

  private static void addContents(ServerProcess server, List<String> lines) {
    try (RespClient client = server.connect()) {
      List<String> names =
          ((List<?>) Objects.requireNonNull(client.value("KEYS", "*")))
              .stream().map(key -> new String((byte[]) key, StandardCharsets.ISO_8859_1)).toList();
      for (String name : names) {
        client.write(Wire.request("DEBUG", "DIGEST-VALUE", name));
        client.write(Wire.request("PEXPIRETIME", name));
      }
      client.flush();
      for (String name : names) {
        lines.add(name + " " + client.read().strip() + " " + client.read().strip());
      }
    }
  }

  private static List<String[]> call(String... arguments) {
    return List.<String[]>of(arguments);
  }
}
