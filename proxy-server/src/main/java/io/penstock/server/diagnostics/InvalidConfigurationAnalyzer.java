package io.penstock.server.diagnostics;

import io.penstock.server.config.InvalidConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports key, value, reason and fix of an invalid configuration. */
class InvalidConfigurationAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidConfigurationException cause) {
    return new FailureAnalysis(
        "The configuration is invalid:\n\n" + cause.fault().description(),
        "    Fix:    " + cause.fault().fix(),
        cause);
  }
}
