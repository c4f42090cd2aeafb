package io.penstock.server.demo;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchedProcessTest {

  @ParameterizedTest
  @CsvSource({
    "a\\nUnrecognized option: x\\nError: y\\n, Unrecognized option: x",
    "ERROR : \\n\\nDescription:\\n\\nIt cannot:\\n\\n    Key:    k\\nAction:\\n, It cannot: Key: k",
    "nothing to tell\\n, (without an error)"
  })
  void whatEndsAtOnceSaysItsFirstError(String printed, String error) {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                WatchedProcess.start(
                    "it", (_, _) -> List.of("sh", "-c", "printf '" + printed + "'; exit 1")))
        .withMessageStartingWith("it ended at once: " + error + "\n");
  }
}
