package io.penstock.server.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.config.PenstockProperties;
import io.penstock.server.start.StartConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class RestartKeysTest {

  private static MockEnvironment environment(String... keysAndValues) {
    MockEnvironment environment =
        new MockEnvironment().withProperty("penstock.transpond.local.resource", "redis://h:1");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      environment.setProperty(keysAndValues[i], keysAndValues[i + 1]);
    }
    return environment;
  }

  private static PenstockProperties properties(String... keysAndValues) {
    return StartConfiguration.read(environment(keysAndValues)).properties();
  }

  @Test
  void keysOfPenstockAreNamedExactly() {
    assertThat(
            RestartKeys.changed(
                properties(),
                properties(
                    "penstock.dispatch",
                    "sync",
                    "penstock.sync.max-connections-per-node",
                    "4096",
                    "penstock.event-loops",
                    "3",
                    "penstock.max-clients",
                    "7")))
        .containsExactly(
            "penstock.dispatch", "penstock.sync.max-connections-per-node", "penstock.event-loops");
  }

  @Test
  void keysOfListenersThatThereWereAreNamed() {
    String local = "penstock.listeners.local.";
    assertThat(
            RestartKeys.changed(
                properties(local + "path", "/run/a.sock", local + "mode", "0660"),
                properties(
                    local + "path",
                    "/run/a.sock",
                    local + "mode",
                    "0600",
                    local + "max-clients",
                    "7",
                    "penstock.listeners.other.path",
                    "/run/b.sock",
                    "penstock.listeners.other.mode",
                    "0600")))
        .containsExactly(local + "mode");
  }

  @Test
  void keysOfSpringNeedARestart() {
    assertThat(
            RestartKeys.changed(
                environment("management.server.port", "1", "logging.level.root", "warn"),
                environment(
                    "management.server.port",
                    "2",
                    "server.address",
                    "127.0.0.1",
                    "spring.lifecycle.timeout-per-shutdown-phase",
                    "9s")))
        .containsExactlyInAnyOrder(
            "management.server.port",
            "logging.level.root",
            "server.address",
            "spring.lifecycle.timeout-per-shutdown-phase");
  }

  @Test
  void bundlesAndPlacesOfFilesDoNot() {
    assertThat(
            RestartKeys.changed(
                environment("spring.profiles.active", "a"),
                environment(
                    "spring.ssl.bundle.pem.a.keystore.certificate",
                    "x",
                    "spring.config.import",
                    "y",
                    "penstock.port",
                    "1")))
        .isEmpty();
  }
}
