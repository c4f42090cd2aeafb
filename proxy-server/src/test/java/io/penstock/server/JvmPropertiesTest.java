package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class JvmPropertiesTest {

  private static final String POLLS = "io.netty.iouring.pollAddMultishotEnabled";
  private static final String LEAKS = "io.netty.leakDetection.level";

  @Test
  void setsWhatNobodyHasSet() {
    assertThat(JvmProperties.missing(new Properties(), true))
        .containsEntry(POLLS, "false")
        .containsEntry(LEAKS, "disabled")
        .containsEntry(JvmProperties.PREPARED, "true");
  }

  @Test
  void leavesWhatTheUserHasSet() {
    Properties users = new Properties();
    users.setProperty(LEAKS, "paranoid");
    users.setProperty(JvmProperties.PREPARED, "false");

    assertThat(JvmProperties.missing(users, true))
        .containsKey(POLLS)
        .doesNotContainKeys(LEAKS, JvmProperties.PREPARED);
  }

  @Test
  void takesPreparedBeansFromAJarOnly() {
    assertThat(JvmProperties.missing(new Properties(), false)).isEqualTo(JvmProperties.SYSTEM);
  }

  /** They start proxies without the application; leaks are what they look for. */
  @Test
  void testsRunWithTheSame() {
    Map<String, String> missing = JvmProperties.missing(System.getProperties(), false);

    assertThat(missing).as("what the root's POM leaves out of test.jvm-properties").isEmpty();
    JvmProperties.SYSTEM.forEach((name, value) -> {
      if (!name.equals(LEAKS)) {
        assertThat(System.getProperty(name)).as(name).isEqualTo(value);
      }
    });
  }

  @Test
  void theDocumentsNameEach() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));

    JvmProperties.SYSTEM.forEach(
        (name, value) -> assertThat(page).contains("| `" + name + "=" + value + "` |"));
    assertThat(page)
        .contains(
            "| `" + JvmProperties.PREPARED + "=true` |", "| `" + JvmProperties.NAMES + "=5` |");
  }
}
