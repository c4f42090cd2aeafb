package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Glob;
import org.jspecify.annotations.Nullable;

/** The filter of {@code COMMAND LIST}. */
sealed interface NameFilter {

  boolean accepts(CommandSpec spec);

  static NameFilter all() {
    return new Pattern(Glob.ignoringCase("*"));
  }

  /** Returns the filter of the kind in argument {@code i}; null if the kind is unknown. */
  static @Nullable NameFilter of(RequestFrame request, int i, String value) {
    if (Ascii.equalsIgnoreCase(request, i, "pattern")) {
      return new Pattern(Glob.ignoringCase(value));
    }
    if (Ascii.equalsIgnoreCase(request, i, "aclcat")) {
      return new Category(value);
    }
    return Ascii.equalsIgnoreCase(request, i, "module") ? new Module() : null;
  }

  record Pattern(Glob glob) implements NameFilter {
    @Override
    public boolean accepts(CommandSpec spec) {
      return glob.matches(spec.name());
    }
  }

  record Category(String name) implements NameFilter {
    @Override
    public boolean accepts(CommandSpec spec) {
      for (AclCategory category : spec.aclCategories()) {
        if (category.wireName().equalsIgnoreCase(name)) {
          return true;
        }
      }
      return false;
    }
  }

  /** Matches nothing: the module of a command is not known. */
  record Module() implements NameFilter {
    @Override
    public boolean accepts(CommandSpec spec) {
      return false;
    }
  }
}
