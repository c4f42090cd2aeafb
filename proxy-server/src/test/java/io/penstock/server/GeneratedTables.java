package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of a page that the code generates. Each stands between {@code <!-- generated: CONTENT
 * -->}, which says what is in it, and {@code <!-- end -->}.
 */
public final class GeneratedTables {

  /** The system property that has tables written instead of compared. */
  private static final String REWRITE = "rewrite";

  private static final Pattern BLOCK =
      Pattern.compile("(<!-- generated: ([^>]*) -->\n).*?(<!-- end -->)", Pattern.DOTALL);

  private GeneratedTables() {}

  /** Returns the content of each block of the page. */
  public static List<String> contents(Path page) throws IOException {
    return BLOCK
        .matcher(Files.readString(page))
        .results()
        .map(block -> block.group(2).strip())
        .toList();
  }

  /**
   * Verifies the tables of the page, or writes them.
   *
   * @param table returns the table for the content of a block
   * @param test the test that writes them
   */
  public static void verify(Path page, UnaryOperator<String> table, Class<?> test)
      throws IOException {
    String before = Files.readString(page);
    String text =
        BLOCK
            .matcher(before)
            .replaceAll(block ->
                Matcher.quoteReplacement(
                    block.group(1)
                        + "\n"
                        + table.apply(block.group(2).strip())
                        + "\n"
                        + block.group(3)));
    if (System.getProperty(REWRITE) != null) {
      Files.writeString(page, text);
    }
    assertThat(page)
        .as(
            "./mvnw -pl proxy-server -am test -Dtest=%s -Drewrite"
                + " -Dsurefire.failIfNoSpecifiedTests=false writes the tables anew",
            test.getSimpleName())
        .content()
        .isEqualTo(text);
  }
}
