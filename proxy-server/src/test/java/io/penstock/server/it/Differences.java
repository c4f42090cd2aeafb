package io.penstock.server.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Known differences between Penstock and a server, with reasons: {@code differences.txt}, which
 * describes its syntax at the top, and the files that {@link ReferenceServer} adds. Records which
 * lines were used.
 */
final class Differences {

  private enum Kind {
    DIFFERS,
    VALUES,
    REFUSED,
    SORTED,
    SHAPE,
    MASK,
    ARITY
  }

  private record Rule(String line, Kind kind, String scope, Pattern requests, Pattern mask) {

    boolean covers(Target target, String request) {
      return (scope.isEmpty() || scope.equals(target.name()) || coversKindOf(target))
          && requests.matcher(request).matches();
    }

    /** Whether the scope is the kind of the target: all keys on one server, or on several. */
    private boolean coversKindOf(Target target) {
      boolean several = Set.of("cluster", "shards").contains(target.name());
      return scope.equals(several ? "several" : "single");
    }
  }

  private static final Pattern LINE = Pattern.compile("(\\w+)(?:/(\\w+))? (.+?)(?: /(.+)/)? -- .+");

  private final List<Rule> rules = new ArrayList<>();
  private final Set<String> unused = new TreeSet<>();

  static Differences read() {
    var differences = new Differences();
    differences.add("differences.txt");
    ReferenceServer.files().forEach(differences::add);
    return differences;
  }

  private void add(String file) {
    try (InputStream in = Objects.requireNonNull(Differences.class.getResourceAsStream(file))) {
      new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> addLine(file, line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void addLine(String file, String line) {
    var parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException(file + ": " + line);
    }
    Kind kind = Kind.valueOf(parts.group(1).toUpperCase(Locale.ROOT));
    String scope = Objects.requireNonNullElse(parts.group(2), "");
    String mask = Objects.requireNonNullElse(parts.group(4), "");
    for (String glob : parts.group(3).split(", ", -1)) {
      rules.add(new Rule(line, kind, scope, glob(glob), Pattern.compile(mask)));
    }
    if (kind == Kind.DIFFERS || kind == Kind.VALUES) {
      unused.add(line);
    }
  }

  private static Pattern glob(String glob) {
    boolean whole = glob.endsWith("$");
    String words = whole ? glob.substring(0, glob.length() - 1) : glob;
    String regex = Pattern.quote(words).replace("*", "\\E.*\\Q").replace("?", "\\E[^ ]*\\Q");
    return Pattern.compile(
        whole ? regex : regex + "( .*)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  /** Returns whether both replies to a request are the same, apart from known differences. */
  boolean same(Target target, String request, String expected, String actual) {
    return expected.equals(actual)
        || canonical(target, request, expected).equals(canonical(target, request, actual))
        || isAllowed(target, request, expected.startsWith("-") || actual.startsWith("-"));
  }

  private String canonical(Target target, String request, String reply) {
    String canonical = reply;
    for (Rule rule : rules) {
      if (reply.startsWith("(") || !rule.covers(target, request)) {
        continue;
      }
      switch (rule.kind()) {
        case MASK -> canonical = rule.mask().matcher(canonical).replaceAll("…");
        case SORTED -> canonical = Reply.parse(canonical).sorted();
        case SHAPE -> canonical = Reply.parse(canonical).shape();
        case DIFFERS, VALUES, REFUSED, ARITY -> {}
      }
    }
    return canonical;
  }

  /** Returns whether no line covers the request. */
  boolean isExact(String request) {
    return rules.stream().noneMatch(rule -> rule.requests().matcher(request).matches());
  }

  private boolean isAllowed(Target target, String request, boolean error) {
    boolean allowed = false;
    for (Rule rule : rules) {
      boolean kind = rule.kind() == Kind.DIFFERS || (rule.kind() == Kind.VALUES && !error);
      if (kind && rule.covers(target, request)) {
        unused.remove(rule.line());
        allowed = true;
      }
    }
    return allowed;
  }

  /** Returns whether Penstock rejects the command by design, with any arguments. */
  boolean isRejected(String command) {
    return has(Kind.REFUSED, command);
  }

  /** Returns whether only calls with a wrong number of arguments are derived. */
  boolean isForArityOnly(String command) {
    return has(Kind.ARITY, command);
  }

  private boolean has(Kind kind, String command) {
    return rules.stream()
        .anyMatch(rule -> rule.kind() == kind && rule.requests().matcher(command).matches());
  }

  /** Returns whether a line covers the command, so that it needs no script. */
  boolean mentions(String command) {
    return rules.stream()
        .filter(rule -> rule.kind() == Kind.REFUSED)
        .anyMatch(rule -> rule.requests().matcher(command).matches());
  }

  /** Returns lines that no reply needed: differences that no longer exist. */
  Set<String> unused() {
    return unused;
  }
}
