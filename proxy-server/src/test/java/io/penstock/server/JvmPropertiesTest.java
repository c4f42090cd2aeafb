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
  void setsPropertiesThatAreNotSet() {
    assertThat(JvmProperties.missing(new Properties(), true))
        .containsEntry(POLLS, "false")
        .containsEntry(LEAKS, "disabled")
        .containsEntry(JvmProperties.AOT_ENABLED, "true");
  }

  @Test
  void keepsPropertiesThatTheUserHasSet() {
    Properties users = new Properties();
    users.setProperty(LEAKS, "paranoid");
    users.setProperty(JvmProperties.AOT_ENABLED, "false");

    assertThat(JvmProperties.missing(users, true))
        .containsKey(POLLS)
        .doesNotContainKeys(LEAKS, JvmProperties.AOT_ENABLED);
  }

  @Test
  void enablesAotOnlyInAJar() {
    assertThat(JvmProperties.missing(new Properties(), false)).isEqualTo(JvmProperties.SYSTEM);
  }

  /** Tests start proxies without the application. They set the leak detection level themselves. */
  @Test
  void testsRunWithTheSameProperties() {
    Map<String, String> missing = JvmProperties.missing(System.getProperties(), false);

    assertThat(missing).as("not in test.jvm-properties of the root POM").isEmpty();
    JvmProperties.SYSTEM.forEach((name, value) -> {
      if (!name.equals(LEAKS)) {
        assertThat(System.getProperty(name)).as(name).isEqualTo(value);
      }
    });
  }

  @Test
  void architecturePageListsEachProperty() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));

    JvmProperties.SYSTEM.forEach(
        (name, value) -> assertThat(page).contains("| `" + name + "=" + value + "` |"));
    assertThat(page)
        .contains(
            "| `" + JvmProperties.AOT_ENABLED + "=true` |",
            "| `" + JvmProperties.DNS_TTL + "=5` |");
  }
}
