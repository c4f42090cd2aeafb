package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.ReplyComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ShadowReadsPageTest {

  private static final Path PAGE = Path.of("../docs/reference/shadow-reads.md");
  private static final String BEGIN = "<!-- compared -->\n";
  private static final String END = "\n<!-- end -->";

  /** Set to write the table instead of comparing it. */
  private static final String REWRITE = "rewrite";

  @Test
  void thePageListsTheCommandsThatAreCompared() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    int to = page.indexOf(END, from);
    if (System.getProperty(REWRITE) != null) {
      page = page.substring(0, from) + table() + page.substring(to);
      Files.writeString(PAGE, page);
      to = page.indexOf(END, from);
    }
    assertThat(page.substring(from, to))
        .as("after changing the table of commands, run this test with -D%s", REWRITE)
        .isEqualTo(table());
  }

  private static String table() {
    return "\n| Replies are equal if | Commands |\n|---|---|\n"
        + row("their bytes are", ReplyComparison.EXACT)
        + row("they have the same elements in any order", ReplyComparison.ANY_ORDER)
        + row("they have the same fields with the same values", ReplyComparison.PAIRS_IN_ANY_ORDER);
  }

  private static String row(String when, ReplyComparison comparison) {
    return CommandTable.load().specs().stream()
        .filter(spec -> spec.comparison() == comparison)
        .map(CommandSpec::displayName)
        .sorted()
        .collect(Collectors.joining(" ", "| " + when + " | `", "` |\n"));
  }
}
