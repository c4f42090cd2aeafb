package io.penstock.core.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code GenerateCommandTable.java} as documented there. */
final class TableTool {

  private static final Path SOURCE = Path.of("src/main/tools/GenerateCommandTable.java");
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private TableTool() {}

  static String run(List<String> sources) {
    List<String> call = new ArrayList<>(List.of(JAVA.toString(), SOURCE.toString()));
    call.addAll(sources);
    try {
      Process process =
          new ProcessBuilder(call).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the lines with commands. */
  static List<String> commandLines(String table) {
    return table.lines().filter(line -> !line.startsWith("#")).toList();
  }
}
