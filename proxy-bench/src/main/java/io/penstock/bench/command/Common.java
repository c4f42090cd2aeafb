package io.penstock.bench.command;

import io.penstock.bench.harness.Notes;
import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.Scale;
import io.penstock.bench.measure.Rounds;
import io.penstock.bench.measure.Row;
import io.penstock.bench.report.Charts;
import io.penstock.bench.report.Provenance;
import io.penstock.bench.report.Report;
import io.penstock.bench.report.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options and steps that all commands have. */
@SuppressWarnings("NullAway.Init") // picocli sets them
final class Common {

  private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmm");

  /** TrimNativeHeapInterval of config/jvm.options, and a bit. */
  private static final Duration SETTLING = Duration.ofSeconds(7);

  private static final int MOST_CONNECTIONS = 10_000;

  /** More clients than any load has. */
  private static final int MAX_CLIENTS = 20_000;

  private static final String DISPATCH = "penstock.dispatch";
  private static final String EVENT_LOOPS = "penstock.event-loops";
  private static final String TRANSPORT = "penstock.transport";
  private static final List<String> WAYS = List.of("async", "sync");

  @Option(names = "--smoke", description = "A few requests, only to see whether everything works.")
  boolean smoke;

  @Option(
      names = "--rounds",
      defaultValue = "7",
      description = "Measured rounds (${DEFAULT-VALUE}).")
  int rounds;

  @Option(
      names = "--warm-rounds",
      defaultValue = "2",
      description = "Warm-up rounds before them (${DEFAULT-VALUE}).")
  int warmRounds;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "How long a timed load lasts in each round (${DEFAULT-VALUE}).")
  int seconds;

  @Option(
      names = "--keys",
      defaultValue = "100000",
      description = "Keys that loads spread over (${DEFAULT-VALUE}).")
  int keys;

  @Option(
      names = "--requests",
      defaultValue = "200000",
      description = "Requests of a redis-benchmark run (${DEFAULT-VALUE}).")
  long requests;

  @Option(
      names = "--jar",
      description = "The executable jar; default proxy-server/target/penstock.jar.")
  @Nullable Path jar;

  @Option(
      names = "--jvm-flags",
      description = "Flags for Penstock's JVM; default: those of config/jvm.options.")
  @Nullable String jvmFlags;

  @Option(
      names = "--event-loops",
      defaultValue = "1",
      description = "Event loops of Penstock (${DEFAULT-VALUE}).")
  int eventLoops;

  @Option(
      names = "--transport",
      split = ",",
      paramLabel = "transport[:loops]",
      defaultValue = "auto",
      description =
          "Transports of Penstock that load and suite compare (auto, io_uring, epoll, nio), each with"
              + " its event loops if not --event-loops; other commands take one (${DEFAULT-VALUE}).")
  List<String> transports;

  @Option(
      names = "--property",
      paramLabel = "key=value",
      description = "A setting of Penstock; wins over --event-loops and --transport.")
  List<String> properties = new ArrayList<>();

  @Option(
      names = "--dispatch",
      split = ",",
      description =
          "Dispatch modes that load and suite compare (async,sync); other commands take one.")
  List<String> dispatch = new ArrayList<>();

  @Option(
      names = "--proxy",
      paramLabel = "name=host:port[:pid]",
      converter = ProxyAddress.class,
      description =
          "Another proxy that runs already; with pids its CPU is measured too, and its servers': "
              + Target.Address.FORM
              + ".")
  List<Target.Address> proxies = new ArrayList<>();

  @Option(
      names = "--out",
      description = "Folder to write; default proxy-bench/results/<command>-<time>.")
  @Nullable Path out;

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  final Notes notes = new Notes(System.err);

  Scale scale() {
    return smoke
        ? new Scale(200, Duration.ofMillis(500), 100, 50)
        : new Scale(requests, Duration.ofSeconds(seconds), keys, MOST_CONNECTIONS);
  }

  /** How long the JVM takes to return memory that it does not need. */
  Duration settling() {
    return smoke ? Duration.ZERO : SETTLING;
  }

  Rounds rounds() {
    return smoke ? new Rounds(0, 1, notes) : new Rounds(warmRounds, rounds, notes);
  }

  /**
   * The setup of commands that do not compare dispatch modes and transports.
   *
   * @throws IllegalStateException when there are several to compare
   */
  PenstockSetup setup() {
    if (dispatch.size() > 1) {
      throw new IllegalStateException("this command takes one dispatch mode (--dispatch)");
    }
    if (transports.size() > 1) {
      throw new IllegalStateException("this command takes one transport (--transport)");
    }
    PenstockSetup setup = over(setupOfAll(), transports.getFirst());
    return dispatch.isEmpty() ? setup : setup.with(DISPATCH, dispatch.getFirst());
  }

  /**
   * The setup that instances with different dispatch modes and transports have in common.
   *
   * @throws IllegalStateException if the setup names a dispatch mode or a transport
   */
  PenstockSetup setupOfCompared() {
    PenstockSetup setup = setupOfAll();
    if (setup.has(DISPATCH)) {
      throw new IllegalStateException("name dispatch modes with --dispatch, not with --property");
    }
    if (setup.has(TRANSPORT)) {
      throw new IllegalStateException("name transports with --transport, not with --property");
    }
    return setup;
  }

  private static PenstockSetup over(PenstockSetup setup, String transport) {
    String[] parts = transport.split(":", 2);
    PenstockSetup counted = parts.length == 1 ? setup : setup.with(EVENT_LOOPS, parts[1]);
    return counted.withDefault(TRANSPORT, parts[0]);
  }

  private PenstockSetup setupOfAll() {
    Path executable =
        jar == null ? checkout().resolve("proxy-server/target/penstock.jar") : jar.toAbsolutePath();
    if (!Files.isRegularFile(executable)) {
      throw new IllegalStateException(
          "there is no "
              + executable
              + ": build it (./mvnw -DskipTests package), or name it (--jar)");
    }
    return new PenstockSetup(executable, flags(), properties)
        .withDefault(EVENT_LOOPS, eventLoops)
        .withDefault("penstock.max-clients", MAX_CLIENTS);
  }

  private List<String> flags() {
    String given = jvmFlags;
    if (given != null) {
      return given.isBlank() ? List.of() : List.of(given.strip().split("\\s+"));
    }
    Path file = checkout().resolve("config/jvm.options");
    try (var lines = Files.lines(file)) {
      return lines.filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + "; name flags (--jvm-flags)", e);
    }
  }

  /**
   * Starts one Penstock for each transport and each dispatch mode, named after both. One that does
   * not start leaves a note.
   *
   * @throws IllegalStateException when none starts
   */
  List<Target> penstocks(Rig rig, Servers servers) {
    List<Target> targets = new ArrayList<>();
    for (String transport : transports) {
      PenstockSetup setup = over(setupOfCompared(), transport);
      for (String way : dispatch.isEmpty() ? WAYS : dispatch) {
        String name = "penstock-" + transport + "-" + way;
        rig.penstockIfItStarts(name, servers, setup.with(DISPATCH, way)).ifPresent(targets::add);
      }
    }
    if (targets.isEmpty()) {
      throw new IllegalStateException("no Penstock started; see the reasons above");
    }
    return targets;
  }

  /** Proxies that run already. */
  List<Target> others() {
    return List.copyOf(proxies);
  }

  /**
   * Collects the facts of a result, before anything is measured.
   *
   * @param setup what all Penstocks have
   * @throws IllegalStateException when what is found could not be written
   */
  Map<String, String> facts(PenstockSetup setup) throws IOException {
    requireWritable(out == null ? usualPlace() : out);
    Map<String, String> facts = Provenance.collect(checkout(), setup);
    List<String> typed = spec.root().commandLine().getParseResult().originalArgs();
    facts.put("Command line", "`" + String.join(" ", typed) + "`");
    return facts;
  }

  /** The same, with the size of loads and the number of rounds. */
  Map<String, String> factsOfRounds(PenstockSetup setup) throws IOException {
    Map<String, String> facts = facts(setup);
    Scale scale = scale();
    facts.put(
        "Scale",
        "%d requests of a usual redis-benchmark run, timed loads of %d ms, %d keys"
            .formatted(scale.requests(), scale.seconds().toMillis(), scale.keys()));
    Rounds rounds = rounds();
    facts.put("Rounds", rounds.measured() + " that count after " + rounds.warm() + " that do not");
    return facts;
  }

  void report(String name, Map<String, String> facts, List<Row> rows, Charts.Style style)
      throws IOException {
    if (rows.isEmpty()) {
      throw new IllegalStateException("nothing could be measured; see the reasons above");
    }
    Path folder = out;
    if (folder == null) {
      String time = LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
      folder = usualPlace().resolve(name + "-" + time);
    }
    Report.write(folder, new Result(name, smoke, facts, notes.kept(), rows), style);
    notes.progress("written: " + folder);
  }

  private Path usualPlace() {
    return checkout().resolve(smoke ? "proxy-bench/target" : "proxy-bench/results");
  }

  private static void requireWritable(Path folder) {
    Path there = folder.toAbsolutePath();
    while (!Files.exists(there)) {
      there = Objects.requireNonNull(there.getParent(), "the root is there");
    }
    if (!Files.isDirectory(there) || !Files.isWritable(there)) {
      throw new IllegalStateException("cannot write to " + folder + "; name another (--out)");
    }
  }

  /** {@code name=host:port} with or without a pid. */
  static final class ProxyAddress implements ITypeConverter<Target.Address> {

    @Override
    public Target.Address convert(String value) {
      try {
        return Target.Address.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  /**
   * Returns the checkout that contains the working directory; the directory itself if there is
   * none.
   */
  static Path checkout() {
    Path here = Path.of("").toAbsolutePath();
    for (Path folder = here; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("proxy-bench/pom.xml"))) {
        return folder;
      }
    }
    return here;
  }
}
