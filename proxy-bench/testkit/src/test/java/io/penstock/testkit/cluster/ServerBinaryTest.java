package io.penstock.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.testkit.cluster.ServerBinary.MissingServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which server tests and the demo run. */
class ServerBinaryTest {

  private static final SearchPath NOWHERE = new SearchPath(List.of());

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private SearchPath path;

  @BeforeEach
  void fillFolder() throws IOException {
    program("redis-server", "Redis server v=6.2.11 sha=0");
    program("valkey-server", "Valkey server v=8.1.1 sha=0");
    program("redis-cli", "redis-cli 6.2.11");
    path = new SearchPath(List.of("", "/no/such/folder", folder.toString()));
  }

  private void program(String name, String says) throws IOException {
    Path script = folder.resolve(name);
    Files.writeString(script, "#!/bin/sh\necho '" + says + "'\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void theBundledOneIsTakenAlsoWhereAnotherIsInstalled() {
    for (SearchPath any : List.of(path, NOWHERE)) {
      ServerBinary binary = ServerBinary.find("", any);

      assertThat(binary.version()).isEqualTo("7.0.15");
      assertThat(binary.valkey()).isFalse();
    }
  }

  @Test
  void anotherIsTakenByItsNameOnPathOrByItsPlace() {
    assertThat(ServerBinary.find("valkey-server", path))
        .isEqualTo(new ServerBinary(folder.resolve("valkey-server"), true, 8, 1, "8.1.1"));
    assertThat(ServerBinary.find(folder.resolve("redis-server").toString(), NOWHERE))
        .isEqualTo(new ServerBinary(folder.resolve("redis-server"), false, 6, 2, "6.2.11"));
  }

  @ParameterizedTest
  @CsvSource({
    "keydb-server, there is no such program on PATH (PATH=",
    "/no/such/server, there is no executable /no/such/server.",
    "../no/such/server, there is no executable /",
    "redis-cli, does not run as a Redis or Valkey server; asked for its version it said: redis-cli",
  })
  void aChoiceThatIsNoServerIsToldSoAndNotReplacedByAnother(String choice, String reason) {
    assertThatExceptionOfType(MissingServerException.class)
        .isThrownBy(() -> ServerBinary.find(choice, path))
        .withMessageContaining(choice)
        .withMessageContaining(reason);
  }

  @Test
  void whereNoneIsBundledAnInstalledOneIsTaken() throws IOException {
    assertThat(ServerBinary.installed(path).version()).isEqualTo("6.2.11");

    Files.delete(folder.resolve("redis-server"));
    assertThat(ServerBinary.installed(path).version()).isEqualTo("8.1.1");

    assertThatExceptionOfType(MissingServerException.class)
        .isThrownBy(() -> ServerBinary.installed(NOWHERE))
        .withMessageContaining("needs redis-server or valkey-server on PATH")
        .withMessageContaining("Install one");
  }

  @Test
  void aFolderIsNoProgram() throws IOException {
    Files.delete(folder.resolve("redis-server"));
    Files.createDirectory(folder.resolve("redis-server"));

    assertThat(path.find("redis-server")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, linux-amd64",
    "Linux, aarch64, linux-arm64",
    "Mac OS X, x86_64, darwin-amd64",
    "Mac OS X, aarch64, darwin-arm64",
  })
  void oneIsBundledFor(String system, String processor, String suffix) throws IOException {
    String name = BundledServer.resourceName(system, processor);

    assertThat(name).isNotNull().endsWith(suffix);
    try (var in = BundledServer.class.getResourceAsStream("/" + name)) {
      assertThat(in).as(name).isNotNull();
    }
  }

  @ParameterizedTest
  @CsvSource({"Windows 11, amd64", "Linux, riscv64", "FreeBSD, amd64"})
  void noneIsBundledFor(String system, String processor) {
    assertThat(BundledServer.resourceName(system, processor)).isNull();
  }

  @Test
  void aServerWithoutTlsRejectsItsDirectives() throws IOException {
    String rejected = "*** FATAL CONFIG FILE ERROR *** >>> ";
    program("with", "Redis server v=7.0.15; " + rejected + "no-such-line");
    program("without", "Redis server v=7.0.15; " + rejected + "'\"'\"'tls-port 0'\"'\"'");

    assertThat(ServerBinary.at(folder.resolve("with")).hasTls()).isTrue();
    assertThat(ServerBinary.at(folder.resolve("without")).hasTls()).isFalse();
  }
}
