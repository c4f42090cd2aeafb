package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Client libraries as applications use them; each runs all of {@code
 * src/test/clients/scenarios.txt}. Subclasses start the proxy in front of an upstream.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientSuites {

  private final Predicate<String> expected;

  private final @Nullable TestAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  /**
   * @param expected which scenarios must succeed; the others need something the upstream lacks
   */
  ClientSuites(Predicate<String> expected) {
    this(expected, null);
  }

  /**
   * @param authority of the proxy's certificate; null without TLS
   */
  ClientSuites(Predicate<String> expected, @Nullable TestAuthority authority) {
    this.expected = expected;
    this.authority = authority;
  }

  final void use(ProxyFixture started) {
    proxy = started;
  }

  @AfterAll
  void stop() {
    proxy.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void jedis(int protocol) throws IOException {
    try (var suite = new JedisSuite(proxy.host(), proxy.port(), protocol, authority)) {
      check(suite.run());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void lettuce(int protocol) throws IOException {
    try (var suite = new LettuceSuite(proxy.host(), proxy.port(), protocol, authority)) {
      check(suite.run());
    }
  }

  @ParameterizedTest
  @CsvSource({"PYTHON,2", "PYTHON,3", "GO,2", "GO,3", "NODE,2", "NODE,3"})
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // the first call may install libraries
  void programs(ClientProgram program, int protocol) throws IOException {
    Path file = authority == null ? null : authority.file().toAbsolutePath();
    check(program.run(proxy.host(), proxy.port(), protocol, file));
  }

  private void check(String report) throws IOException {
    List<String> names =
        Files.readAllLines(Path.of("src/test/clients/scenarios.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" ", 2)[0])
            .map(name -> (expected.test(name) ? "ok " : "failed ") + name)
            .toList();
    assertThat(report.lines().map(line -> line.startsWith("failed") ? unlessExpected(line) : line))
        .containsExactlyInAnyOrderElementsOf(names);
  }

  /** Returns a line without its reason, if the scenario may fail. */
  private String unlessExpected(String line) {
    String name = line.split("[ :]", 3)[1];
    return expected.test(name) ? line : "failed " + name;
  }
}
