package io.penstock.bench.report;

import io.penstock.bench.measure.Row;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of one run of a command.
 *
 * @param name of the command
 * @param smoke whether it was too short to mean anything
 * @param facts where the figures come from, in the order in which they are shown
 * @param notes what was left out, and why
 */
public record Result(
    String name, boolean smoke, Map<String, String> facts, List<String> notes, List<Row> rows) {

  public Result {
    facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    notes = List.copyOf(notes);
    rows = List.copyOf(rows);
  }
}
