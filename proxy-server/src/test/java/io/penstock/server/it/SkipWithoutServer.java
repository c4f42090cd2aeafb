package io.penstock.server.it;

import io.penstock.testkit.cluster.ServerBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips all tests with a message if {@code .ci/newer-servers} could not bring the server that they
 * were to run with: {@code NAME.missing}, where {@value ServerBinary#PROPERTY} is {@code NAME},
 * says why. Registered for all classes in {@code META-INF/services}.
 */
public final class SkipWithoutServer implements ExecutionCondition {

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Path missing = Path.of(System.getProperty(ServerBinary.PROPERTY, "") + ".missing");
    if (!Files.exists(missing)) {
      return ConditionEvaluationResult.enabled("the server is there");
    }
    try {
      String reason = Files.readString(missing).strip();
      if (context.getTestClass().isPresent()) {
        System.out.println("skipped: " + context.getDisplayName() + ": " + reason);
      }
      return ConditionEvaluationResult.disabled(reason);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
