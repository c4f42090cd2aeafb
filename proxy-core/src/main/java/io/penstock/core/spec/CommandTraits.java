package io.penstock.core.spec;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the lines {@code trait} of {@code handling.table} say about one command. Immutable. */
public final class CommandTraits {

  /** Of a command in no such line. */
  public static final CommandTraits NONE = new CommandTraits();

  /** Says that users with a key prefix may not call the command. */
  public static final String REFUSED_WITH_PREFIX = "prefix:refused";

  private static final String KEYS = "keys:";
  private static final String PATTERN = "pattern:";
  private static final String ACROSS = "across:";
  private static final String MIRRORED = "mirrored:";
  private static final String PREFIX = "prefix:";
  private static final String REPLY_KEYS = "reply-keys:";

  private long traits; // a bit for each
  private @Nullable KeyProcedure keys;
  private @Nullable PatternArguments patterns;
  private @Nullable Across across;
  private @Nullable Mirrored mirrored;
  private @Nullable Prefixing prefixing;
  private Prefixing.Reply replyKeys = Prefixing.Reply.NOWHERE;

  private CommandTraits() {}

  /**
   * Reads the traits of one command: {@code keys:PROCEDURE}, {@code across:HOW}, {@code
   * mirrored:HOW}, {@code prefix:HOW}, {@code reply-keys:WHERE}, {@code pattern:FROM[:KEYWORD]}, or
   * the name of a {@link Trait}.
   *
   * @throws IllegalArgumentException if a word is none of these
   */
  public static CommandTraits of(Collection<String> words) {
    var read = new CommandTraits();
    words.forEach(read::read);
    return read;
  }

  private void read(String word) {
    if (word.startsWith(KEYS)) {
      keys = KeyProcedure.valueOf(upperCase(word.substring(KEYS.length())));
    } else if (word.startsWith(ACROSS)) {
      across = Across.valueOf(upperCase(word.substring(ACROSS.length())));
    } else if (isMirrored(word)) {
      mirrored = Mirrored.valueOf(upperCase(word.substring(MIRRORED.length())));
    } else if (isPrefixing(word)) {
      prefixing = Prefixing.valueOf(upperCase(word.substring(PREFIX.length())));
    } else if (word.startsWith(REPLY_KEYS)) {
      replyKeys = Prefixing.Reply.valueOf(upperCase(word.substring(REPLY_KEYS.length())));
    } else if (word.startsWith(PATTERN)) {
      patterns = PatternArguments.parse(word.substring(PATTERN.length()));
    } else {
      traits |= bit(Trait.valueOf(upperCase(word)));
    }
  }

  /** Returns whether a word says what copies get for the command. */
  public static boolean isMirrored(String word) {
    return word.startsWith(MIRRORED);
  }

  /** Returns whether a word says what becomes of the command with a key prefix. */
  public static boolean isPrefixing(String word) {
    return word.startsWith(PREFIX);
  }

  private static String upperCase(String word) {
    return word.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static long bit(Trait trait) {
    return 1L << trait.ordinal();
  }

  public boolean has(Trait trait) {
    return (traits & bit(trait)) != 0;
  }

  /** Returns how it is carried out over several partitions, or null if it is not. */
  @Nullable Across across() {
    return across;
  }

  /** Returns what copies get for it, or null if no line says it. */
  public @Nullable Mirrored mirrored() {
    return mirrored;
  }

  /** Returns what becomes of it with a key prefix, or null if no line says it. */
  @Nullable Prefixing prefixing() {
    return prefixing;
  }

  /** Returns where its reply carries keys or channels. */
  Prefixing.Reply replyKeys() {
    return replyKeys;
  }

  /** Returns how its keys are found, or null if its key specs say it. */
  @Nullable KeyProcedure keys() {
    return keys;
  }

  /** Returns which arguments are patterns, or null if none are. */
  @Nullable PatternArguments patterns() {
    return patterns;
  }
}
