package io.penstock.core.reply;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorRepliesTest {

  /** Clients must know for each error whether their command ran. */
  @Test
  void ownErrorsAreQuotedInTheGuaranteesPage() throws Exception {
    String page = Files.readString(Path.of("../docs/reference/guarantees.md"));
    List<String> missing = new ArrayList<>();
    for (Field field : ErrorReplies.class.getDeclaredFields()) {
      String line = new String((byte[]) field.get(null), StandardCharsets.US_ASCII).strip();
      if (!line.startsWith("-NOAUTH ") && !page.contains("| `" + line + "` |")) {
        missing.add(field.getName() + ": " + line);
      }
    }
    assertThat(missing).isEmpty();
  }
}
