package io.penstock.server.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The same for the management port, before Spring Boot's own analyzer speaks of a web server. */
@Order(Ordered.HIGHEST_PRECEDENCE)
class ManagementPortAnalyzer extends AbstractFailureAnalyzer<PortInUseException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, PortInUseException cause) {
    return new FailureAnalysis(
        "Port " + cause.getPort() + " (management.server.port) is in use by another process.",
        "Stop what listens there, or set management.server.port to another port"
            + " (-1 does without health and metrics).",
        cause);
  }
}
