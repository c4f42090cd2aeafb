package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.it.DispatchMode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.HeaderRelay;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Penstock says why, if a node does not expect the PROXY protocol, or its balancer does. */
@Tag(DispatchMode.ANY)
@ExtendWith(OutputCaptureExtension.class)
class UnexpectedHeaderIT {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = ServerProcess.builder().tls(AUTHORITY.files(AUTHORITY.issue("node"))).start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void assertNotReady(String reason, String... arguments) {
    try (RunningPenstock penstock = RunningPenstock.start(arguments);
        RespClient client = penstock.connect()) {
      await()
          .atMost(Duration.ofSeconds(30)) // the first connections may take too long
          .untilAsserted(
              () -> assertThat(penstock.get("health/readiness").body()).contains(reason));
      assertThat(penstock.status("health/readiness")).isEqualTo(503);
      assertThat(penstock.get("health/readiness").body()).doesNotContain("\"slots\"");
      assertThat(client.call("SET", "k", "v")).startsWith("-").doesNotContain("io.netty");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "redis, v1, 'remove proxy-protocol of its upstream'",
    "redis, v2, 'PROXY protocol header, v2'",
    "rediss, v1, 'PROXY protocol header, v1'",
    "rediss, v2, 'PROXY protocol header, v2'"
  })
  void aNodeThatExpectsNone(String scheme, String version, String reason, CapturedOutput output) {
    boolean tls = scheme.equals("rediss");
    assertNotReady(
        reason,
        "--penstock.transpond.local.resource=%s://localhost:%d"
            .formatted(scheme, tls ? server.tlsPort() : server.port()),
        "--penstock.transpond.local.proxy-protocol=" + version,
        "--penstock.backend.failover-hold=0",
        "--penstock.backend.command-timeout=500ms",
        "--penstock.transpond.local.tls." + (tls ? "bundle=backend" : "verify=full"),
        "--spring.ssl.bundle.pem.backend.truststore.certificate=" + AUTHORITY.file());
    assertThat(output).doesNotContain("does not answer (it does not expect");
  }

  @Test
  void aBalancerThatGetsNone(CapturedOutput output) {
    try (HeaderRelay relay = HeaderRelay.to(server.host(), server.port())) {
      assertNotReady(
          "Connection closed",
          "--penstock.transpond.local.resource=redis://127.0.0.1:" + relay.port(),
          "--penstock.backend.failover-hold=0",
          "--penstock.backend.command-timeout=500ms");
      assertThat(relay.refused()).isPositive();
      assertThat(output).doesNotContain("PROXY protocol header");
    }
  }
}
