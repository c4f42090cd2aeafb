package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The application with a configuration that changes while it runs. */
@ExtendWith(OutputCaptureExtension.class)
class ReloadIT {

  private static final String RELOAD = "penstock/reload";
  private static final String AOT = "spring.aot.enabled";

  private static final String NESTED_ALIASES =
      "drain-timeout: [&a [1,1,1,1,1,1,1,1,1], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a],"
          + " &c [*b,*b,*b,*b,*b,*b,*b,*b,*b], &d [*c,*c,*c,*c,*c,*c,*c,*c,*c],"
          + " &e [*d,*d,*d,*d,*d,*d,*d,*d,*d], &f [*e,*e,*e,*e,*e,*e,*e,*e,*e],"
          + " &g [*f,*f,*f,*f,*f,*f,*f,*f,*f], &h [*g,*g,*g,*g,*g,*g,*g,*g,*g],"
          + " &i [*h,*h,*h,*h,*h,*h,*h,*h,*h]]";

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  @BeforeAll
  static void startServer() {
    server = ServerProcess.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @AfterEach
  void stop() {
    penstock.close();
  }

  private Path file() {
    return folder.resolve("application.yml");
  }

  /** Writes the keys below {@code penstock}, each on a line, and a listener and an upstream. */
  private void write(String... keys) throws IOException {
    Files.writeString(file(), yaml(keys));
  }

  private static String yaml(String... keys) {
    StringBuilder text = new StringBuilder("penstock:\n");
    for (String key : keys) {
      text.append("  ").append(key).append('\n');
    }
    return text.append("  port: 0\n  bind: 127.0.0.1\n")
        .append("  transpond.local.resource: redis://127.0.0.1:" + server.port() + "\n")
        .toString();
  }

  private void start(String... arguments) {
    penstock = RunningPenstock.startWith(file(), arguments);
  }

  private String shown() {
    return penstock.get("penstock").body();
  }

  @Test
  void aRequestAppliesWhatHasChanged(CapturedOutput output) throws IOException {
    write("readiness: any-slot");
    start();
    assertThat(shown())
        .contains("\"version\":1", "\"readiness\":\"any-slot\"", "\"lastReload\":null")
        .contains(file().toString());
    write("readiness: listening");

    HttpResponse<String> reply = penstock.management().post(RELOAD);

    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    assertThat(reply.body())
        .contains("\"outcome\":\"applied\"", "\"action\":\"change\",\"subject\":\"readiness\"");
    assertThat(shown()).contains("\"version\":2", "\"readiness\":\"listening\"");
    assertThat(penstock.get("health/readiness").body()).contains("\"rule\":\"listening\"");
    assertThat(output)
        .contains("Reload (request): changed readiness")
        .contains("Reload (request): version 2 of the configuration is in force");
  }

  @Test
  void theHashTellsWhichConfigurationIsInForce(CapturedOutput output) throws IOException {
    write("readiness: any-slot", "password: first");
    start();
    String first = hash();
    assertThat(penstock.get("prometheus").body())
        .contains("penstock_configuration_hash " + (double) Long.parseLong(first, 16));

    write("readiness: listening", "password: first");
    penstock.management().post(RELOAD);
    String second = hash();
    assertThat(second).isNotEqualTo(first);
    assertThat(output).contains("version 2 of the configuration is in force, hash " + second);
    assertThat(penstock.get("prometheus").body())
        .contains("penstock_configuration_hash " + (double) Long.parseLong(second, 16));

    write("password: second"); // any-slot is the default
    penstock.management().post(RELOAD);
    assertThat(shown()).contains("\"version\":3");
    assertThat(hash()).as("of the same content, but for the secret").isEqualTo(first);
  }

  private String hash() {
    Matcher hash = Pattern.compile("\"hash\":\"([0-9a-f]{8})\"").matcher(shown());
    assertThat(hash.find()).isTrue();
    return hash.group(1);
  }

  @Test
  void theReadinessProbeFailsWhileTheStopWaitsForAReload(CapturedOutput output) throws IOException {
    write();
    start();
    await().until(() -> penstock.status("health/readiness") == 200);
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Files.writeString(file(), yaml().replace(":" + server.port(), ":" + silent.getLocalPort()));
      CompletableFuture<?> reload =
          CompletableFuture.runAsync(
              () -> penstock.management().post(RELOAD), Thread.ofVirtual()::start);
      await().until(() -> output.toString().contains("Reload (request): "));

      CompletableFuture<?> stopped =
          CompletableFuture.runAsync(penstock::close, Thread.ofVirtual()::start);

      await().until(() -> penstock.status("health/readiness") == 503);
      assertThat(output).doesNotContain("Stopping: no new clients");
      assertThat(reload).isNotDone();
      assertThat(stopped).succeedsWithin(Duration.ofSeconds(20));
      assertThat(output).contains("Stopping: no new clients");
    }
  }

  @Test
  void theSameConfigurationIsUnchanged(CapturedOutput output) throws IOException {
    write();
    start();

    assertThat(penstock.management().post(RELOAD).body()).contains("\"outcome\":\"unchanged\"");
    assertThat(shown()).contains("\"version\":1");
    assertThat(output).contains("Reload (request): nothing has changed");
  }

  @Test
  void anInvalidConfigurationIsRefused(CapturedOutput output) throws IOException {
    write("readiness: any-slot");
    start();
    write("readiness: listening", "max-clients: 0");

    HttpResponse<String> reply = penstock.management().post(RELOAD);

    assertThat(reply.statusCode()).isEqualTo(409);
    assertThat(reply.body()).contains("\"outcome\":\"refused\"", "penstock.max-clients = 0");
    assertThat(shown()).contains("\"version\":1", "\"readiness\":\"any-slot\"");
    assertThat(output)
        .contains("Reload (request) refused, the earlier configuration stays in force: ")
        .contains("application.yml] - 3:16): must be at least 1;");
    assertThat(penstock.get("prometheus").body())
        .contains("penstock_configuration_reloads_total{outcome=\"refused\"} 1.0")
        .contains("penstock_configuration_last_reload_refused 1.0")
        .contains("penstock_configuration_version 1.0");
  }

  /** A few hundred bytes that stand for 9 to the power of 9 values. */
  @Test
  void nestedAliasesAreRefusedBeforeTheyAreReplaced(CapturedOutput output) throws IOException {
    write("readiness: any-slot");
    start();
    write("readiness: listening", NESTED_ALIASES);

    HttpResponse<String> reply = penstock.management().post(RELOAD);

    assertThat(reply.statusCode()).isEqualTo(409);
    assertThat(reply.body())
        .contains("\"outcome\":\"refused\"", file() + "] has ", "at most 20000 are allowed");
    assertThat(shown()).contains("\"version\":1", "\"readiness\":\"any-slot\"");
    assertThat(output).contains("Reload (request) refused, the earlier configuration stays");
    try (RespClient client = penstock.connect()) {
      assertThat(client.text("SET", "bounded", "1")).isEqualTo("OK");
    }
    write("readiness: listening");
    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file:%s/", "file:%s/application.yml"})
  void filesInPlaceOfTheUsualOnesAreReadAgain(String location) throws IOException {
    write("readiness: any-slot");
    penstock = RunningPenstock.startAt(location.formatted(folder));

    assertThat(penstock.status("prometheus")).isEqualTo(200);
    assertThat(penstock.status("topology")).isEqualTo(200);
    assertThat(shown()).contains("\"readiness\":\"any-slot\"", "\"restartPending\":[]");
    write("readiness: listening");
    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(200);
    assertThat(shown()).contains("\"readiness\":\"listening\"", "\"restartPending\":[]");
  }

  @Test
  void aPortThatIsInUseIsRefused() throws IOException {
    write();
    start();
    try (var other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Files.writeString(file(), yaml().replace("port: 0", "port: " + other.getLocalPort()));

      HttpResponse<String> reply = penstock.management().post(RELOAD);

      assertThat(reply.statusCode()).isEqualTo(409);
      assertThat(reply.body())
          .contains("Port " + other.getLocalPort() + " of 127.0.0.1 (penstock.port) is in use")
          .contains("{\"action\":\"change\",\"subject\":\"listener default\"");
    }
    penstock.connect().close();
  }

  @Test
  void serversThatDoNotAnswerAreRefused() throws IOException {
    write("readiness: any-slot");
    start();
    await().until(() -> penstock.status("health/readiness") == 200);
    Files.writeString(
        file(),
        yaml("readiness: listening", "backend.connect-timeout: 200ms")
            .replace("127.0.0.1:" + server.port(), "127.0.0.1:1"));

    HttpResponse<String> reply = penstock.management().post(RELOAD);

    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(409);
    assertThat(reply.body()).contains("127.0.0.1:1");
    assertThat(shown()).contains("\"readiness\":\"any-slot\"", "\"version\":1");
    try (RespClient client = penstock.connect()) {
      assertThat(client.text("SET", "k", "v")).isEqualTo("OK");
    }
  }

  @Test
  void aRefusedPasswordIsNoOutage(CapturedOutput output) throws IOException {
    try (ServerProcess guarded = ServerProcess.builder().password("s3cret").start()) {
      writeResource("redis://:s3cret@127.0.0.1:" + guarded.port());
      start();
      await().until(() -> penstock.status("health/readiness") == 200);
      writeResource("redis://:wrong@127.0.0.1:" + guarded.port());

      HttpResponse<String> reply = penstock.management().post(RELOAD);

      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(409);
      assertThat(reply.body()).contains("WRONGPASS");
      assertThat(output)
          .contains("Reload (request): trying the changed configuration")
          .contains("Reload (request) refused, the earlier configuration stays in force: ")
          .doesNotContain("changed upstream", "does not answer", "rejects requests");

      guarded.text("CONFIG", "SET", "requirepass", "wrong");
      assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(200);
      assertThat(output).contains("Reload (request): changed upstream default: password");
    }
  }

  @Test
  void linesAboutATrialSaySo(CapturedOutput output) throws IOException {
    write();
    start();
    await().until(() -> penstock.status("health/readiness") == 200);
    writeResource("redis-cluster://127.0.0.1:" + server.port());

    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(409);

    assertThat(output)
        .contains("On trial: Waiting for the cluster behind ")
        .doesNotContain(" : Waiting for the cluster behind ");
  }

  private void writeResource(String resource) throws IOException {
    Files.writeString(file(), yaml().replace("redis://127.0.0.1:" + server.port(), resource));
  }

  @Test
  void whatNeedsARestartIsPending() throws IOException {
    write("event-loops: 2");
    start();
    write("event-loops: 3");

    assertThat(penstock.management().post(RELOAD).body())
        .contains("\"unchanged\"", "{\"action\":\"restart\",\"subject\":\"penstock.event-loops\"");

    assertThat(shown())
        .contains("\"event-loops\":2", "\"restartPending\":[\"penstock.event-loops\"]");
    write("event-loops: 2");
    penstock.management().post(RELOAD);
    assertThat(shown()).contains("\"restartPending\":[]");
  }

  @Test
  void aChangedFileIsApplied() throws IOException {
    write("reload: on-change", "readiness: any-slot");
    start();

    write("reload: on-change", "readiness: listening");
    awaitShown("\"readiness\":\"listening\"", "\"trigger\":\"changed files\"");

    Files.writeString(file(), "penstock:\n  readiness: [every");
    awaitShown("\"outcome\":\"refused\"", "is not valid YAML", "\"readiness\":\"listening\"");

    write("reload: on-change", "readiness: every-slot");
    awaitShown("\"readiness\":\"every-slot\"");
  }

  private void awaitShown(String... parts) {
    await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(shown()).contains(parts));
  }

  /** As a volume of Kubernetes: the files are links into a folder that is replaced as a whole. */
  @Test
  void aSwappedLinkIsApplied() throws IOException {
    Path volume = Files.createDirectory(folder.resolve("volume"));
    for (String version : new String[] {"v1", "v2"}) {
      Path data = Files.createDirectory(folder.resolve(version));
      String rule = version.equals("v1") ? "any-slot" : "every-slot";
      Files.writeString(
          data.resolve("application.yml"), yaml("reload: on-change", "readiness: " + rule));
    }
    Files.createSymbolicLink(volume.resolve("..data"), folder.resolve("v1"));
    Path link =
        Files.createSymbolicLink(
            volume.resolve("application.yml"), Path.of("..data", "application.yml"));
    penstock = RunningPenstock.startWith(link);
    awaitShown("\"readiness\":\"any-slot\"");

    Path next = Files.createSymbolicLink(volume.resolve("..tmp"), folder.resolve("v2"));
    Files.move(next, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);

    awaitShown("\"readiness\":\"every-slot\"");
  }

  @Test
  void clientsStayWhenTheirPasswordChanges() throws IOException {
    write("password: old", "password-overlap: 0");
    start();
    try (RespClient client = penstock.connect()) {
      client.value("AUTH", "old");
      write("password: new", "password-overlap: 0");

      assertThat(penstock.management().post(RELOAD).body())
          .contains("\"subject\":\"listener default\",\"what\":\"password\"")
          .doesNotContain("new");

      assertThat(client.text("PING")).isEqualTo("PONG");
      try (RespClient other = penstock.connect()) {
        assertThat(other.call("AUTH", "old")).startsWith("-WRONGPASS");
        assertThat(other.text("AUTH", "new")).isEqualTo("OK");
      }
    }
  }

  @Test
  void aPasswordFileIsWatched() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "old\n");
    write("reload: on-change", "password-overlap: 0", "password-file: " + file);
    start();
    try (RespClient client = penstock.connect()) {
      client.value("AUTH", "old");
    }
    awaitWatch();
    Files.delete(file);
    awaitShown("\"outcome\":\"refused\"", "there is no such file");
    Files.writeString(file, "new\n");

    awaitShown("\"outcome\":\"applied\"");
    try (RespClient client = penstock.connect()) {
      assertThat(client.text("AUTH", "new")).isEqualTo("OK");
    }
  }

  /** The first look, which learns which files there are, logs nothing and has no effect. */
  private void awaitWatch() {
    await()
        .until(() ->
            Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("penstock-reload")));
  }

  @Test
  void listenersComeAndGo() throws IOException {
    String upstream = "  transpond.local.resource: redis://127.0.0.1:" + server.port() + "\n";
    String one = "penstock:\n  listeners:\n    a: { port: 0, bind: 127.0.0.1 }\n";
    Files.writeString(file(), one + upstream);
    start();
    try (RespClient client = penstock.connect()) {
      Files.writeString(file(), one + "    b: { port: 0, bind: 127.0.0.1 }\n" + upstream);
      assertThat(penstock.management().post(RELOAD).body())
          .contains("{\"action\":\"add\",\"subject\":\"listener b\",\"what\":\"\"}");
      assertThat(shown()).contains("\"name\":\"b\",\"addresses\":[\"127.0.0.1:");
      assertThat(penstock.get("health/listeners/b").statusCode()).isEqualTo(200);

      Files.writeString(file(), one + upstream);
      assertThat(penstock.management().post(RELOAD).body())
          .contains("{\"action\":\"drain\",\"subject\":\"listener b\",\"what\":\"\"}");
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void changesNeedTheToken() throws IOException {
    write("management-token: t0ken");
    start();

    HttpResponse<String> rejected = penstock.management().post(RELOAD);
    assertThat(rejected.statusCode()).isEqualTo(401);
    assertThat(rejected.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
    assertThat(penstock.management().post(RELOAD, "Authorization", "Bearer wrong").statusCode())
        .isEqualTo(401);
    assertThat(penstock.get("penstock").statusCode()).isEqualTo(200);

    write("management-token: other");
    assertThat(penstock.management().post(RELOAD, "Authorization", "Bearer t0ken").statusCode())
        .isEqualTo(200);
    assertThat(penstock.management().post(RELOAD, "Authorization", "Bearer t0ken").statusCode())
        .isEqualTo(401);
    assertThat(penstock.management().post(RELOAD, "Authorization", "Bearer other").statusCode())
        .isEqualTo(200);
  }

  /** With port 0 and without AOT, Spring Boot opens the management port in a context of its own. */
  @Test
  void changesNeedTheTokenWithoutAotToo() throws IOException {
    write("management-token: t0ken");
    String before = System.setProperty(AOT, "false");
    try {
      start();
    } finally {
      if (before != null) {
        System.setProperty(AOT, before);
      } else {
        System.clearProperty(AOT);
      }
    }

    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(401);
    assertThat(penstock.management().post(RELOAD, "Authorization", "Bearer t0ken").statusCode())
        .isEqualTo(200);
    assertThat(penstock.status("health/liveness")).isEqualTo(200);
  }

  @Test
  void withoutATokenRequestsOfOthersAreRejected() throws IOException {
    write();
    start();

    assertThat(penstock.management().post(RELOAD, "X-Forwarded-For", "127.0.0.1").statusCode())
        .isEqualTo(403);
    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(200);
    assertThat(penstock.management().post("penstock/nothing").statusCode()).isEqualTo(404);
  }

  @Test
  void aBundleThatAReloadNamesFirstIsUsed() throws IOException {
    TestAuthority authority = TestAuthority.create("ca");
    X509Bundle issued = authority.issue("listener");
    Path certificate = folder.resolve("tls.crt");
    Path key = folder.resolve("tls.key");
    Files.writeString(certificate, issued.getCertificatePathPEM());
    Files.writeString(key, issued.getPrivateKeyPEM());
    write();
    start();
    String bundle =
        "spring.ssl.bundle.pem.edge.keystore: { certificate: '%s', private-key: '%s' }\n"
            .formatted(certificate, key);
    Files.writeString(file(), bundle + yaml("tls.bundle: edge"));

    assertThat(penstock.management().post(RELOAD).body())
        .contains("\"applied\"", "\"SSL bundle edge\"");

    try (RespClient client = penstock.connect(authority.clients())) {
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
    assertThat(penstock.get("prometheus").body())
        .containsPattern("ssl_chain_expiry_seconds\\{[^}]*bundle=\"edge\"[^}]*} \\d");

    TestAuthority next = TestAuthority.create("next");
    issued = next.issue("listener");
    Files.writeString(certificate, issued.getCertificatePathPEM());
    Files.writeString(key, issued.getPrivateKeyPEM());
    assertThat(penstock.management().post(RELOAD).body())
        .contains("\"plan\":[{\"action\":\"change\",\"subject\":\"SSL bundle edge\"");
    try (RespClient client = penstock.connect(next.clients())) {
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
    Files.writeString(certificate, "no certificate");
    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(409);
    penstock.connect(next.clients()).close();
  }

  /** Writes a certificate of this authority where {@link #edge} reads it. */
  private void issue(TestAuthority authority) throws IOException {
    X509Bundle issued = authority.issue("listener");
    Files.writeString(folder.resolve("tls.crt"), issued.getCertificatePathPEM());
    Files.writeString(folder.resolve("tls.key"), issued.getPrivateKeyPEM());
  }

  /** Returns the configuration of a bundle of these files. */
  private String edge(String more) {
    return """
    spring.ssl.bundle.pem.edge:
      reload-on-update: true
      keystore: { certificate: '%1$s/tls.crt', private-key: '%1$s/tls.key' }
    %2$s
    """
        .formatted(folder, more.indent(2));
  }

  private void assertServes(TestAuthority authority) {
    try (RespClient client = penstock.connect(authority.clients())) {
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aRefusedReloadLeavesCertificatesAsTheyWere() throws IOException {
    TestAuthority first = TestAuthority.create("first");
    TestAuthority second = TestAuthority.create("second");
    issue(first);
    Files.writeString(file(), edge("") + yaml("tls.bundle: edge"));
    start("--spring.ssl.bundle.watch.file.quiet-period=1h"); // only reloads read the files
    assertServes(first);
    issue(second);
    String trusting = edge("truststore.certificate: '%s'".formatted(second.file()));
    String demanding = yaml("tls: { bundle: edge, client-auth: need }");
    Files.writeString(
        file(), trusting + demanding.replace("127.0.0.1:" + server.port(), "127.0.0.1:1"));

    HttpResponse<String> reply = penstock.management().post(RELOAD);

    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(409);
    assertThat(reply.body())
        .contains("\"outcome\":\"refused\"", "no master of 127.0.0.1:1 serves requests");
    assertServes(first);

    Files.writeString(file(), trusting + demanding);
    assertThat(penstock.management().post(RELOAD).body()).contains("\"outcome\":\"applied\"");
    try (RespClient client = penstock.connect(second.clients(second.issue("client")))) {
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aRefusedReloadKeepsACertificateThatWasRenewedBetween() throws IOException {
    TestAuthority first = TestAuthority.create("first");
    TestAuthority second = TestAuthority.create("second");
    issue(first);
    String tls = edge("") + yaml("tls.bundle: edge");
    Files.writeString(file(), tls);
    start("--spring.ssl.bundle.watch.file.quiet-period=100ms");
    assertThat(penstock.management().post(RELOAD).body()).contains("\"outcome\":\"unchanged\"");
    issue(second);
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions() // the handshake fails until then
        .untilAsserted(() -> assertServes(second));
    Files.writeString(file(), tls + "  max-clients: none\n");

    assertThat(penstock.management().post(RELOAD).statusCode()).isEqualTo(409);

    assertServes(second);
    Files.writeString(file(), tls);
    assertThat(penstock.management().post(RELOAD).body()).contains("\"outcome\":\"unchanged\"");
  }

  @Test
  void aRemovedBundleHasNoMetrics() throws IOException {
    issue(TestAuthority.create("first"));
    Files.writeString(file(), edge("") + yaml("tls.bundle: edge"));
    start();
    assertThat(penstock.get("prometheus").body())
        .containsPattern("ssl_chain_expiry_seconds\\{[^}]*bundle=\"edge\"")
        .contains("penstock_tls_bundle_current{bundle=\"edge\"}");
    write();

    assertThat(penstock.management().post(RELOAD).body()).contains("\"outcome\":\"applied\"");

    assertThat(penstock.get("prometheus").body()).doesNotContain("bundle=\"edge\"");
  }
}
