package io.penstock.server.diagnostics;

import io.penstock.server.sources.InvalidYamlException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * Reports which configuration file is not valid YAML, and where. The line is not shown: it may
 * contain a password.
 */
class InvalidYamlAnalyzer extends AbstractFailureAnalyzer<InvalidYamlException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidYamlException cause) {
    return new FailureAnalysis(
        cause.file() + " is not valid YAML" + reason(cause.error()),
        "Correct the file. Keys of one level start in the same column, tabs are not allowed, and a"
            + " value with special characters needs quotes.",
        cause);
  }

  private static String reason(YAMLException error) {
    return switch (error) {
      case MarkedYAMLException marked -> {
        String context = marked.getContext();
        yield " at %s: %s%s"
            .formatted(
                place(marked.getProblemMark()),
                String.valueOf(marked.getProblem()).strip(),
                context == null
                    ? ""
                    : "\n(" + context.strip() + " at " + place(marked.getContextMark()) + ")");
      }
      case ReaderException character ->
          ": character U+%04X at position %d is not allowed"
              .formatted(character.getCodePoint(), character.getPosition() + 1);
      default -> "";
    };
  }

  private static String place(@Nullable Mark mark) {
    return mark == null
        ? "an unknown place"
        : "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
  }
}
