package io.penstock.core.resync;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code XINFO STREAM … FULL COUNT 0} tells of a stream, its groups and their consumers,
 * without what a server keeps for itself, and when entries were delivered.
 */
final class StreamFacts {

  private static final Set<String> LASTING =
      Set.of(
          "length",
          "last-generated-id",
          "max-deleted-entry-id",
          "entries-added",
          "entries",
          "groups",
          "name",
          "last-delivered-id",
          "entries-read",
          "pel-count",
          "consumers");

  private StreamFacts() {}

  /** Returns the facts as a text that is the same for the same stream. */
  static String text(List<?> facts) {
    var text = new StringBuilder();
    append(text, facts);
    return text.toString();
  }

  private static void append(StringBuilder text, List<?> facts) {
    for (int i = 0; i + 1 < facts.size(); i += 2) {
      String name = Gathered.text(facts.get(i));
      Object value = facts.get(i + 1);
      switch (name) {
        case "groups", "consumers" -> appendAll(text.append(name), value);
        case "pel", "pending" -> appendPending(text.append("pending"), value);
        default -> {
          if (LASTING.contains(name)) {
            appendValue(text.append(name), value);
          }
        }
      }
    }
  }

  private static void appendAll(StringBuilder text, @Nullable Object groups) {
    text.append('{');
    if (groups instanceof List<?> all) {
      for (Object each : all) {
        if (each instanceof List<?> facts) {
          append(text.append('('), facts);
          text.append(')');
        }
      }
    }
    text.append('}');
  }

  /** An id, in a group its consumer, the time of the delivery, the number of deliveries. */
  private static void appendPending(StringBuilder text, @Nullable Object entries) {
    if (entries instanceof List<?> all) {
      for (Object each : all) {
        if (each instanceof List<?> entry) {
          for (int i = 0; i < entry.size(); i++) {
            if (i != entry.size() - 2) {
              appendValue(text, entry.get(i));
            }
          }
        }
      }
    }
  }

  private static void appendValue(StringBuilder text, @Nullable Object value) {
    if (value instanceof List<?> elements) {
      text.append('[').append(elements.size());
      elements.forEach(each -> appendValue(text, each));
      text.append(']');
    } else {
      String content = Gathered.text(value);
      text.append(' ').append(content.length()).append(':').append(content);
    }
  }
}
