package io.penstock.server.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.config.PenstockProperties;
import io.penstock.server.start.StartConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

class ConfigurationTreeTest {

  private static PenstockProperties properties(String... keysAndValues) {
    MockEnvironment environment = new MockEnvironment();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      environment.setProperty(keysAndValues[i], keysAndValues[i + 1]);
    }
    return StartConfiguration.read(environment).properties();
  }

  @Test
  void showsDefaultsAndNoSecrets() {
    PenstockProperties now =
        properties(
            "penstock.transpond.local.resource",
            "redis-cluster://app:s3cret@h:1",
            "penstock.password",
            "s3cret",
            "penstock.management-token",
            "s3cret");

    Map<String, Object> tree = ConfigurationTree.of(now, now);

    assertThat(tree)
        .containsEntry("password", "***")
        .containsEntry("management-token", "***")
        .containsEntry("max-clients", 10_000)
        .containsEntry("tcp-keepalive", "5m")
        .containsEntry("proto-max-bulk-len", "512MB")
        .containsEntry("transport", "auto")
        .containsEntry("readiness", "any-slot")
        .doesNotContainKey("event-loops");
    assertThat(tree.toString())
        .doesNotContain("s3cret")
        .contains("resource=redis-cluster://app:***@h:1");
  }

  @Test
  void showsTheUserOfAUrlWhosePasswordIsInAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("p"), "s3cret");
    PenstockProperties now =
        properties(
            "penstock.upstreams.a.resource",
            "rediss-cluster://app@h:1",
            "penstock.upstreams.a.password-file",
            file.toString(),
            "penstock.upstreams.b",
            "redis://s3cret@h:2",
            "penstock.listeners.main.port",
            "1",
            "penstock.listeners.main.upstream",
            "a",
            "penstock.listeners.main.password",
            "s3cret");

    Map<String, Object> tree = ConfigurationTree.of(now, now);

    assertThat(tree).doesNotContainKeys("port", "bind", "password");
    assertThat(tree.toString())
        .contains("resource=rediss-cluster://app@h:1", "resource=redis://***@h:2")
        .contains("password-file=" + file)
        .doesNotContain("s3cret");
  }

  @Test
  void thePasswordFileOfClientsSaysNothingAboutUrls(@TempDir Path folder) throws IOException {
    String file = Files.writeString(folder.resolve("p"), "clients").toString();
    String resource = "penstock.transpond.local.resource";
    String ofOther = "penstock.upstreams.a";
    PenstockProperties ofDefault =
        properties(
            "penstock.password-file",
            file,
            resource,
            "redis://s3cret@10.0.0.1:6379",
            ofOther,
            "redis://s3cret@10.0.0.2:6379");
    PenstockProperties ofListener =
        properties(
            "penstock.listeners.main.port",
            "1",
            "penstock.listeners.main.upstream",
            "a",
            "penstock.listeners.main.password-file",
            file,
            resource,
            "redis://s3cret@10.0.0.1:6379",
            ofOther,
            "redis://s3cret@10.0.0.2:6379");

    for (PenstockProperties now : List.of(ofDefault, ofListener)) {
      assertThat(ConfigurationTree.of(now, now).toString())
          .contains("password-file=" + file)
          .contains("redis://***@10.0.0.1:6379", "redis://***@10.0.0.2:6379")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void thePasswordFileOfAnUpstreamConcernsItsOwnUrlsOnly(@TempDir Path folder) throws IOException {
    String file = Files.writeString(folder.resolve("p"), "nodes").toString();
    PenstockProperties now =
        properties(
            "penstock.transpond.local.resource",
            "redis://app@h:1",
            "penstock.transpond.local.password-file",
            file,
            "penstock.upstreams.a.shards.distribution",
            "modula",
            "penstock.upstreams.a.shards.servers",
            "redis://app@h:2,redis://h:3",
            "penstock.upstreams.a.password-file",
            file,
            "penstock.upstreams.b",
            "redis://s3cret@h:4");

    assertThat(ConfigurationTree.of(now, now).toString())
        .contains("redis://app@h:1", "redis://app@h:2", "redis://***@h:4")
        .doesNotContain("s3cret");
  }

  @Test
  void masksUrlsOfShards() {
    PenstockProperties now =
        properties(
            "penstock.upstreams.a.shards.distribution",
            "modula",
            "penstock.upstreams.a.shards.servers",
            "redis://:s3cret@h:1?weight=2,redis://h:2");

    assertThat(ConfigurationTree.of(now, now).toString())
        .contains("redis://:***@h:1?weight=2", "redis://h:2")
        .doesNotContain("s3cret");
  }

  @Test
  void permissionsOfASocketAreAsAtTheStart() {
    String[] keys = {"penstock.listeners.a.path", "/run/a", "penstock.upstreams.b", "redis://h:1"};
    String mode = "penstock.listeners.a.mode";
    PenstockProperties start = properties(keys[0], keys[1], keys[2], keys[3], mode, "0660");
    PenstockProperties now = properties(keys[0], keys[1], keys[2], keys[3], mode, "0600");

    assertThat(ConfigurationTree.of(now, start).toString()).contains("mode=0660");
  }

  @Test
  void whatNeedsARestartIsAsAtTheStart() {
    String resource = "penstock.transpond.local.resource";
    PenstockProperties start = properties(resource, "redis://h:1", "penstock.event-loops", "2");
    PenstockProperties now =
        properties(
            resource,
            "redis://h:1",
            "penstock.event-loops",
            "3",
            "penstock.sync.max-connections-per-node",
            "7",
            "penstock.bind",
            "127.0.0.1,::1");

    Map<String, Object> tree = ConfigurationTree.of(now, start);

    assertThat(tree)
        .containsEntry("event-loops", 2)
        .containsEntry("bind", List.of("127.0.0.1", "::1"));
    assertThat(tree)
        .extractingByKey("sync", InstanceOfAssertFactories.MAP)
        .containsEntry("max-connections-per-node", 256);
  }
}
