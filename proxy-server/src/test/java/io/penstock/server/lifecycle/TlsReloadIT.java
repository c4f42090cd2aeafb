package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The application with TLS from files that change while it runs. */
@ExtendWith(OutputCaptureExtension.class)
class TlsReloadIT {

  private static final TestAuthority OLD = TestAuthority.create("old");
  private static final TestAuthority NEW = TestAuthority.create("new");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private static void write(Path to, X509Bundle issued) throws IOException {
    Files.createDirectories(to);
    Files.writeString(to.resolve("tls.crt"), issued.getCertificatePathPEM());
    Files.writeString(to.resolve("tls.key"), issued.getPrivateKeyPEM());
  }

  private RunningPenstock start(ServerProcess server) {
    return start(server, OLD.file());
  }

  private RunningPenstock start(ServerProcess server, Path trustedNodes, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(
        List.of(
            "--penstock.transpond.local.resource=rediss://localhost:" + server.tlsPort(),
            "--penstock.transpond.local.tls.bundle=backend",
            "--penstock.tls.bundle=edge",
            "--spring.ssl.bundle.pem.backend.truststore.certificate=" + trustedNodes,
            "--spring.ssl.bundle.pem.edge.keystore.certificate=" + folder.resolve("now/tls.crt"),
            "--spring.ssl.bundle.pem.edge.keystore.private-key=" + folder.resolve("now/tls.key"),
            "--spring.ssl.bundle.watch.file.quiet-period=100ms"));
    return RunningPenstock.start(arguments.toArray(String[]::new));
  }

  private static ServerProcess server() {
    return ServerProcess.builder().tls(OLD.files(OLD.issue("node"))).start();
  }

  private static void awaitService(RunningPenstock penstock, TestAuthority trusted) {
    awaitService(penstock, trusted.clients());
  }

  private static void awaitService(RunningPenstock penstock, SSLContext clients) {
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .untilAsserted(() -> {
          try (RespClient client = penstock.connect(clients)) {
            assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
          }
        });
  }

  @Test
  void filesThatChangeServeNewConnections(CapturedOutput output) throws IOException {
    write(folder.resolve("now"), OLD.issue("listener"));
    try (ServerProcess server = server();
        RunningPenstock penstock = start(server)) {
      awaitService(penstock, OLD);
      try (RespClient old = penstock.connect(OLD.clients())) {
        X509Bundle issued = NEW.issue("listener");
        write(folder.resolve("now"), issued);

        awaitService(penstock, NEW);
        await()
            .untilAsserted(() ->
                assertThat(output).contains("SSL bundle edge has changed; new connections use it"));
        assertThat(old.call("GET", "k")).isEqualTo(Wire.bulk("v"));
        Files.writeString(folder.resolve("now/tls.crt"), "no certificate");
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() ->
                assertThat(penstock.get("prometheus").body())
                    .containsPattern(reloads("applied") + "[1-9]")
                    .containsPattern(reloads("rejected") + "[1-9]")
                    .contains("penstock_tls_bundle_current{bundle=\"edge\"} 0.0")
                    .contains("penstock_tls_bundle_current{bundle=\"backend\"} 1.0"));
        assertThat(output)
            .contains(
                "SSL bundle edge has changed and cannot be used; the earlier one stays: "
                    + folder.resolve("now/tls.crt")
                    + " has no certificate in PEM that can be parsed: write certificates in PEM")
            .doesNotContain("\tat "); // no stack trace
        awaitService(penstock, NEW);
        assertThat(old.call("GET", "k")).isEqualTo(Wire.bulk("v"));

        write(folder.resolve("now"), issued); // which is in use
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() ->
                penstock
                    .get("prometheus")
                    .body()
                    .contains("penstock_tls_bundle_current{bundle=\"edge\"} 1.0"));
      }
    }
  }

  @Test
  void certificatesOfAnAuthorityThatIsRemovedAreRefused() throws IOException {
    write(folder.resolve("now"), OLD.issue("listener"));
    Path trusted = Files.copy(OLD.file(), folder.resolve("clients.crt"));
    SSLContext removed = OLD.clients(OLD.issue("app"));
    SSLContext added = OLD.clients(NEW.issue("app"));
    try (ServerProcess server = server();
        RunningPenstock penstock =
            start(
                server,
                OLD.file(),
                "--penstock.tls.client-auth=need",
                "--spring.ssl.bundle.pem.edge.truststore.certificate=" + trusted)) {
      awaitService(penstock, removed);
      try (RespClient open = penstock.connect(removed)) {
        assertThat(open.call("GET", "k")).isEqualTo(Wire.bulk("v"));

        Files.copy(NEW.file(), trusted, StandardCopyOption.REPLACE_EXISTING);

        awaitService(penstock, added);
        assertThatThrownBy(
                () -> {
                  try (RespClient client = penstock.connect(removed)) {
                    client.call("GET", "k");
                  }
                })
            .isInstanceOf(UncheckedIOException.class)
            .hasStackTraceContaining("Received fatal alert");
        assertThat(open.call("GET", "k")).isEqualTo(Wire.bulk("v"));
      }
    }
  }

  @Test
  void aNodeOfAnAuthorityThatIsRemovedIsNotConnectedToAgain(CapturedOutput output)
      throws IOException {
    write(folder.resolve("now"), OLD.issue("listener"));
    Path trusted = Files.copy(OLD.file(), folder.resolve("nodes.crt"));
    try (ServerProcess server = server();
        RunningPenstock penstock = start(server, trusted, "--penstock.backend.failover-hold=0s")) {
      awaitService(penstock, OLD);
      try (RespClient client = penstock.connect(OLD.clients())) {
        assertThat(client.call("GET", "k")).isEqualTo(Wire.bulk("v")); // its loop has a connection
        Files.copy(NEW.file(), trusted, StandardCopyOption.REPLACE_EXISTING);
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () -> output.getOut().contains("SSL bundle backend has changed; new connections"));
        assertThat(client.call("GET", "k")).isEqualTo(Wire.bulk("v"));

        server.text("CLIENT", "KILL", "TYPE", "normal");

        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertThat(client.call("GET", "k")).startsWith("-UNAVAILABLE"));
        assertThat(server.text("CLIENT", "LIST")).doesNotContain("name=penstock");
      }
    }
  }

  private static String reloads(String outcome) {
    return Pattern.quote(
        "penstock_tls_bundle_reloads_total{bundle=\"edge\",outcome=\"%s\"} ".formatted(outcome));
  }

  /** As a volume of Kubernetes: the files are links into a folder that is replaced as a whole. */
  @Test
  void aSwappedLinkServesNewConnections() throws IOException {
    write(folder.resolve("v1"), OLD.issue("listener"));
    write(folder.resolve("v2"), NEW.issue("listener"));
    Files.createDirectory(folder.resolve("now"));
    Path data = folder.resolve("now/..data");
    Files.createSymbolicLink(data, folder.resolve("v1"));
    for (String name : new String[] {"tls.crt", "tls.key"}) {
      Files.createSymbolicLink(folder.resolve("now").resolve(name), Path.of("..data", name));
    }
    try (ServerProcess server = server();
        RunningPenstock penstock = start(server)) {
      awaitService(penstock, OLD);

      Path next = Files.createSymbolicLink(folder.resolve("now/..tmp"), folder.resolve("v2"));
      Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);

      awaitService(penstock, NEW);
    }
  }

  @Test
  void anExpiredCertificateIsToldAtTheStart(CapturedOutput output) throws IOException {
    write(folder.resolve("now"), OLD.issueExpired("listener"));
    try (ServerProcess server = server();
        RunningPenstock penstock = start(server)) {
      assertThat(penstock.get("prometheus").body()).contains("ssl_chain_expiry_seconds");
      assertThat(output)
          .containsPattern(
              "The certificate CN=listener of SSL bundle edge expired at 20[-0-9T:]+Z: ");
    }
  }

  @Test
  void expiryIsAMetric() throws IOException {
    write(folder.resolve("now"), OLD.issue("listener"));
    try (ServerProcess server = server();
        RunningPenstock penstock = start(server)) {
      awaitService(penstock, OLD);

      assertThat(penstock.get("prometheus").body())
          .containsPattern("ssl_chain_expiry_seconds\\{[^}]*bundle=\"edge\"[^}]*} \\d");
      assertThat(penstock.status("health/readiness")).isEqualTo(200);
    }
  }
}
