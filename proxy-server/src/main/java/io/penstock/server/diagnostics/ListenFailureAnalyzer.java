package io.penstock.server.diagnostics;

import io.penstock.server.lifecycle.ListenException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports which port or Unix socket could not be opened, and which key sets it. */
class ListenFailureAnalyzer extends AbstractFailureAnalyzer<ListenException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, ListenException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        cause.isUnixSocket() ? ofUnixSocket(cause) : ofPort(cause),
        cause);
  }

  private static String ofPort(ListenException cause) {
    String portKey = cause.key("port");
    return switch (cause.reason()) {
      case IN_USE ->
          "Stop the other process, or set "
              + portKey
              + " to another port"
              + " (0 picks a free one).";
      case NO_SUCH_ADDRESS ->
          "Set "
              + cause.key("bind")
              + " to an address of this machine; 0.0.0.0 means all, IPv6 too.";
      case NOT_ALLOWED ->
          "Set "
              + portKey
              + " to a port above 1023, or permit this process to open lower ones (on Linux:"
              + " CAP_NET_BIND_SERVICE).";
      case OTHER_FILE, NO_FOLDER, OWNER, OTHER ->
          "Check " + cause.key("bind") + " and " + portKey + ".";
    };
  }

  private static String ofUnixSocket(ListenException cause) {
    String other = "or set " + cause.key("path") + " to another path.";
    return switch (cause.reason()) {
      case IN_USE -> "Stop the other process, " + other;
      case OTHER_FILE -> "Remove what is there, " + other;
      case NO_FOLDER -> "Create the folder, " + other;
      case OWNER ->
          "Set "
              + cause.key("owner")
              + " to this process's own user and to a group that it belongs to, or permit this"
              + " process to change owners (on Linux: CAP_CHOWN).";
      case NOT_ALLOWED -> "Permit this process to create files in the folder, " + other;
      case NO_SUCH_ADDRESS, OTHER -> "Check " + cause.key("path") + ".";
    };
  }
}
