package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Frameworks as applications use them, told the address of one server; each runs its scenarios of
 * {@code src/test/clients/frameworks.txt}. Subclasses start the proxy in front of an upstream.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Frameworks {

  private final Set<String> refused;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  /**
   * @param refused scenarios that must fail, each with the framework's name before it
   */
  Frameworks(Set<String> refused) {
    this.refused = refused;
  }

  final void use(ProxyFixture started) {
    proxy = started;
  }

  @AfterAll
  void stopProxy() {
    proxy.close();
  }

  static List<ClientProgram> frameworks() {
    return ClientProgram.frameworks();
  }

  @ParameterizedTest
  @MethodSource("frameworks")
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // the first call may install libraries
  void works(ClientProgram framework) throws IOException {
    String report = framework.run(proxy.host(), proxy.port());

    assertThat(report.lines().filter(Frameworks::isResult).map(Frameworks::withoutReason))
        .as(report)
        .containsExactlyInAnyOrderElementsOf(expected(framework));
  }

  private List<String> expected(ClientProgram framework) throws IOException {
    return Files.readAllLines(Path.of("src/test/clients/frameworks.txt")).stream()
        .map(line -> line.split(" +", 3))
        .filter(words -> words[0].equals(framework.title()))
        .map(words -> (refused.contains(words[0] + " " + words[1]) ? "failed " : "ok ") + words[1])
        .toList();
  }

  /** Frameworks and their workers print other lines too. */
  private static boolean isResult(String line) {
    return line.startsWith("ok ") || line.startsWith("failed ");
  }

  private static String withoutReason(String line) {
    return line.split(":", 2)[0];
  }
}
