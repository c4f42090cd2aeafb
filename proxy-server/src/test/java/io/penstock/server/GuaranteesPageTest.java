package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/guarantees.md} promises nothing that no test shows. */
class GuaranteesPageTest {

  private static final Path PAGE = Path.of("../docs/reference/guarantees.md");
  private static final List<Path> TESTS =
      List.of(Path.of("src/test/java"), Path.of("../proxy-core/src/test/java"));
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");
  private static final Pattern CLASS_OFF = Pattern.compile("@Disabled\\b[^{;]*\\bclass\\b");

  @Test
  void everyTestThatItNamesExistsAndIsNotSwitchedOff() throws IOException {
    Map<String, String> sources = sources();

    List<MatchResult> named = NAMED.matcher(Files.readString(PAGE)).results().toList();

    assertThat(named).hasSizeGreaterThan(50);
    assertThat(named)
        .filteredOn(test -> !runs(sources.get(test.group(1)), test.group(2)))
        .extracting(MatchResult::group)
        .isEmpty();
  }

  /** Names of classes are unique among those that the page may name. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path root : TESTS) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(file -> file.toString().matches(".*(Test|IT)\\.java"))
            .forEach(file ->
                sources.merge(
                    file.getFileName().toString().replace(".java", ""),
                    read(file),
                    String::concat));
      }
    }
    return sources;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What stands between the line before a test and its name says what it is. The test may be in a
   * nested class; in a file with a class that is switched off, it may be in that one.
   */
  private static boolean runs(@Nullable String source, String method) {
    int at = source == null ? -1 : source.indexOf("void " + method + "(");
    if (source == null || at < 0 || CLASS_OFF.matcher(source).find()) {
      return false;
    }
    String before = source.substring(source.lastIndexOf("\n\n", at), at);
    return before.matches("(?s).*@(Parameterized|Repeated)?Test\\b.*")
        && !before.contains("@Disabled");
  }
}
