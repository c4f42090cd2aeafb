package io.penstock.server.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

class FacadeMappingTest {

  private static @Nullable ClusterFacade map(Map<String, String> keys) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("penstock.transpond.local.resource", "redis://h:1");
    keys.forEach((key, value) -> values.put("penstock." + key, value));
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
      validator.afterPropertiesSet();
      PropertiesReader reader = new PropertiesReader(environment);
      return new SettingsMapping(reader)
          .map(reader.read(validator), null)
          .listeners()
          .getFirst()
          .facade();
    }
  }

  private static ConfigurationFault fault(Map<String, String> keys) {
    return catchThrowableOfType(InvalidConfigurationException.class, () -> map(keys)).fault();
  }

  private static Map<String, String> enabled(String... keysAndValues) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("cluster-facade.enabled", "true");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      keys.put("cluster-facade." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return keys;
  }

  @Test
  void thereIsNoFacadeUntilItIsEnabled() {
    assertThat(map(Map.of("cluster-facade.nodes", "h:1"))).isNull();
    assertThat(map(enabled())).isEqualTo(new ClusterFacade(List.of(), null, 0));
  }

  @Test
  void nodesMayBeWrittenInAnyListSyntax() {
    var wanted =
        new ClusterFacade(List.of(new Endpoint("a", 6380), new Endpoint("::1", 6380)), "::1", 0);

    assertThat(map(enabled("nodes", "a:6380,[::1]:6380", "announce-host", "::1")))
        .isEqualTo(wanted);
    assertThat(map(enabled("nodes[0]", "a:6380", "nodes[1]", "[::1]:6380", "announce-host", "::1")))
        .isEqualTo(wanted);
  }

  @Test
  void theAnnouncedPortMayDifferFromTheListeningPort() {
    assertThat(map(enabled("nodes", "a:1,b:2", "announce-host", "b", "announce-port", "2")))
        .isEqualTo(new ClusterFacade(List.of(new Endpoint("a", 1), new Endpoint("b", 2)), "b", 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          a            | b    | nodes         | a has no port
          a:x          | a    | nodes         | the port of a is 'x', not a number from 1 to 65535
          a:1;a:1      | a    | nodes         | a:1 is listed twice
          a:6380;b:6380|      | announce-host | it is not set, and is needed to find this instance among the nodes
          a:6380;b:6380| c    | nodes         | this instance, c:6380, is not listed
          a:6380       | c d  | announce-host | 'c d' is not a host name or address
          """)
  void misleadingSettingsAreRejected(
      String nodes, @Nullable String host, String key, String reason) {
    Map<String, String> keys = enabled("nodes", nodes.replace(';', ','));
    if (host != null) {
      keys.put("cluster-facade.announce-host", host);
    }

    ConfigurationFault fault = fault(keys);

    assertThat(fault.key()).isEqualTo("penstock.cluster-facade." + key);
    assertThat(fault.reason()).isEqualTo(reason);
    assertThat(fault.fix()).isNotEmpty();
  }

  @Test
  void aFreePortCannotBeAnnounced() {
    Map<String, String> keys = enabled("nodes", "a:1,b:2", "announce-host", "a");
    keys.put("port", "0");

    assertThat(fault(keys).key()).isEqualTo("penstock.cluster-facade.announce-port");
  }

  @Test
  void aMisspeltKeyIsRejected() {
    assertThat(fault(enabled("node[0]", "a:1")).reason()).isEqualTo("there is no such key");
  }
}
