package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class CommandsPageTest {

  /** Writes the page instead of comparing it. */
  private static final String REWRITE = "rewrite";

  @Test
  void docsCommandsIsWhatTheTablesSay() throws IOException {
    if (System.getProperty(REWRITE) != null) {
      Files.writeString(CommandsPage.FILE, CommandsPage.text());
    }
    assertThat(CommandsPage.FILE)
        .as("run this test with -D%s after a change of a table", REWRITE)
        .content()
        .isEqualTo(CommandsPage.text());
  }
}
