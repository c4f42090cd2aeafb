package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.List;

/**
 * Finds the keys of the few commands whose key specs are missing or imprecise, like the {@code
 * getkeys_proc} functions in Redis's db.c. The functions that only count by numkeys are left out,
 * because their key specs are equivalent. {@code DEBUG} has neither specs nor such a function,
 * because no cluster client routes it by its key. {@code handling.table} says which command has
 * which.
 */
enum KeyProcedure {
  /**
   * {@code sortGetKeys}: the key, and the destination of the last STORE. BY and GET patterns are
   * not keys.
   */
  SORT {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      into.add(1);
      int destination = 0;
      for (int i = 2; i < frame.argc(); i++) {
        int arguments = Option.arguments(SortPatterns.OPTIONS, frame, i);
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

  /** The key of the subcommands in debug.c that inspect one. */
  DEBUG {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      for (int i = 0; frame.argc() > 2 && i < DEBUG_SUBCOMMANDS_WITH_KEY.size(); i++) {
        if (Ascii.equalsIgnoreCase(frame, 1, DEBUG_SUBCOMMANDS_WITH_KEY.get(i))) {
          into.add(2);
        }
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

  /** {@code georadiusGetKeys}: the last of STORE and STOREDIST applies. */
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

  /** {@code migrateGetKeys}: the key argument, or, if that is empty, the arguments after KEYS. */
  MIGRATE {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      for (int i = 6; i < frame.argc(); i++) {
        if (Ascii.equalsIgnoreCase(frame, i, "keys")) {
          // KEYS with a key argument is a syntax error: no keys.
          int first = frame.length(3) == 0 ? i + 1 : frame.argc();
          for (int key = first; key < frame.argc(); key++) {
            into.add(key);
          }
          return;
        }
        i += Math.max(0, Option.arguments(MIGRATE_OPTIONS, frame, i));
      }
      into.add(3);
    }
  },

  /**
   * {@code xreadGetKeys}: the first half of the arguments after STREAMS, which may also be the name
   * of a group. Unknown words are skipped, as by the key spec: a newer server may know them.
   */
  XREAD {
    @Override
    void collect(RequestFrame frame, KeyPositions into) {
      int i = 1;
      while (i < frame.argc() && !Ascii.equalsIgnoreCase(frame, i, "streams")) {
        i += 1 + Math.max(0, Option.arguments(XREAD_OPTIONS, frame, i));
      }
      int first = i + 1;
      int keysAndIds = frame.argc() - first;
      if (keysAndIds % 2 == 0) {
        for (int key = first; key < first + keysAndIds / 2; key++) {
          into.add(key);
        }
      }
    }
  };

  private static final List<String> DEBUG_SUBCOMMANDS_WITH_KEY =
      List.of("object", "sdslen", "listpack", "ziplist", "quicklist", "htstats-key");
  private static final List<Option> MIGRATE_OPTIONS =
      List.of(new Option("auth", 1), new Option("auth2", 2));
  private static final List<Option> XREAD_OPTIONS =
      List.of(
          new Option("block", 1),
          new Option("count", 1),
          new Option("group", 2),
          new Option("noack", 0));

  /** Adds the keys' positions to {@code into}. */
  abstract void collect(RequestFrame frame, KeyPositions into);
}
