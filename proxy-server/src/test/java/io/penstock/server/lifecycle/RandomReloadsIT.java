package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.server.it.BusyClient;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random configuration files, valid and invalid, that a running application reads while clients are
 * busy. No request fails, and what is in force is always the last valid file. {@code
 * RandomChangesIT} changes what no file needs to say. {@code -Dpenstock.seed} and {@code
 * -Dpenstock.changes} search further.
 */
class RandomReloadsIT {

  private static final long SEED = Long.getLong("penstock.seed", 32);
  private static final int CHANGES = Integer.getInteger("penstock.changes", 100);
  private static final String KEY = "random-reloads";

  /** Keys below {@code penstock} with values that are valid together, and no defaults. */
  private static final Map<String, List<String>> VALID =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("readiness", List.of("every-slot", "listening")),
              Map.entry("drain-timeout", List.of("1s", "0s", "1m")),
              Map.entry("max-clients", List.of("50", "77", "1000")),
              Map.entry("proto-max-bulk-len", List.of("1MB", "3MB")),
              Map.entry("client-timeout.idle", List.of("30s", "1h")),
              Map.entry("backend.command-timeout", List.of("5s", "7s")),
              Map.entry("backend.failover-hold", List.of("8s", "9s")),
              Map.entry("backend.connections-per-loop", List.of("2", "3")),
              Map.entry("topology.refresh-period", List.of("1s", "20s")),
              Map.entry("commands.deny", List.of("flushall", "keys,flushdb", "'@scripting'")),
              Map.entry("listeners.a.password", List.of("first", "second")),
              Map.entry(
                  "listeners.b",
                  List.of(
                      "{ port: 0, bind: 127.0.0.1, upstream: one }",
                      "{ port: 0, bind: 127.0.0.1, upstream: two }",
                      "{ port: 0, bind: 127.0.0.2, upstream: two, max-clients: 9 }")),
              Map.entry("upstreams.one.backend.connections-per-loop", List.of("4", "5"))));

  /** Lines that no file may have. */
  private static final List<String> INVALID =
      List.of(
          "penstock.max-clients: 0",
          "penstock.max-clientz: 5",
          "penstock.readiness: never",
          "penstock.drain-timeout: 5",
          "penstock.proto-max-bulk-len: 1",
          "penstock.commands.deny: no-such-command",
          "penstock.listeners.b.upstream: none",
          "penstock.listeners.a.password: ''",
          "penstock.listeners.c: { port: 70000, upstream: one }",
          "penstock.listeners.a.password-file: /no/such/file",
          "penstock.upstreams.one.resource: 'redis//x'",
          "penstock.upstreams.two.tls.bundle: none",
          "penstock: [",
          "\tpenstock");

  private final Random random = new Random(SEED);
  private final Map<String, String> keys = new TreeMap<>();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private String yaml(ServerProcess one, ServerProcess two) {
    StringBuilder text = new StringBuilder();
    text.append("penstock.listeners.a: { port: 0, bind: 127.0.0.1 }\n");
    keys.forEach((key, value) ->
        text.append("penstock.").append(key).append(": ").append(value).append('\n'));
    return text.append("penstock.listeners.a.upstream: one\n")
        .append("penstock.upstreams.one.resource: redis://127.0.0.1:" + one.port() + "\n")
        .append("penstock.upstreams.two.resource: redis://127.0.0.1:" + two.port() + "\n")
        .toString();
  }

  private void changeSomething() {
    List<String> names = List.copyOf(VALID.keySet());
    String key = names.get(random.nextInt(names.size()));
    List<String> values = Objects.requireNonNull(VALID.get(key));
    if (random.nextInt(3) == 0) {
      keys.remove(key);
    } else {
      keys.put(key, values.get(random.nextInt(values.size())));
    }
  }

  private String anyInvalid() {
    return INVALID.get(random.nextInt(INVALID.size())) + "\n";
  }

  @Test
  void theLastValidFileIsInForceAndNoRequestFails() throws IOException {
    System.out.println("random reloads: " + CHANGES + ", -Dpenstock.seed=" + SEED);
    Path file = folder.resolve("application.yml");
    try (ServerProcess one = ServerProcess.start();
        ServerProcess two = ServerProcess.start()) {
      Files.writeString(file, yaml(one, two));
      try (RunningPenstock penstock = RunningPenstock.startWith(file);
          var pipelining = new BusyClient(connect(penstock), KEY, 20);
          var waiting = new BusyClient(connect(penstock), KEY, 1)) {
        int version = 1;
        for (int i = 0; i < CHANGES; i++) {
          String before = yaml(one, two);
          String expected;
          if (random.nextInt(3) == 0) {
            Files.writeString(file, before + anyInvalid());
            expected = "refused";
          } else {
            for (int parts = 1 + random.nextInt(3); parts > 0; parts--) {
              changeSomething();
            }
            String next = yaml(one, two);
            Files.writeString(file, next);
            expected = next.equals(before) ? "unchanged" : "applied";
            version += expected.equals("applied") ? 1 : 0;
          }
          HttpResponse<String> reply = penstock.management().post("penstock/reload");
          assertThat(reply.body())
              .as("change %d of seed %d: %s", i, SEED, Files.readString(file))
              .contains("\"outcome\":\"" + expected + "\"");
          assertThat(penstock.get("penstock").body()).contains("\"version\":" + version + ",");
          if (i % 20 == 0) {
            pipelining.awaitProgress();
            waiting.awaitProgress();
          }
        }
        long answered = pipelining.stop() + waiting.stop();
        assertThat(answered).isEqualTo(Long.parseLong(one.text("GET", KEY)));
        assertThat(penstock.bean(Proxy.class).listeners())
            .extracting(ProxyListener::name)
            .isSubsetOf("a", "b");
      }
    }
  }

  private static RespClient connect(RunningPenstock penstock) {
    RespClient client = penstock.connect();
    client.value("PING");
    return client;
  }
}
