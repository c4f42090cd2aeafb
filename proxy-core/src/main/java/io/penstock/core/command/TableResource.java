package io.penstock.core.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the text resources of this package. A line that begins with {@code #} is a comment. */
final class TableResource {

  private TableResource() {}

  /**
   * Returns a resource's lines without comments and blank lines, with runs of spaces reduced to
   * one.
   */
  static List<String> lines(String name) {
    try (InputStream in = TableResource.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing resource: " + name);
      }
      return lines(new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(BufferedReader reader) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      String stripped = line.strip().replaceAll(" +", " ");
      if (!stripped.isEmpty() && !stripped.startsWith("#")) {
        lines.add(stripped);
      }
    }
    return lines;
  }
}
