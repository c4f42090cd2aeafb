package io.penstock.server.diagnostics;

import io.penstock.core.change.ChangeRejectedException;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Why a configuration cannot be used, on one line: in the words of a start that fails. */
public final class FailureText {

  private static final Logger LOG = LoggerFactory.getLogger(FailureText.class);

  private FailureText() {}

  /**
   * Returns the reason and the fix. Contains no secret.
   *
   * @param beans and {@code environment} of the application, for Spring Boot's analyzers
   */
  public static String of(Throwable failure, BeanFactory beans, Environment environment) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidConfigurationException invalid) {
        return text(invalid.fault());
      }
      if (cause instanceof ChangeRejectedException rejected) {
        return oneLine(String.valueOf(rejected.getMessage()));
      }
    }
    List<FailureAnalyzer> analyzers =
        SpringFactoriesLoader.forDefaultResourceLocation()
            .load(
                FailureAnalyzer.class,
                ArgumentResolver.of(BeanFactory.class, beans).and(Environment.class, environment),
                FailureHandler.handleMessage((message, e) -> LOG.debug("{}", message.get(), e)));
    for (FailureAnalyzer analyzer : analyzers) {
      FailureAnalysis analysis = analyzer.analyze(failure);
      if (analysis != null) {
        return oneLine(analysis.getDescription() + "; " + analysis.getAction());
      }
    }
    // the message may contain a part of a file
    return failure.getClass().getSimpleName() + "; --check with the same arguments has details";
  }

  private static String text(ConfigurationFault fault) {
    String value = fault.value() == null ? "" : " = " + fault.value();
    String origin = fault.origin() == null ? "" : " (" + fault.origin() + ")";
    return oneLine(fault.key() + value + origin + ": " + fault.reason() + "; " + fault.fix());
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\n\\s*", " ");
  }
}
