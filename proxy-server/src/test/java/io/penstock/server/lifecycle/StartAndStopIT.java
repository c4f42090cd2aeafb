package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StartAndStopIT {

  private static final String TRY_IT = "Try it: ";

  /** On two processors the common pool has one thread, but here two tasks wait for each other. */
  private static final Executor VIRTUAL = Executors.newVirtualThreadPerTaskExecutor();

  @Test
  void waitsForAClusterThatIsDownAtStart() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(1).start()) {
      Member only = cluster.members().getFirst();
      only.kill();
      try (RunningPenstock penstock =
          RunningPenstock.inFrontOf(cluster.resource(), "--penstock.topology.refresh-period=1s")) {
        assertThat(penstock.status("health/readiness")).isEqualTo(503);
        assertThat(penstock.status("health/liveness")).isEqualTo(200);

        only.restart();

        await().until(() -> penstock.status("health/readiness") == 200);
        try (RespClient client = penstock.connect()) {
          assertThat(client.text("SET", "key", "value")).isEqualTo("OK");
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"async, :s3cret@, WRONGPASS", "sync, :s3cret@, WRONGPASS", "sync, '', NOAUTH"})
  void authenticationFailureIsInTheLogAndTheReadinessProbe(
      String dispatch, String credentials, String reason, CapturedOutput output) {
    try (ServerProcess server = ServerProcess.builder().password("right").start();
        RunningPenstock penstock =
            RunningPenstock.inFrontOf(
                "redis://" + credentials + "127.0.0.1:" + server.port(),
                "--penstock.dispatch=" + dispatch)) {
      String failure = "127.0.0.1:" + server.port() + ": " + reason;
      await().until(() -> penstock.get("health/readiness").body().contains(failure));
      assertThat(penstock.status("health/readiness")).isEqualTo(503);
      assertThat(penstock.get("health/readiness").body()).contains("\"reached\":false");
      await()
          .untilAsserted(
              () -> assertThat(output.toString()).containsPattern("rejects requests.*" + reason));
      assertThat(output).doesNotContain("s3cret");
      try (RespClient client = penstock.connect()) {
        assertThatThrownBy(() -> client.text("GET", "key"))
            .hasMessageContaining(
                "127.0.0.1:"
                    + server.port()
                    + " does not accept connections from this proxy: "
                    + reason);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"async", "sync"})
  void aPasswordRepeatedInAServerErrorIsNotLogged(String dispatch, CapturedOutput output) {
    try (ServerProcess server =
            ServerProcess.builder().option("rename-command", "AUTH", "").start();
        RunningPenstock penstock =
            RunningPenstock.inFrontOf(
                "redis://s3cret@127.0.0.1:" + server.port(),
                "--penstock.dispatch=" + dispatch,
                "--penstock.backend.failover-hold=0",
                "--logging.level.io.penstock=debug");
        RespClient client = penstock.connect()) {
      assertThatThrownBy(() -> client.text("GET", "key")).isInstanceOf(RespClient.ErrorReply.class);
      await().until(() -> penstock.get("health/readiness").body().contains("beginning with: ***"));
      await()
          .untilAsserted(
              () -> assertThat(output.toString()).containsPattern("rejects requests.*ERR unknown"));
      assertThat(output).doesNotContain("s3cret");
    }
  }

  @Test
  void answersRequestsInFlightBeforeStopping() {
    try (ServerProcess server = ServerProcess.start()) {
      String resource = "redis://127.0.0.1:" + server.port();
      try (RunningPenstock penstock =
              RunningPenstock.inFrontOf(resource, "--penstock.backend.command-timeout=20s");
          RespClient client = penstock.connect()) {
        client.value("SET", "key", "value");
        FrozenNode.freeze(server);
        CompletableFuture<String> reply =
            CompletableFuture.supplyAsync(() -> client.text("GET", "key"), VIRTUAL);
        await().until(() -> inFlight(penstock));

        CompletableFuture<Void> stopping = CompletableFuture.runAsync(penstock::close, VIRTUAL);
        await().until(() -> rejectsClients(penstock));
        assertThat(penstock.status("health/readiness")).isEqualTo(503);
        assertThat(penstock.status("health/liveness")).isEqualTo(200);
        assertThat(reply).isNotDone();
        assertThat(stopping).isNotDone();
        server.resume();

        assertThat(reply).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("value");
        assertThat(stopping).succeedsWithin(Duration.ofSeconds(10));
      }
    }
  }

  @Test
  void stopsInTimeWhenTheServerDoesNotAnswer() {
    try (ServerProcess server = ServerProcess.start()) {
      RunningPenstock penstock =
          RunningPenstock.inFrontOf(
              "redis://127.0.0.1:" + server.port(),
              "--penstock.backend.command-timeout=1m",
              "--spring.lifecycle.timeout-per-shutdown-phase=1s");
      try (RespClient client = penstock.connect()) {
        client.value("SET", "key", "value"); // makes the connection to the node
        FrozenNode.freeze(server);
        CompletableFuture<String> reply =
            CompletableFuture.supplyAsync(() -> client.text("GET", "key"), VIRTUAL);
        await().until(() -> inFlight(penstock));

        assertThat(CompletableFuture.runAsync(penstock::close, VIRTUAL))
            .succeedsWithin(Duration.ofSeconds(30));
        assertThat(reply).failsWithin(Duration.ofSeconds(5));
      }
    }
  }

  @Test
  void theDemoNeedsNoSetupAndLeavesNoProcesses(CapturedOutput output, @TempDir Path folder)
      throws Exception {
    Files.createSymbolicLink(folder.resolve("bash"), Path.of("/bin/bash"));
    List<Long> pids;
    try (RunningPenstock penstock = RunningPenstock.start("--spring.profiles.active=demo")) {
      EmbeddedCluster cluster = penstock.bean(EmbeddedCluster.class);
      pids = cluster.members().stream().map(member -> member.server().pid()).toList();
      assertThat(pids).hasSize(3).allMatch(pid -> ProcessHandle.of(pid).isPresent());
      await().until(() -> penstock.status("health/readiness") == 200);
      try (RespClient client = penstock.connect()) {
        client.value("SET", "greeting", "hello");
        assertThat(client.text("GET", "greeting")).isEqualTo("hello");
      }
      await().until(() -> output.getOut().lines().anyMatch(line -> line.contains(TRY_IT)));
      assertThat(output).doesNotContain("stralgo");
      String printed =
          output.getOut().lines().filter(line -> line.contains(TRY_IT)).toList().getLast();
      assertThat(bash(printed.substring(printed.indexOf(TRY_IT) + TRY_IT.length()))).contains("OK");
      var address = requireNonNull(penstock.bean(ProxyLifecycle.class).address());
      assertThat(bash(TryIt.line(address, null, new SearchPath(List.of(folder.toString())))))
          .contains("+OK\r\n$5\r\nhello\r\n+OK\r\n");
    }
    assertThat(pids).allMatch(pid -> ProcessHandle.of(pid).isEmpty());
  }

  @Test
  void theDemoHasTlsWhereTheServerCan(CapturedOutput output) throws Exception {
    Path certificate;
    try (RunningPenstock penstock =
        RunningPenstock.start("--spring.profiles.active=demo", "--demo.tls")) {
      certificate = penstock.bean(DemoCertificate.class).certificate();
      await().until(() -> penstock.status("health/readiness") == 200);
      var address = requireNonNull(penstock.bean(ProxyLifecycle.class).address());
      if (new SearchPath(List.of("/usr/bin", "/bin")).find("openssl") == null) {
        System.out.println("skipped: there is no openssl to try the printed line with");
      } else {
        String line = TryIt.line(address, certificate, new SearchPath(List.of()));
        assertThat(bash(line)).contains("+OK\r\n$5\r\nhello\r\n+OK\r\n");
      }
      try (RespClient client = penstock.connect(trusting(certificate))) {
        assertThat(client.call("SET", "greeting", "hi")).isEqualTo("+OK\r\n");
      }
      try (RespClient plain = penstock.connect()) {
        plain.send("PING");
        assertThat(plain.readToEnd()).doesNotContain("PONG");
      }
      boolean nodes = ServerBinary.find().hasTls();
      assertThat(penstock.bean(EmbeddedCluster.class).resource())
          .startsWith(nodes ? "rediss-cluster://" : "redis-cluster://");
      await().until(() -> output.getOut().contains(TRY_IT));
      assertThat(output)
          .contains(nodes ? "TLS: clients, and connections to nodes; " : "TLS: clients only")
          .contains(certificate.toString());

      assertThat(penstock.management().post("penstock/reload").body())
          .contains("\"outcome\":\"unchanged\"");
    }
    assertThat(certificate).doesNotExist();
    assertThat(certificate.getParent()).doesNotExist();
  }

  private static SSLContext trusting(Path certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(certificate)) {
      trusted.setCertificateEntry(
          "demo", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** Runs a line in a shell, as if pasted, and returns its output. */
  private static String bash(String line) throws IOException, InterruptedException {
    Process shell =
        new ProcessBuilder("bash", "-c", line)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(shell.waitFor(10, TimeUnit.SECONDS)).as(line).isTrue();
      return new String(shell.getInputStream().readAllBytes(), US_ASCII);
    } finally {
      shell.destroyForcibly();
    }
  }

  @Test
  void reportsWhichPortIsInUse(CapturedOutput output) {
    try (ServerProcess server = ServerProcess.start()) {
      assertThatThrownBy(() ->
              RunningPenstock.inFrontOf("redis://127.0.0.1:1", "--penstock.port=" + server.port())
                  .close())
          .rootCause()
          .hasMessageContaining("in use");
      assertThat(output)
          .contains(
              "Port "
                  + server.port()
                  + " of 127.0.0.1 (penstock.port) is in use by another process.");
    }
  }

  @Test
  void reportsThatTheManagementPortCannotBeOpened(CapturedOutput output) {
    String address = "192.0.2.1"; // of no machine (RFC 5737)

    assertThatThrownBy(() ->
            RunningPenstock.inFrontOf("redis://127.0.0.1:1", "--server.address=" + address).close())
        .isNotNull();

    assertThat(output)
        .containsPattern(
            "Port \\S+ \\(management.server.port\\) cannot be opened at 192.0.2.1"
                + " \\(server.address\\)")
        .doesNotContain("\tat ");
  }

  private static boolean inFlight(RunningPenstock penstock) {
    return penstock
        .get("prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("penstock_node_in_flight{"))
        .anyMatch(line -> !line.endsWith(" 0.0"));
  }

  private static boolean rejectsClients(RunningPenstock penstock) {
    try {
      penstock.connect().close();
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }
}
