package io.penstock.bench.report;

import io.penstock.bench.measure.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes the files of a result into one folder. */
public final class Report {

  private static final String JSON_FILE = "result.json";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private Report() {}

  /** The result in a folder that {@link #write} has written. */
  public static Result read(Path folder) {
    return JSON.readValue(folder.resolve(JSON_FILE), Result.class);
  }

  /**
   * Writes {@code result.json}, {@code README.md}, which a folder's page on the web is made of, and
   * the charts that it shows.
   *
   * @param folder made when it does not exist
   */
  public static void write(Path folder, Result result, Charts.Style style) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(JSON_FILE), JSON.writeValueAsString(result) + "\n");
    Map<String, List<String>> charts = new LinkedHashMap<>();
    for (Map.Entry<String, List<Row>> group : Markdown.groups(result.rows()).entrySet()) {
      charts.put(group.getKey(), Charts.write(folder, group.getKey(), group.getValue(), style));
    }
    Files.writeString(folder.resolve("README.md"), Markdown.page(result, style, charts));
  }
}
