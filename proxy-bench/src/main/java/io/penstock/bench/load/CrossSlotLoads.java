package io.penstock.bench.load;

import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.testkit.wire.RespClient;
import java.util.ArrayList;
import java.util.List;

/**
 * The same commands with keys in one slot and with keys of two nodes, in front of a cluster of
 * three masters.
 */
public final class CrossSlotLoads {

  private static final int ELEMENTS = 100;
  private static final String ONE = "{a}"; // a slot of the last third
  private static final String OTHER = "{b}"; // one of the first third

  private CrossSlotLoads() {}

  /** Makes the keys. */
  public static void prepare(Target.Address target) {
    try (RespClient client = RespClient.open(target.host(), target.port())) {
      for (String tag : List.of(ONE, OTHER)) {
        List<String> add = new ArrayList<>(List.of("SADD", tag + "set"));
        for (int i = 0; i < ELEMENTS; i++) {
          add.add("member:" + i);
        }
        client.call(add.toArray(String[]::new));
        client.call("SADD", tag + "other", "member:1", "member:50");
        client.call("SET", tag + "value", "x".repeat(ELEMENTS));
      }
    }
  }

  /** Returns the loads; those of a group differ in their slots only. */
  public static List<Load> of(Scale scale) {
    List<Load> loads = new ArrayList<>();
    for (int connections : new int[] {1, 50}) {
      long requests = connections == 1 ? scale.fractionOfRequests(20) : scale.fractionOfRequests(4);
      add(loads, "SINTER", connections, requests, List.of("set"), "other");
      add(loads, "SINTERSTORE", connections, requests, List.of("result", "set"), "other");
      add(loads, "COPY", connections, requests, List.of("value"), "copy");
    }
    return loads;
  }

  private static void add(
      List<Load> loads,
      String command,
      int connections,
      long requests,
      List<String> keys,
      String last) {
    for (String tag : List.of(ONE, OTHER)) {
      List<String> arguments = new ArrayList<>(List.of("-c", "" + connections, command));
      keys.forEach(key -> arguments.add(ONE + key));
      arguments.add(tag + last);
      if (command.equals("COPY")) {
        arguments.add("REPLACE");
      }
      String name = tag.equals(ONE) ? "one slot" : "two nodes";
      loads.add(
          new RedisBenchmark(
              command + " -c " + connections,
              name,
              requests,
              arguments,
              new BenchmarkKeys.One(ONE, List.of())));
    }
  }
}
