package io.penstock.server.cli;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutComparison;
import io.penstock.core.layout.LayoutComparison.Flow;
import io.penstock.core.layout.LayoutComparison.Side;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.start.StartConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;

/**
 * {@code compare}: says how many keys of a sample another layout of shards would place elsewhere.
 * Opens no port and contacts no server.
 */
public final class Compare {

  private static final double PERCENT = 100;
  private static final String STANDARD_INPUT = "-";
  private static final String STAYS = "(stays)";

  private final CompareOptions options;
  private final Supplier<SpringApplication> applications;
  private final InputStream in;

  private Compare(
      CompareOptions options, Supplier<SpringApplication> applications, InputStream in) {
    this.options = options;
    this.applications = applications;
    this.in = in;
  }

  /**
   * Prints the comparison.
   *
   * @param applications makes one for each configuration, which has not run yet
   * @param in the keys, if the options say so
   * @return whether it was possible; if not, the log or {@code err} says why
   * @throws UsageException if there is no such upstream, or it has no fixed places for keys
   */
  public static boolean succeeds(
      CompareOptions options,
      Supplier<SpringApplication> applications,
      InputStream in,
      PrintStream out,
      PrintStream err)
      throws UsageException {
    try {
      return new Compare(options, applications, in).print(out);
    } catch (UncheckedIOException e) {
      err.println(
          "Cannot read the keys: "
              + (e.getCause() instanceof NoSuchFileException none
                  ? "there is no file " + none.getFile()
                  : e.getMessage()));
      return false;
    }
  }

  private boolean print(PrintStream out) throws UsageException {
    ProxySettings first = settings(options.options());
    String file = options.toFile();
    ProxySettings second =
        first == null || file == null ? first : settings(inFile(options.options(), file));
    if (first == null || second == null) {
      return false;
    }
    Upstream from = upstream(first, options.from());
    Upstream to = upstream(second, options.to());
    LayoutComparison comparison = compare(side(from), side(to));
    out.printf("From:  %s, %s%n", from.name(), kind(from));
    out.printf("To:    %s%s, %s%n", to.name(), file == null ? "" : " of " + file, kind(to));
    out.printf("Keys:  %d%s%n", comparison.keys(), options.keys() == null ? " (random)" : "");
    out.printf("Moved: %d (%s)%n", comparison.moved(), percent(comparison.share()));
    table(comparison).forEach(out::println);
    return true;
  }

  private @Nullable ProxySettings settings(List<String> arguments) {
    AtomicReference<ProxySettings> read = new AtomicReference<>();
    boolean valid =
        AbandonedStart.succeeds(
            applications.get(),
            arguments,
            context ->
                read.set(context.getBeanFactory().getBean(StartConfiguration.class).settings()));
    return valid ? read.get() : null;
  }

  /** Returns arguments that read this file and no other. */
  private static List<String> inFile(List<String> arguments, String file) {
    List<String> others =
        arguments.stream()
            .filter(argument -> !argument.startsWith("--spring.config."))
            .collect(Collectors.toCollection(ArrayList::new));
    others.add("--spring.config.location=file:" + file);
    return others;
  }

  private static Upstream upstream(ProxySettings settings, String name) throws UsageException {
    List<String> names = settings.upstreams().stream().map(Upstream::name).sorted().toList();
    if (!names.contains(name)) {
      throw new UsageException(
          "There is no upstream of that name; there are " + String.join(", ", names) + ".");
    }
    return settings.upstream(name);
  }

  /** Parts are the same on both sides if they are the same servers, whatever their names are. */
  private static Side side(Upstream upstream) throws UsageException {
    return switch (resp(upstream).kind()) {
      case ShardsUpstreamSettings shards
          when shards.layout().distribution() == Distribution.RANDOM ->
          throw new UsageException(
              "Upstream "
                  + upstream.name()
                  + " has no place for a key: its distribution is random.");
      case SpreadUpstreamSettings _ ->
          throw new UsageException(
              "Upstream "
                  + upstream.name()
                  + " has no place for a key: it selects another upstream for each client.");
      case ShardsUpstreamSettings shards ->
          new Side(shards.layout()::shardOf, descriptions(shards.parts()));
      case DividedUpstreamSettings divided ->
          new Side(divided.division().partitioner()::partitionOf, descriptions(divided.parts()));
      default -> new Side(_ -> 0, List.of(resp(upstream).kind().description()));
    };
  }

  private static Upstream.Resp resp(Upstream upstream) throws UsageException {
    if (upstream instanceof Upstream.Resp resp) {
      return resp;
    }
    throw new UsageException(
        "Upstream " + upstream.name() + " has no place for a key: it is plain TCP.");
  }

  private static List<String> descriptions(List<UpstreamSettings> parts) {
    return parts.stream().map(UpstreamSettings::description).toList();
  }

  private LayoutComparison compare(Side from, Side to) {
    String keys = options.keys();
    if (keys == null) {
      return LayoutComparison.of(from, to, SampleKeys.random(options.count()));
    }
    if (keys.equals(STANDARD_INPUT)) {
      return LayoutComparison.of(from, to, SampleKeys.lines(in));
    }
    try (InputStream file = Files.newInputStream(Path.of(keys))) {
      return LayoutComparison.of(from, to, SampleKeys.lines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String kind(Upstream upstream) throws UsageException {
    UpstreamSettings kind = resp(upstream).kind();
    return kind instanceof NestedUpstreamSettings nested ? nested.summary() : kind.description();
  }

  /** Returns a line for each pair of shards: first those whose keys move. */
  private static List<String> table(LayoutComparison comparison) {
    List<Flow> flows =
        comparison.flows().stream()
            .sorted(Comparator.comparing(flow -> !flow.isMove())) // stable: most keys first
            .toList();
    if (flows.isEmpty()) {
      return List.of();
    }
    int from = width(flows.stream().map(Flow::from).toList(), "From");
    int to = width(flows.stream().map(Compare::target).toList(), "To");
    String row = "%-" + from + "s  %-" + to + "s  %10s  %8s";
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(row.formatted("From", "To", "Keys", "Share"));
    for (Flow flow : flows) {
      double share = (double) flow.keys() / comparison.keys();
      lines.add(row.formatted(flow.from(), target(flow), flow.keys(), percent(share)));
    }
    return lines;
  }

  private static String target(Flow flow) {
    return flow.isMove() ? flow.to() : STAYS;
  }

  private static int width(List<String> texts, String title) {
    return texts.stream().mapToInt(String::length).reduce(title.length(), Math::max);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", PERCENT * share);
  }
}
