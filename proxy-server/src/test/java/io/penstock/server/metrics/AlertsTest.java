package io.penstock.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.spec.CommandFlag;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Alerts and dashboard use metrics that Penstock exports. */
class AlertsTest {

  private static final Pattern LEFT_OUT = Pattern.compile("command!~\"([A-Z|]+)\"");
  private static final Pattern PREFIXES = Pattern.compile("prefix=~\"([A-Z|]+)\"");
  private static final Pattern METRIC = Pattern.compile("(penstock_[a-z_]+?)(?:_bucket)?\\b");

  private static String text(String file) throws IOException {
    return Files.readString(Path.of("..").resolve(file));
  }

  @Test
  void slownessCountsNoBlockingCommands() throws IOException {
    Matcher leftOut = LEFT_OUT.matcher(text("config/prometheus/alerts.yml"));
    assertThat(leftOut.find()).isTrue();

    Stream<String> blocking =
        CommandTable.load().commands().stream()
            .filter(spec -> spec.has(CommandFlag.BLOCKING))
            .filter(spec -> !spec.name().contains("|"))
            .map(spec -> spec.name().toUpperCase(Locale.ROOT));

    assertThat(Pattern.compile("\\|").splitAsStream(leftOut.group(1)))
        .containsExactlyInAnyOrderElementsOf(blocking.toList());
  }

  @Test
  void prefixesOfErrorsExist() throws IOException {
    List<String> existing = Arrays.stream(ErrorPrefix.values()).map(ErrorPrefix::label).toList();
    List<String> used =
        PREFIXES
            .matcher(text("config/prometheus/alerts.yml"))
            .results()
            .flatMap(match -> Pattern.compile("\\|").splitAsStream(match.group(1)))
            .toList();

    assertThat(used).contains("OOM", "NOPERM");
    assertThat(existing).containsAll(used);
  }

  /** Needs promtool, on PATH or where the property says; skipped without. */
  @Test
  void outagesRaiseTheirAlerts(@TempDir Path folder) throws IOException, InterruptedException {
    String promtool = System.getProperty("penstock.test.promtool", "promtool");
    Path series = folder.resolve("alerts-test.yml");
    String rules = Path.of("../config/prometheus/alerts.yml").toRealPath().toString();
    try (InputStream file =
        Objects.requireNonNull(getClass().getResourceAsStream("alerts-test.yml"))) {
      Files.writeString(series, new String(file.readAllBytes(), UTF_8).replace("ALERTS", rules));
    }

    assertThat(run(promtool, "check", "rules", rules)).contains("SUCCESS").doesNotContain("FAILED");
    assertThat(run(promtool, "test", "rules", series.toString()))
        .contains("SUCCESS")
        .doesNotContain("FAILED");
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      String reason = "promtool is not on PATH, and penstock.test.promtool does not name it";
      System.out.println("skipped: " + reason);
      return Assumptions.abort(reason);
    }
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return output;
  }

  @ParameterizedTest
  @ValueSource(strings = {"config/prometheus/alerts.yml", "config/grafana/penstock.json"})
  void everyMetricIsExportedUnderItsNewName(String file) throws IOException {
    List<String> exported = Arrays.stream(Metric.values()).map(Metric::exportedName).toList();
    List<String> used =
        METRIC.matcher(text(file)).results().map(match -> match.group(1)).distinct().toList();

    assertThat(used).hasSizeGreaterThan(9);
    assertThat(exported).containsAll(used);
  }
}
