package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys of the few commands whose key specs cannot, as the {@code getkeys_proc} functions
 * in Redis's db.c do.
 */
enum KeyProcedure {
  /**
   * {@code sortGetKeys}: the key, and the last STORE's destination; BY and GET patterns are no
   * keys.
   */
  SORT {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      into.add(1);
      int destination = 0;
      for (int i = 2; i < frame.argc(); i++) {
        int arguments = Option.arguments(SORT_OPTIONS, frame, i);
        if (arguments != Option.NONE) {
          i += arguments;
        } else if (i + 1 < frame.argc() && Ascii.equalsIgnoreCase(frame, i, "store")) {
          destination = i + 1;
        }
      }
      if (destination != 0) {
        into.add(destination);
      }
    }
  },

  /** {@code sortROGetKeys}. */
  SORT_RO {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      into.add(1);
    }
  },

  /** {@code georadiusGetKeys}: of STORE and STOREDIST the last one counts. */
  GEORADIUS {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      into.add(1);
      int destination = 0;
      for (int i = 5; i + 1 < frame.argc(); i++) {
        if (Ascii.equalsIgnoreCase(frame, i, "store")
            || Ascii.equalsIgnoreCase(frame, i, "storedist")) {
          destination = ++i;
        }
      }
      if (destination != 0) {
        into.add(destination);
      }
    }
  },

  /** {@code migrateGetKeys}: the key argument, or what follows KEYS when it is empty. */
  MIGRATE {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      for (int i = 6; i < frame.argc(); i++) {
        if (Ascii.equalsIgnoreCase(frame, i, "keys")) {
          if (frame.length(3) == 0) {
            for (int key = i + 1; key < frame.argc(); key++) {
              into.add(key);
            }
            return;
          }
          break; // Both forms at once: a syntax error that the server reports.
        }
        i += Math.max(0, Option.arguments(MIGRATE_OPTIONS, frame, i));
      }
      into.add(3);
    }
  };

  private static final List<Option> SORT_OPTIONS =
      List.of(new Option("limit", 2), new Option("get", 1), new Option("by", 1));
  private static final List<Option> MIGRATE_OPTIONS =
      List.of(new Option("auth", 1), new Option("auth2", 2));

  /** Adds the keys' positions to {@code into}. */
  abstract void collect(RequestFrame frame, KeyPositions into);

  /** The procedure that a command has beside its key specs, if any. */
  static @Nullable KeyProcedure of(String command) {
    return switch (command) {
      case "sort" -> SORT;
      case "sort_ro" -> SORT_RO;
      case "georadius", "georadiusbymember" -> GEORADIUS;
      case "migrate" -> MIGRATE;
      default -> null;
    };
  }
}
