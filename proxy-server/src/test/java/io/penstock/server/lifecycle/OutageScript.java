package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.wire.RespClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** Outages of one kind of upstream, one after the other. */
abstract class OutageScript {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final RunningPenstock penstock;
  final ScriptedLog log;

  OutageScript(RunningPenstock penstock, ScriptedLog log) {
    this.penstock = penstock;
    this.log = log;
  }

  /** Runs all steps. */
  abstract void run();

  final void awaitReadiness(int status, String... details) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          HttpResponse<String> readiness = penstock.get("health/readiness");
          assertThat(List.of(details)).allMatch(readiness.body()::contains);
          assertThat(readiness.statusCode()).as(readiness.body()).isEqualTo(status);
        });
  }

  /** Waits until all nodes answer: what the script does not want has ended. */
  final void awaitAllServe() {
    awaitReadiness(200);
    await()
        .atMost(PATIENCE)
        .until(() ->
            penstock.bean(Proxy.class).respUpstreams().stream()
                .flatMap(upstream -> upstream.status().nodes().stream())
                .allMatch(node -> node.serves() && node.trouble() == null));
  }

  /** Sends writes until one gets an error: a server was told to hang, and does so soon. */
  static void awaitError(RespClient client, String key) {
    await().atMost(PATIENCE).until(() -> client.call("SET", key, "v").startsWith("-"));
  }

  /** Waits until Penstock has noticed that a server has died. */
  final void awaitLoss(int port) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            ProxyFixture.await(penstock.bean(Proxy.class).stats()).nodes().stream()
                .filter(node -> node.node().port() == port)
                .allMatch(node -> node.connections() == 0));
  }
}
