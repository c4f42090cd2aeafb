package io.penstock.bench.load;

import io.netty.buffer.Unpooled;
import io.penstock.bench.harness.Programs;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Sample;
import io.penstock.core.cluster.Slot;
import io.penstock.core.cluster.SlotMap;
import io.penstock.testkit.cluster.Member;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One {@code redis-benchmark} run: bounded by a count, and killed when it takes too long.
 *
 * <p>Straight to a cluster it has a hash tag in each key, and notices up to a quarter of a second
 * late that it is done: the numbers behind the tags are so few that there are no more keys than
 * elsewhere, and the run is about as long as a timed load. Where one key is used, its node is asked
 * as a server on its own.
 */
public final class RedisBenchmark implements Load {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longest duration of a run, however fast the first one was. */
  private static final Duration LONGEST = PATIENCE.dividedBy(2);

  /** Prefix of the keys that show which hash tags exist. */
  private static final String PROBE = "penstock-bench:{";

  /** Far more than there are masters, so that each master's tag appears. */
  private static final int PROBES = 500;

  private final String group;
  private final String name;
  private final long requests;
  private final List<String> arguments;
  private final BenchmarkKeys keys;
  private final Map<Target, Plan> plans = new HashMap<>();

  /**
   * The requests of each run to a target.
   *
   * @param arguments with the range of random numbers
   */
  private record Plan(long requests, List<String> arguments) {

    List<String> command() {
      List<String> command = new ArrayList<>(List.of("-n", Long.toString(requests), "--csv"));
      command.addAll(arguments);
      return command;
    }
  }

  /**
   * A run.
   *
   * @param requests in each run, but for a longer one straight to a cluster
   * @param arguments what the run is, without address, count and range of keys
   */
  RedisBenchmark(
      String group, String name, long requests, List<String> arguments, BenchmarkKeys keys) {
    this.group = group;
    this.name = name;
    this.requests = requests;
    this.arguments = List.copyOf(arguments);
    this.keys = keys;
  }

  /** The program, of Redis or of Valkey. */
  public static Optional<Path> program() {
    return Programs.find("redis-benchmark", "valkey-benchmark");
  }

  @Override
  public String group() {
    return group;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare(Target target) throws IOException, InterruptedException {
    switch (keys) {
      case BenchmarkKeys.One one -> {
        if (!one.preparation().isEmpty()) {
          execute(target, one.preparation());
        }
        plans.put(target, new Plan(requests, arguments));
      }
      case BenchmarkKeys.Many many -> {
        int tags = tags(target);
        int range = many.scale().keysOf(many.valueBytes(), tags);
        if (many.filled()) {
          execute(target, many.fill(range, tags));
        }
        List<String> all = new ArrayList<>(List.of("-r", Integer.toString(range)));
        all.addAll(arguments);
        Plan plan = new Plan(requests, all);
        boolean direct = target instanceof Target.Direct;
        plans.put(target, direct ? longer(target, plan, many.scale().seconds()) : plan);
      }
    }
  }

  @Override
  public Sample run(Target target, Meter meter) throws IOException, InterruptedException {
    Plan plan = Objects.requireNonNull(plans.get(target), "prepared");
    meter.start();
    String printed = execute(target, plan.command());
    meter.stop(plan.requests());
    return BenchmarkCsv.last(printed);
  }

  /**
   * Returns a plan with as many requests as fit into this time, by the rate of a first run, or the
   * plan itself.
   */
  private Plan longer(Target target, Plan plan, Duration time)
      throws IOException, InterruptedException {
    Sample seen = BenchmarkCsv.last(execute(target, plan.command()));
    double rate = seen.values().getOrDefault(Measure.THROUGHPUT, 0.0);
    long count = Math.round(rate * Math.min(time.toMillis(), LONGEST.toMillis()) / 1_000);
    return new Plan(Math.max(plan.requests(), count), plan.arguments());
  }

  /**
   * How many hash tags its keys have: 1 where they have none, one for each master straight to a
   * cluster, or since Redis 7.4 one for each slot.
   */
  private int tags(Target target) throws IOException, InterruptedException {
    if (!(target instanceof Target.Direct direct)) {
      return 1;
    }
    execute(direct, List.of("-n", Integer.toString(PROBES), "SET", PROBE + "tag}", "x"));
    List<Member> masters = direct.cluster().masters();
    long found = 0;
    for (Member master : masters) {
      String count = "return #redis.call('KEYS', ARGV[1])";
      found += Long.parseLong(master.text("EVAL", count, "0", PROBE + "*"));
    }
    return found <= masters.size() ? masters.size() : SlotMap.SLOTS;
  }

  private String execute(Target target, List<String> what)
      throws IOException, InterruptedException {
    Path program = program().orElseThrow(() -> new LoadFailure("redis-benchmark is not installed"));
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(address(target));
    command.addAll(what);
    Path printed = Files.createTempFile("penstock-bench-", ".csv");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Process process = builder.redirectOutput(printed.toFile()).start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new LoadFailure("redis-benchmark was not done after " + PATIENCE.toSeconds() + " s");
      }
      String output = Files.readString(printed, StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new LoadFailure("redis-benchmark ended with an error: " + output.strip());
      }
      return output;
    } finally {
      process.destroyForcibly();
      Files.delete(printed);
    }
  }

  private List<String> address(Target target) {
    return switch (target) {
      case Target.Address address when address.isUnixSocket() -> List.of("-s", address.host());
      case Target.Address(String _, String host, int port, long _, var _) -> at(host, port);
      case Target.Direct(String _, var cluster) -> {
        if (keys instanceof BenchmarkKeys.One one) {
          Member owner = cluster.masterOf(slot(one.key()));
          yield at(owner.host(), owner.port());
        }
        Member seed = cluster.members().getFirst();
        List<String> address = new ArrayList<>(at(seed.host(), seed.port()));
        address.add("--cluster");
        yield address;
      }
    };
  }

  private static List<String> at(String host, int port) {
    return List.of("-h", host, "-p", Integer.toString(port));
  }

  private static int slot(String key) {
    return Slot.of(Unpooled.copiedBuffer(key, StandardCharsets.UTF_8), 0, key.length());
  }
}
