package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.GeneratedTables;
import io.penstock.server.change.Effect;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;

class ConfigurationPageTest {

  private static final Path EXAMPLE = Path.of("../config/application.yml");

  /** A key that is a comment, because it has no default that could be written. */
  private static final Pattern COMMENTED_KEY =
      Pattern.compile("^( *)# ( *[a-z][a-z-]*:(?: .*)?)$", Pattern.MULTILINE);

  @Test
  void tablesAreGeneratedFromTheCode() throws Exception {
    GeneratedTables.verify(
        ConfigurationPage.FILE, new ConfigurationPage()::table, ConfigurationPageTest.class);
  }

  @Test
  void everyKeyIsInOneTable() throws Exception {
    List<String> documented =
        new ConfigurationPage().blocks().stream().flatMap(List::stream).toList();

    assertThat(documented).containsExactlyInAnyOrderElementsOf(currentKeys());
  }

  @Test
  void everyKeySaysHowAChangeTakesEffect() {
    Map<String, Effect> effects = PropertiesReader.KEYS.effects();

    assertThat(effects.keySet())
        .containsAll(PropertiesReader.KEYS.names().map(KeyTree::shown).toList());
    assertThat(effects)
        .containsEntry("penstock.dispatch", Effect.RESTART)
        .containsEntry("penstock.sync.max-connections-per-node", Effect.RESTART)
        .containsEntry("penstock.upstreams.NAME.resource", Effect.DRAINS)
        .containsEntry("penstock.upstreams.NAME.password-file", Effect.LIVE)
        .containsEntry("penstock.listeners.NAME.port", Effect.LIVE);
  }

  @Test
  void otherKeysHaveTheDefaultsOfTheApplication() throws IOException {
    YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
    yaml.setResources(new ClassPathResource("io/penstock/server/sources/defaults.yml"));
    Properties defaults = Objects.requireNonNull(yaml.getObject());
    String page = Files.readString(ConfigurationPage.FILE);

    for (String key :
        List.of("management.server.port", "spring.lifecycle.timeout-per-shutdown-phase")) {
      assertThat(page)
          .containsPattern("\\| `" + key + "` \\| [^|]+ \\| `" + defaults.get(key) + "` \\|");
    }
  }

  /** That the values are the defaults is tested where the file is read. */
  @Test
  void theExampleFileHasEveryKey() throws IOException {
    String uncommented = COMMENTED_KEY.matcher(Files.readString(EXAMPLE)).replaceAll("$1$2");
    YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
    yaml.setResources(new ByteArrayResource(uncommented.getBytes(StandardCharsets.UTF_8)));
    Properties keys = Objects.requireNonNull(yaml.getObject());

    assertThat(
            keys.keySet().stream()
                .map(key -> key.toString().replaceFirst("\\[\\d+]$", ""))
                .flatMap(key -> Stream.of(key, key.replaceFirst("\\[\\d+]\\..*", ""))) // a list
                .filter(key -> key.startsWith("penstock."))
                .map(key -> KeyTree.template(KeyNames.canonical(ConfigurationPropertyName.of(key))))
                .filter(key -> KeyNames.inherited(key) == null)
                .map(KeyTree::shown)
                .distinct())
        .containsExactlyInAnyOrderElementsOf(currentKeys());
  }

  private static List<String> currentKeys() {
    return PropertiesReader.KEYS
        .names()
        .filter(key -> KeyNames.inherited(key) == null)
        .map(KeyTree::shown)
        .filter(key -> !ConfigurationPage.isLikeOutside(key))
        .toList();
  }
}
