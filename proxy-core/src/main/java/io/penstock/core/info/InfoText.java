package io.penstock.core.info;

import java.util.Locale;

/** Builds the lines of {@code INFO} in Redis's format. */
final class InfoText {

  private static final String[] UNITS = {"K", "M", "G", "T", "P"};
  private static final double STEP = 1024;

  private final StringBuilder text = new StringBuilder();

  /** Begins a section; a blank line separates it from the previous one. */
  InfoText section(InfoSection section) {
    text.append(text.isEmpty() ? "" : "\r\n").append("# ").append(section.title()).append("\r\n");
    return this;
  }

  InfoText line(String name, Object value) {
    text.append(name).append(':').append(value).append("\r\n");
    return this;
  }

  /** Adds a line with {@code value} for each name. */
  InfoText lines(Object value, String... names) {
    for (String name : names) {
      line(name, value);
    }
    return this;
  }

  /** Adds a size twice: in bytes, and in readable units. */
  InfoText size(String name, long bytes) {
    return line(name, bytes).line(name + "_human", human(bytes));
  }

  /** Formats a number with two decimals. */
  static String decimal(double number) {
    return String.format(Locale.ROOT, "%.2f", number);
  }

  /** Formats a size as Redis's bytesToHuman does. */
  static String human(long bytes) {
    if (bytes < STEP) {
      return bytes + "B";
    }
    double size = bytes;
    int unit = -1;
    while (size >= STEP && unit < UNITS.length - 1) {
      size /= STEP;
      unit++;
    }
    return decimal(size) + UNITS[unit];
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
