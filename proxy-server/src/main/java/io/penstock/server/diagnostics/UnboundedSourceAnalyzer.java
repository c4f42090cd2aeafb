package io.penstock.server.diagnostics;

import io.penstock.server.sources.UnboundedSourceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports which configuration file exceeds which bound. */
class UnboundedSourceAnalyzer extends AbstractFailureAnalyzer<UnboundedSourceException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, UnboundedSourceException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        "Make it smaller. docs/reference/limits.md lists what a configuration file may have.",
        cause);
  }
}
