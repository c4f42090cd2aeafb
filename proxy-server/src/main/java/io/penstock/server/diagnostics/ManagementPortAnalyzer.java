package io.penstock.server.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports that the management port is in use. Runs before Spring Boot's own analyzer, which speaks
 * of a web server and does not name the key.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class ManagementPortAnalyzer extends AbstractFailureAnalyzer<PortInUseException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, PortInUseException cause) {
    return new FailureAnalysis(
        "Port " + cause.getPort() + " (management.server.port) is in use by another process.",
        "Stop the other process, or set management.server.port to another port"
            + " (-1 disables health and metrics over HTTP).",
        cause);
  }
}
