package io.penstock.server.diagnostics;

import io.penstock.server.mapping.MissingResourceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the lines to write when no resource is configured. */
class MissingResourceAnalyzer extends AbstractFailureAnalyzer<MissingResourceException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, MissingResourceException cause) {
    return new FailureAnalysis(
        "Penstock does not know what to proxy to: no resource is configured.",
        """
        Write these lines to application.yml in the working directory, with the address of your \
        cluster, or a URL such as redis-sentinel://127.0.0.1:26379/mymaster or redis://127.0.0.1:6379:

            penstock:
              transpond:
                local:
                  resource: redis-cluster://127.0.0.1:7000,127.0.0.1:7001

        or pass --penstock.transpond.local.resource=... as an argument. Several listeners need \
        penstock.upstreams: docs/how-to/serve-several-upstreams.md. To try Penstock without a \
        cluster of your own, start it with --spring.profiles.active=demo.\
        """,
        cause);
  }
}
