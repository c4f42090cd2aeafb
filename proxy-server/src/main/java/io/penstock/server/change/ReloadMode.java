package io.penstock.server.change;

/** What makes Penstock read its configuration again. */
public enum ReloadMode {
  /** SIGHUP, and a request to the management port. */
  ON_SIGNAL,
  /** Also a change of one of the files that it was read from. */
  ON_CHANGE
}
