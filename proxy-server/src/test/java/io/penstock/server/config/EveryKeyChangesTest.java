package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import io.penstock.core.Proxy;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.change.ChangePlan.Action;
import io.penstock.core.change.ChangePlan.Step;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.server.change.Effect;
import io.penstock.server.start.StartConfiguration;
import io.penstock.testkit.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Changes each key of the configuration once, and compares what a running proxy would do with what
 * the reference says about the key. {@code LiveKeysIT} and {@code SettingsChangeIT} show that it
 * does it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryKeyChangesTest {

  /** Keys that the application applies itself, without the core. */
  private static final Set<String> OF_THE_APPLICATION =
      Set.of(
          "readiness",
          "reload",
          "management-token",
          "management-token-file",
          "dynamic",
          "check-interval-millis",
          "transpond.redis-conf.multi-write-mode");

  /** Keys with one possible value so far. */
  private static final Set<String> OF_ONE_VALUE = Set.of("transpond.type");

  /** Has other keys with each of its values: see {@link #aTypeChangesWithItsKey}. */
  private static final String TYPE = "penstock.transpond.local.type";

  /** A key that no configuration may have so far. */
  private static final String REJECTED = "users.settings.NAME.upstream";

  /** Lists whose elements alone can be written. */
  static final Set<String> OF_SECTIONS =
      Set.of(
          "penstock.tls.users",
          "penstock.listeners.NAME.tls.users",
          "penstock.upstreams.NAME.shards.slots",
          "penstock.upstreams.NAME.by-prefix",
          "penstock.upstreams.NAME.weighted");

  private static final String EARLIER = "penstock.transpond.redis-conf.shading-func";

  private final Map<String, Base> bases = new HashMap<>();

  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /** A valid configuration to change, and a proxy that has it. */
  private record Base(Map<String, String> keys, StartConfiguration valid, Proxy proxy) {}

  @BeforeAll
  void prepare(@TempDir Path temporary) throws IOException {
    folder = temporary;
    Files.writeString(folder.resolve("earlier"), "earlier");
    Files.writeString(folder.resolve(KeyChange.FILE), "another");
    Files.writeString(folder.resolve(KeyChange.ACL), "user name on ~* +@all\n");
    X509Bundle identity = TestAuthority.create("authority").issue("node");
    Map<String, String> bundles = new TreeMap<>();
    for (String bundle : List.of("edge", "other")) {
      String key = "spring.ssl.bundle.pem." + bundle + ".";
      bundles.put(key + "keystore.certificate", identity.getCertificatePathPEM());
      bundles.put(key + "keystore.private-key", identity.getPrivateKeyPEM());
      bundles.put(key + "truststore.certificate", identity.getCertificatePathPEM());
    }
    addBases("", "penstock.", bundles, "penstock.transpond.local.");
    addTables();
    Map<String, String> named = new TreeMap<>(bundles);
    named.put("penstock.listeners.name.upstream", "name");
    named.put("penstock.upstreams.other.resource", "redis-cluster://h:2");
    addBases("named ", "penstock.listeners.name.", named, "penstock.upstreams.name.");
    named.put("penstock.listeners.name.port", "7001");
    addShards(named, "penstock.upstreams.name.shards.");
    addRules(named, "penstock.upstreams.name.");
    addTcp(named, "penstock.upstreams.name.tcp.");
  }

  /** Adds what keys of listeners and upstreams need, for the default ones or for named ones. */
  private void addBases(String kind, String listener, Map<String, String> common, String upstream) {
    String resource = upstream + "resource";
    Map<String, String> withPort = with(common, listener + "port", "7001");
    Map<String, String> plain = with(withPort, resource, "redis-cluster://h:1");
    base(kind + "plain", plain);
    base(kind + "sync", with(plain, "penstock.dispatch", "sync"));
    base(kind + "replicas", with(plain, "penstock.reads.from", "any"));
    base(kind + "balancer", with(plain, listener + "proxy-protocol.from", "10.0.0.0/8"));
    String soft = "penstock.client-output-buffer-limit.normal.soft-";
    base(kind + "soft", with(plain, soft + "limit", "1MB", soft + "seconds", "1"));
    base(
        kind + "shadowed",
        with(
            plain,
            "penstock.upstreams.copy.resource",
            "redis://h:8",
            "penstock.upstreams.copy-too.resource",
            "redis://h:9",
            upstream + "shadow.upstream",
            "copy"));
    base(
        kind + "tls",
        with(
            withPort,
            resource,
            "rediss-cluster://h:1",
            upstream + "tls.bundle",
            "edge",
            listener + "tls.bundle",
            "edge",
            listener + "tls.client-auth",
            "need"));
    String certificate = listener + "tls.users[0].cn";
    base(
        kind + "certificates",
        with(Objects.requireNonNull(bases.get(kind + "tls")).keys(), certificate, "a"));
    String user = listener + "users.settings.name.";
    base(
        kind + "users",
        with(
            plain,
            listener + "users.rules[0]",
            "user name on ~* +@all",
            user + "rate-limit",
            "9/s",
            user + "key-prefix",
            "a:"));
    String facade = listener + "cluster-facade.";
    base(
        kind + "facade",
        with(
            plain,
            facade + "enabled",
            "true",
            facade + "announce-host",
            "10.0.0.1",
            facade + "nodes",
            "10.0.0.1:7001,10.0.0.7:7001,10.0.0.1:77"));
    base(
        kind + "unix",
        with(
            common,
            resource,
            "redis-cluster://h:1",
            listener + "path",
            "/run/a.sock",
            listener + "mode",
            "0660",
            listener + "owner",
            "1"));
    String earlier = folder.resolve("earlier").toString();
    base(kind + "secrets", with(plain, upstream + "password-file", earlier));
    base(
        kind + "sentinel",
        with(
            withPort,
            resource,
            "redis-sentinel://h:26379/main",
            upstream + "sentinel-password-file",
            earlier));
  }

  private void addTables() throws IOException {
    Files.writeString(folder.resolve(KeyChange.TABLE), "redis://@h:9");
    Path sharded = folder.resolve("sharded.json");
    Files.writeString(
        sharded,
        """
        {"type": "sharding",
         "operation": {"bucketSize": 2, "operationMap": {"0": "redis://@h:1", "1": "redis://@h:2"}}}
        """);
    String route = "penstock.transpond.local.";
    Map<String, String> table =
        Map.of(
            "penstock.port", "7001", route + "type", "complex", route + "json-file", "" + sharded);
    base("table", table);
    base("earlier table", with(table, EARLIER, "DefaultHashTagShardingFunc"));
  }

  private void addRules(Map<String, String> named, String upstream) {
    Map<String, String> others = with(named, "penstock.upstreams.third.resource", "redis://h:3");
    Map<String, String> servers =
        with(
            others,
            "penstock.upstreams.fourth.resource",
            "redis://h:4",
            "penstock.upstreams.fifth.resource",
            "redis://h:5");
    base(
        "named copied",
        with(
            servers,
            upstream + "primary",
            "fourth",
            upstream + "copies",
            "fifth",
            "penstock.upstreams.copy-too.resource",
            "redis://h:9"));
    base(
        "named split",
        with(servers, upstream + "split.write", "fourth", upstream + "split.read", "fifth"));
    base(
        "named tenants",
        with(
            others,
            upstream + "by-prefix[0].prefix",
            "a:",
            upstream + "by-prefix[0].upstream",
            "other",
            upstream + "by-prefix[1].prefix",
            "c:",
            upstream + "by-prefix[1].upstream",
            "third",
            upstream + "otherwise",
            "other"));
    base(
        "named canary",
        with(
            others,
            upstream + "weighted[0].upstream",
            "other",
            upstream + "weighted[0].weight",
            "5"));
  }

  private void addTcp(Map<String, String> named, String tcp) {
    base("named tcp", with(named, tcp + "servers", "h:1", tcp + "health-check.fails", "2"));
  }

  private void addShards(Map<String, String> named, String shards) {
    Map<String, String> ring =
        with(
            named,
            shards + "distribution",
            "ketama",
            shards + "servers[0].to",
            "redis://h:1",
            shards + "servers[0].name",
            "first",
            shards + "servers[1].to",
            "redis://h:2",
            shards + "servers[1].name",
            "second");
    base("named ring", ring);
    base("named ejecting", with(ring, shards + "auto-eject.failures", "5"));
    base(
        "named flat",
        with(
            named,
            shards + "distribution",
            "ketama",
            shards + "servers",
            "redis://h:1,redis://h:2"));
    base(
        "named tokens",
        with(
            named,
            shards + "distribution",
            "dynomite",
            shards + "servers[0].to",
            "redis://h:1",
            shards + "servers[0].token",
            "5"));
    base(
        "named codis",
        with(
            named,
            shards + "distribution",
            "codis",
            shards + "slots[0].range",
            "0-511",
            shards + "slots[0].to",
            "redis://h:1",
            shards + "slots[1].range",
            "512-1023",
            shards + "slots[1].to",
            "redis://h:1"));
    base(
        "named listed",
        with(
            named,
            shards + "distribution",
            "camellia",
            shards + "slots[0].list",
            "0,1",
            shards + "slots[0].to",
            "redis://h:1"));
  }

  private static Map<String, String> with(Map<String, String> keys, String... more) {
    Map<String, String> all = new TreeMap<>(keys);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private void base(String name, Map<String, String> keys) {
    StartConfiguration valid = StartConfiguration.read(environment(keys));
    bases.put(name, new Base(keys, valid, Proxy.create(valid.settings(), ProxyEvents.NONE)));
  }

  private static StandardEnvironment environment(Map<String, String> keys) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", Map.copyOf(keys)));
    return environment;
  }

  @AfterAll
  void close() {
    bases
        .values()
        .forEach(base ->
            base.proxy().shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join());
  }

  static Stream<String> keys() {
    return PropertiesReader.KEYS.effects().keySet().stream()
        .filter(key -> !OF_SECTIONS.contains(key) && !key.equals(TYPE) && !key.endsWith(REJECTED));
  }

  @Test
  void aTypeChangesWithItsKey() {
    Base base = Objects.requireNonNull(bases.get("plain"));
    Map<String, String> changed = new TreeMap<>(base.keys());
    changed.remove("penstock.transpond.local.resource");
    changed.put(TYPE, "complex");
    changed.put("penstock.transpond.local.json-file", "" + folder.resolve(KeyChange.TABLE));

    StartConfiguration after = base.valid().successor(environment(changed), null);

    assertThat(base.proxy().plan(after.settings()).steps())
        .isNotEmpty()
        .allMatch(step -> effectOf(step) == Effect.DRAINS);
    assertThat(PropertiesReader.KEYS.effects()).containsEntry(TYPE, Effect.DRAINS);
  }

  @Test
  void aListHasTheEffectOfItsElements() {
    Map<String, Effect> effects = PropertiesReader.KEYS.effects();
    for (String list : OF_SECTIONS) {
      assertThat(effects).containsKey(list);
      assertThat(effects.keySet().stream().filter(key -> key.startsWith(list + "[].")))
          .isNotEmpty()
          .allSatisfy(key -> assertThat(effects.get(key)).isEqualTo(effects.get(list)));
    }
  }

  @ParameterizedTest
  @MethodSource("keys")
  void aKeyChangesAsTheReferenceSays(String key) {
    String suffix = KeyChange.suffix(key);
    if (OF_ONE_VALUE.contains(suffix)) {
      assertThat(PropertiesReader.KEYS.effects()).containsEntry(key, Effect.RESTART);
      return;
    }
    KeyChange change = KeyChange.of(key);
    Effect effect = Objects.requireNonNull(PropertiesReader.KEYS.effects().get(key));
    boolean named = key.matches("penstock\\.(listeners|upstreams)\\.NAME\\..*");
    Base base = bases.get((named ? "named " : "") + change.base());

    ChangePlan plan = plan(Objects.requireNonNull(base), key, change.value());

    if (OF_THE_APPLICATION.contains(suffix)) {
      assertThat(plan.isEmpty()).isTrue();
      assertThat(effect).isEqualTo(Effect.LIVE);
    } else {
      assertThat(plan.steps()).isNotEmpty().allMatch(step -> effectOf(step) == effect);
    }
  }

  private ChangePlan plan(Base base, String key, String value) {
    Map<String, String> changed = new TreeMap<>(base.keys());
    String[] values =
        (Set.of(KeyChange.FILE, KeyChange.TABLE, KeyChange.ACL).contains(value)
                ? folder.resolve(value).toString()
                : value)
            .split("\\|");
    for (int i = 0; i < values.length; i++) {
      changed.put(key.replace(".NAME", ".name").replace("[]", "[" + i + "]"), values[i]);
    }
    StartConfiguration after = base.valid().successor(environment(changed), null);
    assertThat(after.properties()).isNotEqualTo(base.valid().properties());
    return base.proxy().plan(after.settings());
  }

  private static Effect effectOf(Step step) {
    if (step.action() == Action.RESTART) {
      return Effect.RESTART;
    }
    List<String> what = List.of(step.what().split(", "));
    return what.contains("servers") || what.contains("upstream") ? Effect.DRAINS : Effect.LIVE;
  }
}
