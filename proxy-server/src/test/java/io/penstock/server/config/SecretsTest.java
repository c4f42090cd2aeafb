package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.server.start.StartConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

/** Passwords and tokens that are not in the configuration itself. */
class SecretsTest {

  private static final String RESOURCE = "penstock.transpond.local.resource";
  private static final String FILE = "penstock.transpond.local.password-file";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private String file;

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(folder.resolve("secret"), "s3cret\n").toString();
  }

  private static ProxySettings read(String... keysAndValues) {
    MockEnvironment environment = new MockEnvironment();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      environment.setProperty(keysAndValues[i], keysAndValues[i + 1]);
    }
    return StartConfiguration.read(environment).settings();
  }

  private static void rejected(String key, String reason, String... keysAndValues) {
    assertThatExceptionOfType(InvalidConfigurationException.class)
        .isThrownBy(() -> read(keysAndValues))
        .satisfies(e -> {
          assertThat(e.fault().key()).isEqualTo(key);
          assertThat(e.fault().reason()).isEqualTo(reason);
          assertThat(e.fault().toString()).doesNotContain("s3cret");
        });
  }

  private static Credentials credentials(ProxySettings settings) {
    return Objects.requireNonNull(
        settings.respUpstreams().getFirst().kind().access().credentials(), "credentials");
  }

  @Test
  void aFileHasThePasswordOfClients() {
    ProxySettings settings = read(RESOURCE, "redis://h:1", "penstock.password-file", file);

    assertThat(settings.listeners().getFirst().listen().password()).isEqualTo("s3cret");
  }

  @Test
  void eachListenerHasItsOwnFile() {
    ProxySettings settings =
        read(
            RESOURCE,
            "redis://h:1",
            "penstock.listeners.main.port",
            "1",
            "penstock.listeners.main.password-file",
            file,
            "penstock.listeners.open.port",
            "2");

    assertThat(settings.listeners().getFirst().listen().password()).isEqualTo("s3cret");
    assertThat(settings.listeners().getLast().listen().password()).isNull();
  }

  @Test
  void aPasswordAndAFileConflict() {
    rejected(
        "penstock.password-file",
        "penstock.password is set too",
        RESOURCE,
        "redis://h:1",
        "penstock.password",
        "s3cret",
        "penstock.password-file",
        file);
    rejected(
        RESOURCE,
        "it has a password, and there is a password-file too",
        RESOURCE,
        "redis://app:s3cret@h:1",
        FILE,
        file);
  }

  @Test
  void aFileWithoutServersIsRejected() {
    rejected(
        FILE,
        "penstock.transpond.local.resource, whose password it has, is not set",
        "penstock.upstreams.orders.resource",
        "redis://app@h:1",
        FILE,
        file);
  }

  @Test
  void aFileThatCannotBeUsedNamesTheKey() {
    rejected(
        "penstock.upstreams.orders.password-file",
        "there is no such file",
        "penstock.upstreams.orders.resource",
        "redis://app@h:1",
        "penstock.upstreams.orders.password-file",
        folder.resolve("none").toString());
  }

  /** Without a file, what precedes the @ is the password, as in other clients. */
  @ParameterizedTest
  @CsvSource({
    "redis://app@h:1, app",
    "rediss-cluster://app@h:1, app",
    "redis://app:@h:1, app",
    "redis://a%40b@h:1, a@b",
    "redis://@h:1,",
    "redis://:@h:1,",
    "redis://h:1,"
  })
  void withAFileTheUrlHasTheUser(String url, String user) {
    assertThat(credentials(read(RESOURCE, url, FILE, file)))
        .isEqualTo(new Credentials(user, "s3cret"));
  }

  @Test
  void withoutAFileTheUrlHasThePassword() {
    assertThat(credentials(read(RESOURCE, "redis://app@h:1")))
        .isEqualTo(new Credentials(null, "app"));
  }

  @Test
  void sentinelsHaveAFileOfTheirOwn() throws IOException {
    String other = Files.writeString(folder.resolve("other"), "w@tch").toString();
    ProxySettings settings =
        read(
            "penstock.upstreams.orders.resource",
            "redis-sentinel://app@h:1/m?sentinelUserName=guard",
            "penstock.upstreams.orders.password-file",
            file,
            "penstock.upstreams.orders.sentinel-password-file",
            other);

    var kind = (SentinelUpstreamSettings) settings.respUpstreams().getFirst().kind();
    assertThat(kind.credentials()).isEqualTo(new Credentials("app", "s3cret"));
    assertThat(kind.sentinelCredentials()).isEqualTo(new Credentials("guard", "w@tch"));
    rejected(
        RESOURCE,
        "it names no sentinels, and there is a sentinel-password-file",
        RESOURCE,
        "redis://h:1",
        "penstock.transpond.local.sentinel-password-file",
        file);
  }

  @Test
  void aFileIsForAllServersOfShards() {
    ProxySettings settings =
        read(
            "penstock.upstreams.x.shards.distribution",
            "modula",
            "penstock.upstreams.x.shards.servers",
            "redis://app@h:1,redis://h:2",
            "penstock.upstreams.x.password-file",
            file);

    assertThat(settings.respUpstreams().getFirst().kind().parts())
        .extracting(shard -> shard.access().credentials())
        .containsExactly(new Credentials("app", "s3cret"), new Credentials(null, "s3cret"));
  }

  @Test
  void aTreeHasPasswordsAndAVariableTheUrl() throws IOException {
    Files.createDirectories(folder.resolve("tree/penstock"));
    Files.writeString(folder.resolve("tree/penstock/password"), "s3cret\n");
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(
            new ConfigTreePropertySource(
                "tree",
                folder.resolve("tree"),
                ConfigTreePropertySource.Option.AUTO_TRIM_TRAILING_NEW_LINE));
    String variables = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    environment
        .getPropertySources()
        .replace(
            variables,
            new SystemEnvironmentPropertySource(
                variables, Map.of("PENSTOCK_TRANSPOND_LOCAL_RESOURCE", "redis://h:1")));

    assertThat(
            StartConfiguration.read(environment)
                .settings()
                .listeners()
                .getFirst()
                .listen()
                .password())
        .isEqualTo("s3cret");
  }

  @Test
  void aFileHasTheTokenOfTheManagementPort() {
    MockEnvironment environment =
        new MockEnvironment()
            .withProperty(RESOURCE, "redis://h:1")
            .withProperty("penstock.management-token-file", file);

    assertThat(StartConfiguration.read(environment).managementToken()).isEqualTo("s3cret");
  }
}
