package io.penstock.server.diagnostics;

import io.penstock.server.lifecycle.ListenException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports which port could not be opened, and which key sets it. */
class ListenFailureAnalyzer extends AbstractFailureAnalyzer<ListenException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, ListenException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        switch (cause.reason()) {
          case IN_USE ->
              "Stop the other process, or set "
                  + cause.portKey()
                  + " to another port"
                  + " (0 picks a free one).";
          case NO_SUCH_ADDRESS ->
              "Set " + cause.bindKey() + " to an address of this machine; 0.0.0.0 means all.";
          case NOT_ALLOWED ->
              "Set "
                  + cause.portKey()
                  + " to a port above 1023, or permit this process to open lower ones (on Linux:"
                  + " CAP_NET_BIND_SERVICE).";
          case OTHER -> "Check " + cause.bindKey() + " and " + cause.portKey() + ".";
        },
        cause);
  }
}
