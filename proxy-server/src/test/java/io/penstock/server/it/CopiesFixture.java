package io.penstock.server.it;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.observe.MirrorStats;
import java.util.List;
import java.util.Random;

/** What tests of upstreams with copies share. */
final class CopiesFixture {

  /** Kinds of writes that are copied in their place among the others. */
  static final int ORDERED = 21;

  /** All kinds of writes. */
  static final int ALL = 23;

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
    String n = Integer.toString(random.nextInt(3));
    String value = Integer.toString(random.nextInt(1_000));
    return switch (random.nextInt(kinds)) {
      case 0 -> append(out, "INCR", "count" + n);
      case 1 -> append(out, "APPEND", "string" + n, value);
      case 2 -> append(out, "LPUSH", "list" + n, value);
      case 3 -> append(out, "RPUSH", "list" + n, value);
      case 4 -> append(out, "LPOP", "list" + n);
      case 5 -> append(out, "RPOPLPUSH", "list" + n, "list0");
      case 6 -> append(out, "SADD", "set" + n, value);
      case 7 -> append(out, "SPOP", "set" + n);
      case 8 -> append(out, "XADD", "stream" + n, "*", "f", value);
      case 9 -> append(out, "XADD", "stream" + n, "MAXLEN", "~", "10", "*", "f", value);
      case 10 -> append(out, "HINCRBYFLOAT", "hash" + n, "f", "0.1");
      case 11 -> append(out, "SET", "string" + n, value, "EX", "1000");
      case 12 -> append(out, "MSET", "string0", value, "string1", value, "string2", value);
      case 13 -> append(out, "ZADD", "zset" + n, value, value);
      case 14 -> append(out, "ZPOPMAX", "zset" + n);
      case 15 -> append(out, "EXPIRE", "hash" + n, "1000");
      case 16 -> append(out, "RENAME", "string" + n, "string0");
      case 21 -> append(out, "BLPOP", "list" + n, "0.001");
      case 22 ->
          append(out, "EVAL", "return redis.call('incrby', KEYS[1], ARGV[1])", "1", "count" + n, n);
      case 17 -> append(out, "DEL", "list" + n, "set" + n);
      case 18 ->
          append(out, "MULTI")
              + append(out, "INCR", "count" + n)
              + append(out, "RPUSH", "list0", value)
              + append(out, "SPOP", "set" + n)
              + append(out, "EXEC");
      case 19 -> append(out, random.nextInt(20) == 0 ? "FLUSHDB" : "DBSIZE");
      case 20 -> append(out, "PERSIST", "hash" + n);
      default -> throw new IllegalArgumentException();
    };
  }

  private static int append(StringBuilder out, String... call) {
    out.append('*').append(call.length).append("\r\n");
    for (String argument : call) {
      out.append('$').append(argument.length()).append("\r\n").append(argument).append("\r\n");
    }
    return 1;
  }
}
