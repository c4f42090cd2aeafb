package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A file with a Unix socket on both sides, from its keys to the end of the application. */
@ExtendWith(OutputCaptureExtension.class)
class UnixListenerIT {

  @TempDir private Path folder;
  private Path path;

  @BeforeEach
  void setPath() {
    path = folder.resolve("penstock.sock");
  }

  private RunningPenstock start(String resource) throws IOException {
    Path file = folder.resolve("application.yml");
    Files.writeString(
        file,
        """
        penstock:
          event-loops: 1
          listeners:
            port: { port: 0, bind: 127.0.0.1, upstream: near }
            local: { path: "%s", mode: "0600", upstream: near }
          upstreams:
            near: "%s"
        """
            .formatted(path, resource));
    return RunningPenstock.startWith(file);
  }

  @Test
  void servesAFileUntilTheEnd(CapturedOutput output) throws IOException {
    try (ServerProcess server = ServerProcess.builder().unixSocket().start()) {
      String resource = "redis-uds://" + server.unixSocket() + "?db=1";
      try (RunningPenstock penstock = start(resource)) {
        await().until(() -> penstock.status("health/readiness") == 200);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
            .isEqualTo("rw-------");
        try (RespClient client = RespClient.open(path);
            RespClient other = penstock.connect()) {
          assertThat(client.text("SET", "key", "value")).isEqualTo("OK");
          assertThat(other.text("GET", "key")).isEqualTo("value");
          assertThat(server.text("INFO", "keyspace")).contains("db1:keys=1");
        }
        assertThat(penstock.get("topology").body())
            .contains(server.unixSocket().toString())
            .contains("complete");
        assertThat(penstock.get("prometheus").body())
            .contains("node=\"" + server.unixSocket() + "\"");
        assertThat(penstock.status("health/listeners/local")).isEqualTo(200);

        Files.delete(path);

        assertThat(penstock.status("health/listeners/local")).isEqualTo(503);
        assertThat(penstock.status("health/listeners/port")).isEqualTo(200);
      }
      try (RunningPenstock _ = start(resource)) {
        assertThat(path).exists();
      }
      assertThat(path).doesNotExist();
      assertThat(output)
          .contains(
              "Listener local: Listening on " + path,
              "Proxying to " + server.unixSocket() + ", database 1",
              path + " is not deleted: it was deleted or replaced by others");
    }
  }

  @Test
  void reportsWhichSocketIsInUse(CapturedOutput output) throws IOException {
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));

      assertThatThrownBy(() -> start("redis://127.0.0.1:1").close())
          .rootCause()
          .hasMessage("another process listens there already");
    }
    assertThat(output)
        .contains(
            "Unix socket "
                + path
                + " (penstock.listeners.local.path) is in use by another process.",
            "Stop the other process, or set penstock.listeners.local.path to another path.");
  }

  @Test
  void keepsAFileThatIsNoSocket(CapturedOutput output) throws IOException {
    Files.writeString(path, "mine");

    assertThatThrownBy(() -> start("redis://127.0.0.1:1").close())
        .rootCause()
        .hasMessage("there is a file or folder that is no socket");

    assertThat(path).hasContent("mine");
    assertThat(output)
        .contains("cannot be opened: there is a file or folder that is no socket.")
        .contains("Remove what is there, or set penstock.listeners.local.path to another path.");
  }

  @Test
  void reportsAFolderThatIsMissing(CapturedOutput output) {
    path = folder.resolve("missing").resolve("penstock.sock");

    assertThatThrownBy(() -> start("redis://127.0.0.1:1").close())
        .rootCause()
        .hasMessage("the folder " + path.getParent() + " does not exist");
    assertThat(output).contains("cannot be opened: its folder does not exist.");
  }
}
