package io.penstock.bench.load;

import io.penstock.bench.measure.Load;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The loads of the command {@code suite}. */
public final class BenchmarkSuite {

  private static final int CONNECTIONS = 50;

  /** Value size in bytes that redis-benchmark uses by default. */
  private static final int PLAIN = 3;

  /** Tests of redis-benchmark that use one key for everything, and that key. */
  private static final Map<String, String> ONE_KEY =
      Map.of(
          "lpush", "mylist",
          "rpush", "mylist",
          "lpop", "mylist",
          "rpop", "mylist",
          "sadd", "myset",
          "spop", "myset",
          "hset", "myhash");

  private static final String LIST = "bench:list";
  private static final int LONGEST_RANGE = 600;

  private final Scale scale;
  private final List<Load> loads = new ArrayList<>();

  private BenchmarkSuite(Scale scale) {
    this.scale = scale;
  }

  /** All of them, group by group. */
  static List<Load> of(Scale scale) {
    BenchmarkSuite suite = new BenchmarkSuite(scale);
    suite.single();
    suite.ranges();
    suite.pipelined();
    suite.rest();
    suite.sizes();
    suite.connections();
    suite.mixes();
    return List.copyOf(suite.loads);
  }

  /** Those whose {@code <group> <load>} the expression finds. */
  public static List<Load> matching(Pattern wanted, Scale scale) {
    return of(scale).stream()
        .filter(load -> wanted.matcher(load.group() + " " + load.name()).find())
        .toList();
  }

  /**
   * What targets get before the first load: three quarters pipelined, so that the JVM compiles what
   * a request needs.
   */
  public static List<Load> warmUp(Scale scale, long requests) {
    BenchmarkSuite suite = new BenchmarkSuite(scale);
    for (String test : List.of("set", "get")) {
      Map<String, String> once = Map.of("-t", test, "-c", "" + CONNECTIONS);
      Map<String, String> sixteen = Map.of("-t", test, "-c", "" + CONNECTIONS, "-P", "16");
      suite.test("warm-up", test + " -P 16", Math.max(1, requests * 3 / 8), sixteen);
      suite.test("warm-up", test, Math.max(1, requests / 8), once);
    }
    return List.copyOf(suite.loads);
  }

  private void single() {
    for (String test :
        List.of("set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop")) {
      test("single", test, scale.requests(), Map.of("-t", test, "-c", "" + CONNECTIONS));
    }
  }

  /** The redis-benchmark test of that name would fill a list in each run, through the proxy. */
  private void ranges() {
    List<String> fill =
        List.of("-n", "" + LONGEST_RANGE, "-c", "1", "RPUSH", LIST, "0123456789abcdef");
    for (int last : new int[] {100, 300, 500, LONGEST_RANGE}) {
      List<String> arguments =
          List.of("-c", "" + CONNECTIONS, "LRANGE", LIST, "0", "" + (last - 1));
      String name = "lrange_" + last;
      long requests = scale.fractionOfRequests(last < 300 ? 4 : 10);
      BenchmarkKeys keys = new BenchmarkKeys.One(LIST, fill);
      loads.add(new RedisBenchmark("lrange", name, requests, arguments, keys));
    }
  }

  private void pipelined() {
    for (String test : List.of("set", "get", "incr")) {
      Map<String, String> sixteen = Map.of("-t", test, "-c", "" + CONNECTIONS, "-P", "16");
      test("pipelined", test + " -P 16", scale.requests() * 5, sixteen);
    }
    for (String test : List.of("set", "get")) {
      Map<String, String> thousand = Map.of("-t", test, "-c", "" + scale.atMost(100), "-P", "1000");
      test("pipelined", test + " -P 1000 -c 100", scale.requests() * 5, thousand);
    }
  }

  private void rest() {
    Map<String, String> mset = Map.of("-t", "mset", "-c", "" + CONNECTIONS);
    test("several keys", "mset 10", scale.fractionOfRequests(3), mset);
    for (String test : List.of("set", "get")) {
      Map<String, String> anew = Map.of("-t", test, "-c", "" + CONNECTIONS, "-k", "0");
      test("connection per request", test + " -k 0", scale.fractionOfRequests(10), anew);
    }
  }

  private void sizes() {
    Map<String, Integer> sizes = new LinkedHashMap<>();
    sizes.put("32 B", 32);
    sizes.put("1 KiB", 1 << 10);
    sizes.put("16 KiB", 16 << 10);
    sizes.put("1 MiB", 1 << 20);
    sizes.forEach((label, bytes) -> {
      int divisor = bytes < 16 << 10 ? 1 : bytes < 1 << 20 ? 3 : 100;
      for (String test : List.of("set", "get")) {
        Map<String, String> sized =
            Map.of("-t", test, "-c", "" + CONNECTIONS, "-d", Integer.toString(bytes));
        test("value size", test + " " + label, scale.fractionOfRequests(divisor), sized);
      }
    });
  }

  private void connections() {
    for (int count : new int[] {1, CONNECTIONS, 500, 5_000}) {
      int possible = scale.atMost(count);
      if (possible == count) {
        long requests = count == 1 ? scale.fractionOfRequests(10) : scale.requests();
        test("connections", "get -c " + count, requests, Map.of("-t", "get", "-c", "" + count));
      }
    }
  }

  /** As {@code memtier_benchmark --pipeline=75 --ratio=1:1 -d 100} does it. */
  private void mixes() {
    for (int threads : new int[] {1, 4}) {
      BatchPlan plan = new BatchPlan(threads, scale.atMost(CONNECTIONS), 75, 100, 0.5);
      String name = threads + " × " + plan.connectionsPerThread() + " connections";
      loads.add(new BatchLoad("mix", name, plan, scale));
    }
  }

  private void test(String group, String name, long requests, Map<String, String> options) {
    String test = options.getOrDefault("-t", "");
    int bytes = Integer.parseInt(options.getOrDefault("-d", "" + PLAIN));
    List<String> arguments = new ArrayList<>();
    options.forEach((option, value) -> arguments.addAll(List.of(option, value)));
    @Nullable String only = ONE_KEY.get(test);
    BenchmarkKeys keys;
    if (only == null) {
      keys = new BenchmarkKeys.Many(scale, bytes, test.equals("get"));
    } else {
      arguments.addAll(List.of("-r", "" + scale.keysOf(bytes, 1))); // what is in that key
      keys = new BenchmarkKeys.One(only, List.of());
    }
    loads.add(new RedisBenchmark(group, name, requests, arguments, keys));
  }
}
