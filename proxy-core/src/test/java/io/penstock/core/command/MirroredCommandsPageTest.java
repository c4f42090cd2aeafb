package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Mirrored;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class MirroredCommandsPageTest {

  /** Set to write the page instead of comparing it. */
  private static final String REWRITE = "rewrite";

  @Test
  void thePageMatchesTheTable() throws IOException {
    if (System.getProperty(REWRITE) != null) {
      Files.writeString(MirroredCommandsPage.FILE, MirroredCommandsPage.text());
    }
    assertThat(MirroredCommandsPage.FILE)
        .as("after changing the table, run this test with -D%s", REWRITE)
        .content()
        .isEqualTo(MirroredCommandsPage.text());
  }

  @Test
  void eachCommandThatIsNotReadOnlyHasALine() {
    assertThat(MirroredCommandsPage.undecided())
        .as("add 'trait mirrored:HOW' to handling.table")
        .isEmpty();
  }

  @Test
  void writesAreCopiedOrRefused() {
    for (CommandSpec spec : CommandTable.load().specs()) {
      if (spec.has(CommandFlag.WRITE)) {
        assertThat(spec.mirrored()).as(spec.name()).isNotEqualTo(Mirrored.NOTHING);
      }
    }
  }

  @Test
  void aSubcommandsLineReplacesItsContainers() {
    CommandTable table = CommandTable.load();

    assertThat(table.byName("script|exists").mirrored()).isEqualTo(Mirrored.NOTHING);
    assertThat(table.byName("script|load").mirrored()).isEqualTo(Mirrored.AS_IS);
    assertThat(table.byName("cluster|flushslot").mirrored()).isEqualTo(Mirrored.REFUSED);
  }
}
