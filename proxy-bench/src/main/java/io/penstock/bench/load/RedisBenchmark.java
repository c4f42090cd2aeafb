package io.penstock.bench.load;

import io.netty.buffer.Unpooled;
import io.penstock.bench.harness.Programs;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Sample;
import io.penstock.core.cluster.Slot;
import io.penstock.server.demo.Member;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One {@code redis-benchmark} run: bounded by a count, and killed when it takes too long.
 *
 * @param requests in each run
 * @param arguments what the run is, without address and count
 * @param preparation a run before the first, with its count; empty for none
 * @param key the only key that is used, or null for many: with {@code --cluster} the tool would
 *     spread it over all slots, so that the cluster is asked without, at the key's node
 */
public record RedisBenchmark(
    String group,
    String name,
    long requests,
    List<String> arguments,
    List<String> preparation,
    @Nullable String key)
    implements Load {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /**
   * With {@code --cluster} it notices the end up to a quarter of a second late: runs are longer.
   */
  private static final int CLUSTER_FACTOR = 3;

  public RedisBenchmark {
    arguments = List.copyOf(arguments);
    preparation = List.copyOf(preparation);
  }

  /** The program, of Redis or of Valkey. */
  public static Optional<Path> program() {
    return Programs.find("redis-benchmark", "valkey-benchmark");
  }

  @Override
  public void prepare(Target target) throws IOException, InterruptedException {
    if (!preparation.isEmpty()) {
      execute(target, preparation);
    }
  }

  @Override
  public Sample run(Target target, Meter meter) throws IOException, InterruptedException {
    boolean spread = target instanceof Target.Direct && key == null;
    long count = spread ? CLUSTER_FACTOR * requests : requests;
    List<String> all = new ArrayList<>(List.of("-n", Long.toString(count), "--csv"));
    all.addAll(arguments);
    meter.start();
    String printed = execute(target, all);
    meter.stop(count);
    return BenchmarkCsv.last(printed);
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
      case Target.Address(String _, String host, int port, long _) -> at(host, port);
      case Target.Direct(String _, var cluster) -> {
        if (key != null) {
          Member owner = cluster.masterOf(slot(key));
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
