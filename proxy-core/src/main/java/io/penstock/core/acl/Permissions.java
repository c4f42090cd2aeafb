package io.penstock.core.acl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.SortPatterns;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a user may do, compiled for one command table: a bit for each command, patterns parsed once.
 * Immutable; any thread may ask, and nothing is allocated for what is permitted.
 */
public final class Permissions {

  /** The results of a selector, in the order in which servers prefer one of several. */
  static final int PERMITTED = 0;

  static final int COMMAND = 1;
  static final int KEY = 2;
  static final int CHANNEL = 3;

  /** Longest key or channel of a {@link Denial}, in bytes; of a longer one, the beginning. */
  static final int LONGEST_TEXT = 1_024;

  private final SelectorPermissions[] selectors;

  private Permissions(SelectorPermissions[] selectors) {
    this.selectors = selectors;
  }

  /**
   * Compiles what a user may do.
   *
   * @param table of the requests that will be checked; rules about commands that it lacks have no
   *     effect
   */
  public static Permissions of(AclUser user, CommandTable table) {
    List<AclSelector> rules = user.selectors();
    var keys = new TableKeys(table);
    var compiled = new SelectorPermissions[rules.size()];
    for (int i = 0; i < compiled.length; i++) {
      compiled[i] = SelectorPermissions.of(rules.get(i), table, keys);
    }
    return new Permissions(compiled);
  }

  /** Returns whether every request is permitted, also of commands that are learnt later. */
  public boolean permitsEverything() {
    for (SelectorPermissions selector : selectors) {
      if (selector.permitsEverything()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a selector permits the request together with all keys, for reading and writing.
   *
   * @param request whose command is known and has its arguments
   */
  public boolean permitsWithAllKeys(Command request) {
    CommandSpec spec = Objects.requireNonNull(request.spec());
    for (SelectorPermissions selector : selectors) {
      if (selector.hasAllKeys() && selector.check(request.frame(), spec) == PERMITTED) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns why a request is not permitted; null if it is. Unknown commands and requests with a
   * wrong number of arguments are permitted: as on a server, they get their own errors.
   */
  public @Nullable Denial denial(Command request) {
    Denial denial = denialByRules(request);
    CommandSpec spec = request.spec();
    return denial == null && spec != null && spec.hasKeyPatterns()
        ? sortDenial(request, spec)
        : denial;
  }

  /**
   * Like {@link #denial}, for {@code ACL DRYRUN}, which does not see what servers check when the
   * command runs: the options {@code BY} and {@code GET} of {@code SORT}.
   */
  public @Nullable Denial denialByRules(Command request) {
    CommandSpec spec = request.spec();
    if (spec == null || request.isUnknownSubcommand() || !spec.acceptsArity(request.argc())) {
      return null;
    }
    int denied = COMMAND;
    int argument = 0;
    for (SelectorPermissions selector : selectors) {
      long result = selector.check(request.frame(), spec);
      if (result == PERMITTED) {
        return null;
      }
      int reason = (int) result;
      int at = (int) (result >>> Integer.SIZE);
      if (reason > denied || (reason == denied && at > argument)) {
        denied = reason;
        argument = at;
      }
    }
    return denial(request, spec, denied, argument);
  }

  private static Denial denial(Command request, CommandSpec spec, int denied, int argument) {
    return switch (denied) {
      case KEY -> new Denial(Denial.Reason.KEY, text(request, argument));
      case CHANNEL -> new Denial(Denial.Reason.CHANNEL, text(request, argument));
      default -> new Denial(Denial.Reason.COMMAND, spec.wireName());
    };
  }

  /** A client may choose a very long name, which nobody reads. */
  private static String text(Command request, int argument) {
    RequestFrame frame = request.frame();
    int length = Math.min(frame.length(argument), LONGEST_TEXT);
    return frame.buffer().toString(frame.offset(argument), length, ISO_8859_1);
  }

  /** Returns the denial of a pattern that names keys: it needs a selector that may read all. */
  private @Nullable Denial sortDenial(Command request, CommandSpec spec) {
    int pattern = SortPatterns.nextRestricted(request.frame(), 2);
    if (pattern == SortPatterns.NONE || !spec.acceptsArity(request.argc())) {
      return null;
    }
    for (SelectorPermissions selector : selectors) {
      if (selector.mayReadAllKeys() && selector.check(request.frame(), spec) == PERMITTED) {
        return null;
      }
    }
    boolean by = request.argEqualsIgnoreCase(pattern - 1, "by");
    return new Denial(Denial.Reason.SORT_OPTION, by ? "BY" : "GET");
  }

  /**
   * Returns whether a subscription may stay after the user has changed.
   *
   * @param channel a channel or pattern, one character per byte
   */
  public boolean permitsChannel(String channel, boolean isPattern) {
    for (SelectorPermissions selector : selectors) {
      if (selector.permitsChannel(channel, isPattern)) {
        return true;
      }
    }
    return false;
  }
}
