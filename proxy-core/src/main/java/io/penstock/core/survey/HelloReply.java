package io.penstock.core.survey;

import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.HelloFacts.Module;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the reply to {@code HELLO}: a list of names, each followed by its value. */
final class HelloReply {

  private HelloReply() {}

  /** Returns what a node tells; {@link HelloFacts#NONE} if there is no reply. */
  static HelloFacts parse(@Nullable List<Object> reply) {
    List<Module> modules = new ArrayList<>();
    for (Object module : list(value(reply, "modules"))) {
      List<Object> fields = list(module);
      long version = value(fields, "ver") instanceof Long number ? number : 0;
      List<String> args = list(value(fields, "args")).stream().map(Objects::toString).toList();
      modules.add(new Module(text(fields, "name"), version, text(fields, "path"), args));
    }
    return new HelloFacts(modules, text(reply, "availability_zone"));
  }

  /** Returns a field's value; empty if it is missing or no text. */
  static String text(@Nullable List<Object> fields, String name) {
    return value(fields, name) instanceof String text ? text : "";
  }

  private static @Nullable Object value(@Nullable List<Object> fields, String name) {
    for (int i = 0; fields != null && i + 1 < fields.size(); i += 2) {
      if (name.equals(fields.get(i))) {
        return fields.get(i + 1);
      }
    }
    return null;
  }

  @SuppressWarnings("unchecked") // lists of replies have elements of any class
  private static List<Object> list(@Nullable Object value) {
    return value instanceof List<?> found ? (List<Object>) found : List.of();
  }
}
