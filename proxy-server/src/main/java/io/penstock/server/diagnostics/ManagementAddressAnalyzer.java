package io.penstock.server.diagnostics;

import java.net.BindException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.env.Environment;

/** Reports that the management port cannot be opened at its address, if it is not in use. */
class ManagementAddressAnalyzer extends AbstractFailureAnalyzer<WebServerException> {

  private final Environment environment;

  ManagementAddressAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable root, WebServerException cause) {
    BindException refused = findCause(cause, BindException.class);
    return refused == null
        ? null
        : new FailureAnalysis(
            "Port %s (management.server.port) cannot be opened at %s (server.address): %s."
                .formatted(
                    environment.getProperty("server.port"),
                    environment.getProperty("server.address", "all addresses"),
                    refused.getMessage()),
            "Set server.address to an address of this machine, or remove it; management.server.port"
                + " is the port.",
            cause);
  }
}
