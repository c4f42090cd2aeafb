package io.penstock.server.reload;

/** What asked for a reload. */
enum Trigger {
  SIGNAL("SIGHUP"),
  REQUEST("request"),
  FILES("changed files");

  private final String text;

  Trigger(String text) {
    this.text = text;
  }

  /** Returns the words for log lines and the endpoint. */
  String text() {
    return text;
  }
}
