package io.penstock.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchedProcessTest {

  @Test
  void aRecipeThatFailsLeavesNothing() {
    List<Path> folders = new ArrayList<>();

    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() ->
            WatchedProcess.start(
                "it",
                (folder, _) -> {
                  folders.add(Files.writeString(folder.resolve("file"), "").getParent());
                  throw new FileNotFoundException("no template");
                }));

    assertThat(folders).singleElement().satisfies(folder -> assertThat(folder).doesNotExist());
  }

  @ParameterizedTest
  @CsvSource({
    "a\\nUnrecognized option: x\\nError: y\\n, Unrecognized option: x",
    "ERROR : \\n\\nDescription:\\n\\nIt cannot:\\n\\n    Key:    k\\nAction:\\n, It cannot: Key: k",
    "nothing to tell\\n, (without an error)"
  })
  void whatEndsAtOnceSaysItsFirstError(String printed, String error) {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            WatchedProcess.start(
                "it", (_, _) -> List.of("sh", "-c", "printf '" + printed + "'; exit 1")))
        .withMessageStartingWith("it ended at once: " + error + "\n");
  }
}
