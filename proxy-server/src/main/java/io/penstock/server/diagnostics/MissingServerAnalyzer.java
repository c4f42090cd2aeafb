package io.penstock.server.diagnostics;

import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerBinary.MissingServerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to install for the demo. */
class MissingServerAnalyzer extends AbstractFailureAnalyzer<MissingServerException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, MissingServerException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        "Put redis-server or valkey-server on PATH, or name one with -D"
            + ServerBinary.PROPERTY
            + "; or start without the demo profile and set penstock.transpond.local.resource.",
        cause);
  }
}
