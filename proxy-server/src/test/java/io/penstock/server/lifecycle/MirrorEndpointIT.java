package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Resyncs and comparisons over the management port of the application. */
@ExtendWith(OutputCaptureExtension.class)
class MirrorEndpointIT {

  private static final String FAR = "mirror/copied/far";

  private final ServerProcess primary = ServerProcess.start();
  private final ServerProcess copy = ServerProcess.start();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  @BeforeEach
  void start() throws IOException {
    Path file = folder.resolve("application.yml");
    Files.writeString(
        file,
        """
        penstock:
          listeners:
            main: { port: 0, bind: 127.0.0.1, upstream: copied }
          upstreams:
            orders: redis://127.0.0.1:%d
            far: redis://127.0.0.1:%d
            copied: { primary: orders, copies: [far] }
        """
            .formatted(primary.port(), copy.port()));
    penstock = RunningPenstock.startWith(file);
  }

  @AfterEach
  void stop() {
    penstock.close();
    primary.close();
    copy.close();
  }

  private void assertReply(String path, int status, String... content) {
    HttpResponse<String> reply = penstock.management().post(path);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(status);
    assertThat(reply.body()).contains(content);
  }

  private String awaitShown(String content) {
    return await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> penstock.get(FAR).body(), body -> body.contains(content));
  }

  @Test
  void anOperatorResyncsAndComparesACopy(CapturedOutput output) {
    assertThat(penstock.get("mirror").body())
        .contains("\"upstream\":\"copied\",\"copy\":\"far\"", "\"jobs\":[]");
    try (RespClient server = primary.connect()) {
      for (int i = 0; i < 200; i++) {
        server.text("SET", "key" + i, "v");
      }
    }
    assertReply(FAR + "/resync?keys-per-second=100", 200, "\"state\":\"running\"");
    assertReply(FAR + "/resync", 409, "a resync of this copy is already running");
    assertReply(FAR + "/stop", 200, "\"state\":\"stopped\"", "stopped by an operator");
    assertReply(FAR + "/stop", 409, "no resync and no comparison of this copy is running");
    assertReply(FAR + "/resync?keys-per-second=100000", 200, "\"state\":\"running\"");
    assertThat(awaitShown("\"state\":\"ended\"")).contains("\"level\":true");
    assertThat(copy.text("DBSIZE")).isEqualTo("200");

    copy.text("SET", "key\n1", "other");
    assertReply(FAR + "/compare?repair=true", 200, "\"job\":\"compare\"");
    assertThat(awaitShown("1 keys differ"))
        .contains("\"key\":\"key\\\\x0a1\"", "is missing at the primary", "\"repaired\":1");
    assertReply(FAR + "/compare?sample=10", 200, "\"job\":\"compare\"");
    awaitShown("\"keys\":20");

    assertThat(penstock.get("prometheus").body())
        .contains(
            "penstock_mirror_resync_state{copy=\"far\",state=\"ended\",upstream=\"copied\"} 1.0")
        .contains("penstock_mirror_compare_keys{copy=\"far\",upstream=\"copied\"} 20.0");
    assertThat(output)
        .contains("Resync of copy far of upstream copied begins: at most 100 keys per second")
        .contains("Comparison of copy far of upstream copied ended after 401 keys");
  }

  @Test
  void whatIsNotValidIsRefusedInWords() {
    assertReply("mirror/none/far/resync", 404, "no upstream none with copies");
    assertReply("mirror/copied/near/resync", 404, "upstream copied has no copy near");
    assertReply(FAR + "/repair", 404, "the operations are resync, compare and stop");
    assertReply(FAR + "/resync?keys-per-second=0", 400, "must be a number from 1 to 1000000");
    assertReply(FAR + "/resync?sample=1", 400, "no parameter is named sample");
    assertReply(FAR + "/resync?anew=yes", 400, "anew must be true or false");
    assertThat(penstock.get("mirror/copied/near").statusCode()).isEqualTo(404);
  }
}
