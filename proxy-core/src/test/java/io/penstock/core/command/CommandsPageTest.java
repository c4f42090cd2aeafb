package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class CommandsPageTest {

  /** Set to write the page instead of comparing it. */
  private static final String REWRITE = "rewrite";

  @Test
  void thePageMatchesTheTables() throws IOException {
    if (System.getProperty(REWRITE) != null) {
      Files.writeString(CommandsPage.FILE, CommandsPage.text());
    }
    assertThat(CommandsPage.FILE)
        .as("after changing a table, run this test with -D%s", REWRITE)
        .content()
        .isEqualTo(CommandsPage.text());
  }
}
