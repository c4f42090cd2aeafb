package io.penstock.core.fuzz;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What must hold for every input. */
public final class Oracle {

  private Oracle() {}

  /** Fails with {@code what} unless it holds. */
  public static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Fails unless both are equal. */
  public static void requireSame(String what, @Nullable Object one, @Nullable Object other) {
    if (!Objects.equals(one, other)) {
      throw new AssertionError(what + ":\n  " + one + "\n  " + other);
    }
  }
}
