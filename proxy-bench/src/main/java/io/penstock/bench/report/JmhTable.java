package io.penstock.bench.report;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A result of JMH as a page: facts, and time and allocation of each benchmark. */
public final class JmhTable {

  private static final String ALLOCATED = "/secondaryMetrics/gc.alloc.rate.norm/score";

  private JmhTable() {}

  /**
   * The page.
   *
   * @param json the file that JMH has just written
   * @param checkout the working copy that was measured
   */
  public static String page(Path json, Path checkout) {
    JsonNode results = JsonMapper.shared().readTree(json);
    JsonNode first = results.path(0);
    Map<String, String> facts = Provenance.hereAndNow(checkout);
    facts.put("JVM", first.at("/vmName").asString() + " " + first.at("/vmVersion").asString());
    facts.put("Flags", "`" + text(first.path("jvmArgs")) + "`");
    facts.put(
        "Run",
        "%s fork, %s × %s warm-up, %s × %s measured"
            .formatted(
                first.at("/forks").asString(),
                first.at("/warmupIterations").asString(),
                first.at("/warmupTime").asString(),
                first.at("/measurementIterations").asString(),
                first.at("/measurementTime").asString()));
    StringBuilder page = new StringBuilder("# JMH: time and allocation per operation\n\n");
    page.append(Markdown.facts(facts));
    page.append("\n| Benchmark | ns/op | ± | B/op |\n|---|---:|---:|---:|\n");
    results.valueStream().map(JmhTable::line).forEach(page::append);
    return page.toString();
  }

  private static String line(JsonNode result) {
    String[] names = result.path("benchmark").asString().split("\\.");
    String name = names[names.length - 2] + "." + names[names.length - 1];
    String parameters =
        result
            .path("params")
            .propertyStream()
            .map(each -> " " + each.getKey() + "=" + each.getValue().asString())
            .collect(Collectors.joining());
    JsonNode allocated = result.at(ALLOCATED);
    return "| %s%s | %s | %s | %s |\n"
        .formatted(
            name,
            parameters,
            number("%.1f", result.at("/primaryMetric/score")),
            number("%.1f", result.at("/primaryMetric/scoreError")),
            number("%.2f", allocated));
  }

  /** JMH writes a number that it does not have as a string. */
  private static String number(String format, JsonNode number) {
    return number.isNumber() ? String.format(Locale.ROOT, format, number.asDouble()) : "";
  }

  private static String text(JsonNode words) {
    return words.valueStream().map(JsonNode::asString).collect(Collectors.joining(" "));
  }
}
