package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.Proxy;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.server.change.Effect;
import io.penstock.server.it.SteadyCluster;
import io.penstock.server.start.StartConfiguration;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Changes each live key of a running proxy and back again, under a connected client, which it must
 * not disturb. Addresses, TLS and secrets are tested by {@code SettingsChangeIT} and {@code
 * ReloadIT}.
 */
@ExtendWith(SteadyCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LiveKeysIT {

  /** What configurations of a plain client and a cluster have besides. */
  private static final Map<String, Map<String, String>> BASES =
      Map.of(
          "plain",
          Map.of(),
          "replicas",
          Map.of("penstock.reads.from", "any"),
          "soft",
          Map.of(
              "penstock.client-output-buffer-limit.normal.soft-limit",
              "1MB",
              "penstock.client-output-buffer-limit.normal.soft-seconds",
              "1"),
          "facade",
          Map.of(
              "penstock.cluster-facade.enabled",
              "true",
              "penstock.cluster-facade.announce-host",
              "10.0.0.1",
              "penstock.cluster-facade.announce-port",
              "7001",
              "penstock.cluster-facade.nodes",
              "10.0.0.1:7001,10.0.0.7:7001,10.0.0.1:77"));

  /** Keys of the application, and where a client connects. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "readiness",
          "reload",
          "management-token",
          "management-token-file",
          "port",
          "bind",
          "path");

  private static final Set<String> FILES = Set.of(KeyChange.FILE, KeyChange.ACL);

  private final Map<String, Running> running = new HashMap<>();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  /** A proxy, and the configuration that it has. */
  private record Running(Map<String, String> keys, StartConfiguration configuration, Proxy proxy) {}

  @BeforeAll
  void use(EmbeddedCluster shared) {
    cluster = shared;
  }

  @AfterAll
  void close() {
    running.values().forEach(each -> result(each.proxy().shutdown()));
  }

  private static <T> T result(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static StandardEnvironment environment(Map<String, String> keys) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", Map.copyOf(keys)));
    return environment;
  }

  private Running start(String base) {
    Map<String, String> keys = new TreeMap<>(Objects.requireNonNull(BASES.get(base)));
    keys.put("penstock.bind", "127.0.0.1");
    keys.put("penstock.port", "0");
    keys.put("penstock.event-loops", "2");
    keys.put("penstock.dispatch", System.getProperty("penstock.dispatch", "async"));
    keys.put("penstock.transpond.local.resource", cluster.resource());
    StartConfiguration configuration = StartConfiguration.read(environment(keys));
    Proxy proxy = Proxy.create(configuration.settings(), ProxyEvents.NONE);
    result(proxy.start());
    return new Running(keys, configuration, proxy);
  }

  static Stream<String> keys() {
    return PropertiesReader.KEYS.effects().entrySet().stream()
        .filter(key -> key.getValue() == Effect.LIVE && !key.getKey().contains(".NAME"))
        .map(Map.Entry::getKey)
        .filter(key -> !EveryKeyChangesTest.OF_SECTIONS.contains(key))
        .filter(key -> !ELSEWHERE.contains(KeyChange.suffix(key)))
        .filter(key -> BASES.containsKey(KeyChange.of(key).base()))
        .filter(key -> !FILES.contains(KeyChange.of(key).value()));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void aConnectedClientIsServedWhileAKeyChanges(String key) {
    KeyChange change = KeyChange.of(key);
    Running now = running.computeIfAbsent(change.base(), this::start);
    Map<String, String> changed = new TreeMap<>(now.keys());
    changed.put(key, change.value());
    int port = Objects.requireNonNull(now.proxy().listeners().getFirst().address()).getPort();
    try (RespClient client = RespClient.open("127.0.0.1", port)) {
      assertThat(client.text("SET", key, "before")).isEqualTo("OK");

      assertThat(apply(now, changed).steps()).hasSize(1);
      assertThat(client.text("SET", key, "after")).isEqualTo("OK");

      assertThat(apply(now, now.keys()).steps()).hasSize(1);
      assertThat(client.text("GET", key)).isEqualTo("after");
    }
  }

  private static ChangePlan apply(Running now, Map<String, String> keys) {
    StartConfiguration next =
        now.configuration()
            .successor(environment(keys), null)
            .withProcessOf(now.proxy().settings());
    return result(now.proxy().apply(next.settings()));
  }
}
