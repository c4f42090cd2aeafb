package io.penstock.server.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing in the configuration that stops the start.
 *
 * @param key the key as the user wrote it
 * @param value its value with passwords masked, or null when it is better not shown
 * @param origin where it was written, or null when unknown
 * @param reason why it cannot be used
 * @param fix what to do
 */
public record ConfigurationFault(
    String key, @Nullable String value, @Nullable String origin, String reason, String fix) {

  /** Several lines for a log: everything but the fix. */
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
