package io.penstock.bench.report;

import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A result as a page: facts, notes, and for each group its charts and a table. */
final class Markdown {

  private static final String ABSENT = "–";

  /** Measures that are also shown as ratios: to the first target, or the first step of a line. */
  private static final List<Measure> COMPARED = List.of(Measure.THROUGHPUT, Measure.CPU);

  private Markdown() {}

  /**
   * The page.
   *
   * @param charts file names of each group's charts
   */
  static String page(Result result, Charts.Style style, Map<String, List<String>> charts) {
    StringBuilder page = new StringBuilder("# " + result.name() + "\n\n");
    if (result.smoke()) {
      page.append("**A smoke run, too short to be warm. Its figures mean nothing.**\n\n");
    }
    page.append(facts(result.facts()));
    page.append("\nEach figure is a median; throughput has the smallest and largest beside it.\n");
    if (!result.notes().isEmpty()) {
      page.append("\nLeft out:\n\n");
      result.notes().forEach(note -> page.append("- ").append(note).append('\n'));
    }
    groups(result.rows())
        .forEach((group, rows) -> {
          page.append("\n## ").append(group).append("\n\n");
          for (String chart : charts.getOrDefault(group, List.of())) {
            page.append("![" + chart + "](" + chart + ")\n");
          }
          page.append(charts.getOrDefault(group, List.of()).isEmpty() ? "" : "\n");
          page.append(table(rows, style));
        });
    return page.toString();
  }

  /** A line for each. */
  static String facts(Map<String, String> facts) {
    StringBuilder table = new StringBuilder("| | |\n|---|---|\n");
    facts.forEach(
        (fact, value) -> table.append("| " + fact + " | " + value.replace("|", "\\|") + " |\n"));
    return table.toString();
  }

  static Map<String, List<Row>> groups(List<Row> rows) {
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    for (Row row : rows) {
      groups.computeIfAbsent(row.group(), _ -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  /** One line for each row, and a column for each measure that any row has. */
  static String table(List<Row> rows, Charts.Style style) {
    TreeSet<Measure> measures = new TreeSet<>();
    rows.forEach(row -> measures.addAll(row.measures().keySet()));
    StringBuilder table = new StringBuilder("| Load | Target |");
    StringBuilder rule = new StringBuilder("|---|---|");
    for (Measure measure : measures) {
      boolean ratio = COMPARED.contains(measure);
      table.append(" ").append(measure.title()).append(ratio ? " | × first |" : " |");
      rule.append(ratio ? "---:|---:|" : "---:|");
    }
    table.append('\n').append(rule).append('\n');
    Map<String, Row> firsts = new LinkedHashMap<>();
    for (Row row : rows) {
      String compared = style == Charts.Style.LINES ? row.target() : row.load();
      Row first = firsts.computeIfAbsent(compared, _ -> row);
      table.append("| " + row.load() + " | " + row.target() + " |");
      measures.forEach(measure -> table.append(cells(measure, row, first)));
      table.append('\n');
    }
    return table.toString();
  }

  private static String cells(Measure measure, Row row, Row first) {
    @Nullable Summary own = row.measures().get(measure);
    StringBuilder cells = new StringBuilder(" ").append(own == null ? ABSENT : shown(measure, own));
    if (COMPARED.contains(measure)) {
      @Nullable Summary base = first.measures().get(measure);
      cells.append(" | ");
      if (own == null || base == null || base.median() == 0) {
        cells.append(ABSENT);
      } else {
        cells.append("%.2f".formatted(own.median() / base.median()));
      }
    }
    return cells.append(" |").toString();
  }

  private static String shown(Measure measure, Summary summary) {
    String median = measure.show(summary.median());
    if (measure != Measure.THROUGHPUT || summary.rounds() == 1) {
      return median;
    }
    return median + " (" + measure.show(summary.min()) + "–" + measure.show(summary.max()) + ")";
  }
}
