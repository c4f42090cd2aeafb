package io.penstock.server.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.SettingsMapping;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

@ExtendWith(OutputCaptureExtension.class)
class OpenFilesLimitTest {

  private static final int OPEN = 64;
  private static final String SERVER = "redis://h:1";
  private static final String CLUSTER = "redis-cluster://a:1,b:1,c:1";

  /** Two event loops: a server may need 64 + 64 + 2 * 8 + 2 * 3 files, six nodes 180. */
  @ParameterizedTest
  @CsvSource({
    "13334, 10000, async, redis://h:1, 10000",
    "13332, 10000, async, redis://h:1, 9999",
    "4096, 10000, async, redis://h:1, 3072",
    "4096, 3072, async, redis://h:1, 3072",
    "4096, 10000, async, redis-cluster://a:1, 3072",
    "300, 10000, async, redis://h:1, 150",
    "300, 10, async, redis://h:1, 10",
    "300, 10000, async, redis-cluster://a:1, 144",
    "400, 10000, async, redis-cluster://a:1, 220",
    "400, 10000, async, 'redis-cluster://a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8', 208",
    "400, 10000, async, 'redis-sentinel://a:1,b:1,c:1/m', 214",
    "1024, 10000, sync, redis-cluster://a:1, 512",
    "1024, 10000, sync, 'redis-cluster://a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8', 512",
    "4096, 10000, sync, redis-cluster://a:1, 2380",
    "9223372036854775807, 2147483647, sync, redis-cluster://a:1, 2147483647"
  })
  void maxClientsIsLimitedByOpenFiles(
      long files, int wanted, String dispatch, String resource, int admitted) {
    Setting setting =
        new Setting(
            Map.of(
                "max-clients", Integer.toString(wanted),
                "dispatch", dispatch,
                "transpond.local.resource", resource));

    ProxySettings held =
        new OpenFilesLimit(files, OPEN).applyTo(setting.settings(), setting.reader());

    assertThat(held).isEqualTo(setting.withMaxClients(admitted));
    assertThat(held.listeners().getFirst().listen().maxClients()).isEqualTo(admitted);
  }

  /** Two event loops: a server needs 6 files, each cluster of unknown size 36. */
  @Test
  void eachShardNeedsFiles() {
    Setting one = new Setting(Map.of("upstreams.a", CLUSTER));
    Setting shards =
        new Setting(
            Map.of(
                "listeners.l.port", "1",
                "listeners.l.upstream", "x",
                "upstreams.x.shards.distribution", "modula",
                "upstreams.x.shards.servers", "redis://h:1,a,b",
                "upstreams.a", CLUSTER,
                "upstreams.b", "redis-cluster://d:1"));

    int ofOne = admitted(one);
    int ofShards = admitted(shards);

    assertThat(ofOne - ofShards).isEqualTo(36 + 6);
  }

  private static int admitted(Setting setting) {
    return new OpenFilesLimit(500, OPEN)
        .applyTo(setting.settings(), setting.reader())
        .listeners()
        .getFirst()
        .listen()
        .maxClients();
  }

  @Test
  void aLoweredLimitIsLoggedWithReasonAndFix(CapturedOutput output) {
    Setting setting = new Setting(Map.of("transpond.local.resource", CLUSTER));

    new OpenFilesLimit(13_334, OPEN).applyTo(setting.settings(), setting.reader());
    assertThat(output).doesNotContain("accepted");

    new OpenFilesLimit(4_096, OPEN).applyTo(setting.settings(), setting.reader());
    assertThat(output)
        .containsOnlyOnce(
            "penstock.max-clients is 10000, but only 3072 clients are accepted: this process may"
                + " open 4096 files (ulimit -n), of which 1024 are reserved for connections to"
                + " nodes and internal use. Raise ulimit -n to 13334, or lower the key");
  }

  @Test
  void aListenerThatNeedsFewClientsKeepsItsLimit(CapturedOutput output) {
    Setting setting =
        new Setting(
            Map.of(
                "transpond.local.resource", SERVER,
                "listeners.batch.port", "1",
                "listeners.batch.max-clients", "50",
                "listeners.orders.port", "2",
                "listeners.reports.port", "3"));

    ProxySettings lowered =
        new OpenFilesLimit(4_000, OPEN).applyTo(setting.settings(), setting.reader());

    assertThat(lowered.listeners())
        .extracting(ProxySettings.Listener::name, each -> each.listen().maxClients())
        .containsExactlyInAnyOrder(
            tuple("batch", 50), tuple("orders", 1_475), tuple("reports", 1_475));
    assertThat(output)
        .contains("max-clients of all listeners together is 20050, but only ")
        .contains("50 (batch)");
  }

  @Test
  void aLimitTooLowEvenForStartupFailsTheStart() {
    Setting setting = new Setting(Map.of("transpond.local.resource", SERVER));

    ConfigurationFault fault =
        catchThrowableOfType(
                InvalidConfigurationException.class,
                () -> new OpenFilesLimit(146, OPEN).applyTo(setting.settings(), setting.reader()))
            .fault();

    assertThat(fault.key()).isEqualTo("penstock.max-clients");
    assertThat(fault.reason())
        .isEqualTo(
            "this process may open 146 files (ulimit -n), and needs 146 even without clients");
    assertThat(fault.fix()).isEqualTo("raise ulimit -n to 13334, or to 300 for fewer clients");
    assertThat(
            new OpenFilesLimit(147, OPEN)
                .applyTo(setting.settings(), setting.reader())
                .listeners()
                .getFirst()
                .listen()
                .maxClients())
        .isEqualTo(1);
  }

  /** A proxy with {@code dispatch: sync} or more event loops reserves more files. */
  @Test
  void keysThatNeedARestartDoNotLowerTheLimitOfARunningProxy(CapturedOutput output) {
    Map<String, String> keys = Map.of("max-clients", "3000", "transpond.local.resource", CLUSTER);
    StartConfiguration found = StartConfiguration.read(environment(keys));
    StartConfiguration running =
        new StartConfiguration(
            found.keys(),
            found.properties(),
            found.bundles(),
            found.settings(),
            null,
            false,
            new OpenFilesLimit(4_096, 0));
    Map<String, String> changed = new LinkedHashMap<>(keys);
    changed.put("dispatch", "sync");
    changed.put("event-loops", "64");

    StartConfiguration next =
        running.successor(environment(changed), null).withProcessOf(running.settings());

    assertThat(next.settings()).isEqualTo(running.settings());
    assertThat(output).doesNotContain("clients are accepted");

    changed.put("max-clients", "5000");
    next = running.successor(environment(changed), null).withProcessOf(running.settings());
    assertThat(next.settings().listeners().getFirst().listen().maxClients()).isEqualTo(3_072);
  }

  @Test
  void theLimitOfThisProcessIsKnown() {
    OpenFilesLimit limit = OpenFilesLimit.ofThisProcess();

    assertThat(limit.open()).isPositive();
    assertThat(limit.files()).isGreaterThan(limit.open());
  }

  private static StandardEnvironment environment(Map<String, String> keys) {
    Map<String, Object> values = new LinkedHashMap<>(Map.of("penstock.event-loops", "2"));
    keys.forEach((key, value) -> values.put("penstock." + key, value));
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    return environment;
  }

  private record Setting(PropertiesReader reader, ProxySettings settings) {

    ProxySettings withMaxClients(int most) {
      return settings.withListeners(List.of(settings.listeners().getFirst().withMaxClients(most)));
    }

    Setting(Map<String, String> keys) {
      this(reader(keys));
    }

    private Setting(PropertiesReader reader) {
      this(reader, map(reader));
    }

    private static PropertiesReader reader(Map<String, String> keys) {
      return new PropertiesReader(environment(keys));
    }

    private static ProxySettings map(PropertiesReader reader) {
      try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
        validator.afterPropertiesSet();
        return new SettingsMapping(reader).map(reader.read(validator), null);
      }
    }
  }
}
