package io.penstock.server.diagnostics;

import io.penstock.server.diagnostics.OpenedFiles.InFile;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reports which configuration file is not valid YAML, and where. The line is not shown: it may
 * contain a password.
 */
class InvalidYamlAnalyzer extends AbstractFailureAnalyzer<MarkedYAMLException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, MarkedYAMLException cause) {
    String context = cause.getContext();
    return new FailureAnalysis(
        "%s is not valid YAML at %s: %s%s"
            .formatted(
                file(cause),
                place(cause.getProblemMark()),
                String.valueOf(cause.getProblem()).strip(),
                context == null
                    ? ""
                    : "\n(" + context.strip() + " at " + place(cause.getContextMark()) + ")"),
        "Correct the file. Keys of one level start in the same column, tabs are not allowed, and a"
            + " value with special characters needs quotes.",
        cause);
  }

  private static String file(MarkedYAMLException cause) {
    for (Throwable added : cause.getSuppressed()) {
      if (added instanceof InFile file) {
        return String.valueOf(file.getMessage());
      }
    }
    return "A configuration file";
  }

  private static String place(@Nullable Mark mark) {
    return mark == null
        ? "an unknown place"
        : "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
  }
}
