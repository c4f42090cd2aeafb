package io.penstock.server.diagnostics;

import io.penstock.server.config.InvalidConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Key, value, reason and fix of a configuration that cannot be used. */
class InvalidConfigurationAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidConfigurationException cause) {
    return new FailureAnalysis(
        "Penstock cannot use its configuration:\n\n" + cause.fault().description(),
        "    Fix:    " + cause.fault().fix(),
        cause);
  }
}
