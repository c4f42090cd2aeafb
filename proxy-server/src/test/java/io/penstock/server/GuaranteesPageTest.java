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

/** {@code docs/reference/guarantees.md} names only tests that exist and run. */
class GuaranteesPageTest {

  private static final Path PAGE = Path.of("../docs/reference/guarantees.md");
  private static final List<Path> TESTS =
      List.of(Path.of("src/test/java"), Path.of("../proxy-core/src/test/java"));
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");
  private static final Pattern DISABLED_CLASS = Pattern.compile("@Disabled\\b[^{;]*\\bclass\\b");

  @Test
  void everyTestThatItNamesExistsAndIsEnabled() throws IOException {
    Map<String, String> sources = sources();

    List<MatchResult> named = NAMED.matcher(Files.readString(PAGE)).results().toList();

    assertThat(named).hasSizeGreaterThan(50);
    assertThat(named)
        .filteredOn(test -> !runs(sources.get(test.group(1)), test.group(2)))
        .extracting(MatchResult::group)
        .isEmpty();
  }

  /** Returns the sources by class name; the names of classes that the page may name are unique. */
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
   * Returns whether the method is an enabled test, judged by the annotations between the last blank
   * line and its name. The test may be in a nested class; returns false for every test of a file
   * with a disabled class, because it may be in that class.
   */
  private static boolean runs(@Nullable String source, String method) {
    int at = source == null ? -1 : source.indexOf("void " + method + "(");
    if (source == null || at < 0 || DISABLED_CLASS.matcher(source).find()) {
      return false;
    }
    String before = source.substring(source.lastIndexOf("\n\n", at), at);
    return before.matches("(?s).*@(Parameterized|Repeated)?Test\\b.*")
        && !before.contains("@Disabled");
  }
}
