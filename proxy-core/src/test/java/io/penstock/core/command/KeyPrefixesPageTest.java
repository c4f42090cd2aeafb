package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.Prefixing;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyPrefixesPageTest {

  /** Set to write the page instead of comparing it. */
  private static final String REWRITE = "rewrite";

  @Test
  void thePageMatchesTheTable() throws IOException {
    if (System.getProperty(REWRITE) != null) {
      Files.writeString(KeyPrefixesPage.FILE, KeyPrefixesPage.text());
    }
    assertThat(KeyPrefixesPage.FILE)
        .as("after changing the table, run this test with -D%s", REWRITE)
        .content()
        .isEqualTo(KeyPrefixesPage.text());
  }

  @Test
  void eachCommandWithoutKeysHasALine() {
    assertThat(KeyPrefixesPage.undecided())
        .as("add 'trait prefix:HOW' to handling.table")
        .isEmpty();
  }

  @Test
  void aCommandThatIsLearntIsRefused() {
    HandlingTable handlings = HandlingTable.parse(TableResource.lines("handling.table"));
    var learnt =
        CommandFacts.parse("module.get 2 flags=readonly range=1,1,1 key=RO@index:1/range:0:1:0");
    var subcommand = CommandFacts.parse("client|new 2 flags=loading acl=slow,connection");

    assertThat(List.of(learnt, subcommand))
        .allSatisfy(command ->
            assertThat(
                    new CommandSpec(
                            0,
                            command,
                            new Handling.Forward(),
                            handlings.traitsOfLearnt(command),
                            List.of())
                        .prefixing())
                .isEqualTo(Prefixing.REFUSED));
  }
}
