package io.penstock.core.resync;

/** How a key of the copy differs from that of the primary. */
enum Difference {
  MISSING("missing", "is missing at the copy"),
  EXTRA("extra", "is missing at the primary"),
  TYPE("type", "has another type"),
  VALUE("value", "has another value"),
  DEADLINE("deadline", "or a field of it expires at another time"),
  /** Serialized, the values differ; how such values are compared is not known. */
  UNDECIDED("undecided", "is serialized differently, and may be the same");

  private final String label;
  private final String text;

  Difference(String label, String text) {
    this.label = label;
    this.text = text;
  }

  /** Returns its name in results and metrics. */
  String label() {
    return label;
  }

  /** Returns what is wrong with the key, in words. */
  String text() {
    return text;
  }
}
