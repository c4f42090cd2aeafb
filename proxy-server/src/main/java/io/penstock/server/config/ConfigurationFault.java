package io.penstock.server.config;

import org.jspecify.annotations.Nullable;

/**
 * An error in the configuration that stops the start.
 *
 * @param key the key as the user wrote it
 * @param value its value with passwords masked, or null if it must not be shown
 * @param origin the file, variable or argument that sets it, or null if unknown
 * @param reason why the value is rejected
 * @param fix what to do
 */
public record ConfigurationFault(
    String key, @Nullable String value, @Nullable String origin, String reason, String fix) {

  /** Returns several lines for a log: everything except the fix. */
  public String description() {
    StringBuilder text = new StringBuilder("    Key:    ").append(key);
    if (value != null) {
      text.append("\n    Value:  ").append(value.isEmpty() ? "(empty)" : value);
    }
    if (origin != null) {
      text.append("\n    From:   ").append(origin);
    }
    return text.append("\n    Reason: ").append(reason).toString();
  }
}
