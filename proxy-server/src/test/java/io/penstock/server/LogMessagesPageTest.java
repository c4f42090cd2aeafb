package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/log-messages.md} lists what the code logs at INFO or above, and nothing
 * else. Both are compared by the words between the values of a line.
 */
class LogMessagesPageTest {

  private static final Path PAGE = Path.of("../docs/reference/log-messages.md");
  private static final List<Path> SOURCES =
      List.of(Path.of("src/main/java"), Path.of("../proxy-core/src/main/java"));

  private static final Pattern LOGGED =
      Pattern.compile(
          "\\b(?:log|LOG)\\s*(?:\\.atLevel\\([^;]*?\\)\\s*\\.log|\\.(?:info|warn|error))\\(");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(?:INFO|WARN|ERROR)`[^|]*\\|([^|]*)\\|");
  private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");

  /**
   * A value, as in the code, in a format string or on the page; or where lines are put together.
   */
  private static final Pattern VALUE = Pattern.compile("\\{\\}|%[.\\d]*[a-z]|<[^>]*>|…|; | after ");

  private static final Set<String> OF_SPRING =
      Set.of(
          "No active profile set", "Started PenstockApplication in", "APPLICATION FAILED TO START");

  private static final int LONGEST_CALL = 400; // characters
  private static final int SHORTEST = 5;

  @Test
  void everyLineThatTheCodeLogsIsOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    List<String> missing = new ArrayList<>();
    int lines = 0;
    String code = code();
    Matcher logged = LOGGED.matcher(code);
    while (logged.find()) {
      int end = Math.min(code.length(), logged.end() + LONGEST_CALL);
      Matcher literal = LITERAL.matcher(code).region(logged.end(), end);
      if (literal.find()) {
        lines++;
        words(literal.group(1)).filter(words -> !page.contains(words)).forEach(missing::add);
      }
    }

    assertThat(lines).as("lines that the code logs").isGreaterThan(50);
    assertThat(missing).as("words that %s lacks", PAGE).isEmpty();
  }

  @Test
  void everyLineOfThePageIsInTheCode() throws IOException {
    String code = code();
    List<String> lines =
        ROW.matcher(Files.readString(PAGE))
            .results()
            .flatMap(row -> CODE_SPAN.matcher(row.group(1)).results())
            .map(span -> span.group(1))
            .toList();

    assertThat(lines).as("lines of the page").hasSizeGreaterThan(50);
    assertThat(lines)
        .flatMap(line -> words(line).toList())
        .filteredOn(words -> !code.contains(words) && !OF_SPRING.contains(words))
        .isEmpty();
  }

  private static Stream<String> words(String line) {
    return VALUE
        .splitAsStream(line)
        .map(words -> words.replaceAll("^[ ,;:()]+|[ ,;:()]+$", ""))
        .filter(words -> words.length() >= SHORTEST);
  }

  /** All sources in one text, string literals in one piece. */
  private static String code() throws IOException {
    StringBuilder code = new StringBuilder();
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
          code.append(Files.readString(file));
        }
      }
    }
    return CONCATENATION.matcher(code).replaceAll("");
  }
}
