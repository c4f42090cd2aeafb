package io.penstock.server.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.sources.InvalidYamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

class ReadingTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private Reading reading(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.config.location=file:" + folder + "/");
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new SimpleCommandLinePropertySource(all.toArray(String[]::new)));
    return new Reading(StartSources.of(environment.getPropertySources(), List.of()));
  }

  private Path write(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.writeString(file, content);
  }

  @Test
  void readsWhatTheFileSaysNow() throws IOException {
    write("application.yml", "penstock.port: 1");
    Reading reading = reading();
    assertThat(reading.read().getProperty("penstock.port")).isEqualTo("1");
    write("application.yml", "penstock.port: 2");

    assertThat(reading.read().getProperty("penstock.port")).isEqualTo("2");
  }

  @Test
  void argumentsWinAsAtTheStart() throws IOException {
    write("application.yml", "penstock.port: 1");

    assertThat(reading("--penstock.port=3").read().getProperty("penstock.port")).isEqualTo("3");
  }

  @Test
  void profilesSelectFiles() throws IOException {
    write("application.yml", "penstock.port: 1");
    write("application-blue.yml", "penstock.port: 2");
    Reading reading = reading("--spring.profiles.active=blue");

    ConfigurableEnvironment environment = reading.read();

    assertThat(environment.getProperty("penstock.port")).isEqualTo("2");
    assertThat(environment.matchesProfiles("blue")).isTrue();
    assertThat(reading.files().files()).contains(folder.resolve("application-blue.yml"));
  }

  @Test
  void importsAreRead() throws IOException {
    Path more = write("other/more.yml", "penstock.max-clients: 5");
    write("tree/penstock/password", "s3cret\n");
    Path tree = folder.resolve("tree");
    Path later = folder.resolve("later");
    write(
        "application.yml",
        "spring.config.import: ['%s', 'configtree:%s/', 'optional:configtree:%s/']"
            .formatted(more, tree, later));
    Reading reading = reading();

    ConfigurableEnvironment environment = reading.read();

    assertThat(environment.getProperty("penstock.max-clients")).isEqualTo("5");
    assertThat(environment.getProperty("penstock.password")).isEqualTo("s3cret");
    assertThat(reading.files().files()).contains(more, folder.resolve("application.yml"));
    assertThat(reading.files().trees()).contains(tree, later);
    Files.writeString(tree.resolve("penstock/password"), "n3w");
    assertThat(reading.read().getProperty("penstock.password")).isEqualTo("n3w");
    Files.createDirectories(later);
    Files.writeString(later.resolve("penstock.port"), "9");
    assertThat(reading.read().getProperty("penstock.port")).isEqualTo("9");
  }

  @Test
  void filesThatKeysNameAreAmongTheFiles() throws IOException {
    write("application.yml", "penstock.upstreams.a.password-file: /run/none");
    Reading reading = reading();

    reading.read();

    assertThat(reading.files().files()).contains(Path.of("/run/none"));
  }

  @Test
  void aResourceTableIsAmongTheFiles() throws IOException {
    Path table = folder.resolve("table.json");
    write("application.yml", "camellia-redis-proxy.transpond.local.json-file: " + table);
    Reading reading = reading();
    ConfigurableEnvironment environment = reading.read();

    assertThat(SourceNames.of(environment))
        .containsExactly(folder.resolve("application.yml").toString(), table.toString());
    assertThat(reading.files().files()).contains(table);
    assertThat(reading.files().only(table).all()).containsExactly(table);
    assertThat(reading.files().only(folder.resolve("other")).all()).isEmpty();
  }

  @Test
  void aFileThatIsNoYamlIsNamed() throws IOException {
    write("application.yml", "penstock: {port: 1}");
    Reading reading = reading();
    reading.read();
    write("application.yml", "penstock: [port");

    assertThatThrownBy(reading::read)
        .isInstanceOfSatisfying(
            InvalidYamlException.class, e -> assertThat(e.file()).contains("application.yml"));
    assertThat(reading.files().files()).contains(folder.resolve("application.yml"));
    write("application.yml", "penstock: {port: 2}");
    assertThat(reading.read().getProperty("penstock.port")).isEqualTo("2");
  }
}
