package io.penstock.testkit.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that fail leave nothing behind. */
class FailedServersIT {

  @Test
  void aServerThatCannotBeSpokenToIsEnded(@TempDir Path folder) throws IOException {
    Path told = folder.resolve("told");
    Path script = folder.resolve("no-redis-server");
    Files.writeString(
        script,
        """
        #!/bin/sh
        port=$(sed -n 's/^port //p' "$1")
        printf '%%s\\n' "$$" "$port" "$(dirname "$1")" >'%s'
        exec '%s' -cp '%s' '%s' "$port"
        """
            .formatted(
                told,
                ProcessHandle.current().info().command().orElse("java"),
                System.getProperty("java.class.path"),
                Nonsense.class.getName()));
    assertThat(script.toFile().setExecutable(true)).isTrue();

    ServerProcess.Builder builder =
        ServerProcess.builder().binary(new ServerBinary(script, false, 7, 0, "7.0.0"));
    assertThatThrownBy(builder::start).isInstanceOf(NumberFormatException.class);

    var lines = Files.readAllLines(told);
    assertThat(ProcessHandle.of(Long.parseLong(lines.get(0)))).isEmpty();
    assertThat(Path.of(lines.get(2))).doesNotExist();
    new ServerSocket(Integer.parseInt(lines.get(1))).close(); // the port is free
  }

  @Test
  void aServerThatCannotBeEndedKeepsNoOtherRunning() throws IOException {
    EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).start();
    ServerProcess first = cluster.members().getFirst().server();
    ServerProcess last = cluster.members().getLast().server();
    ProcessHandle orphan = ProcessHandle.of(first.pid()).orElseThrow();
    try {
      loseShell(orphan);
      assertThatThrownBy(first::pause).isInstanceOf(UncheckedIOException.class);

      assertThatThrownBy(cluster::close).isInstanceOf(UncheckedIOException.class);

      assertThat(cluster.members().subList(1, 3))
          .noneMatch(member -> ProcessHandle.of(member.server().pid()).isPresent());
      assertThat(last.folder()).doesNotExist();
    } finally {
      orphan.destroyForcibly();
      await()
          .until(() -> isFree(first.port())); // it may stay a zombie: its parent is not in this JVM
      delete(first.folder());
    }
  }

  private static boolean isFree(int port) {
    try {
      new ServerSocket(port).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills the shell that watches over a server: this JVM's child. */
  private static void loseShell(ProcessHandle server) {
    ProcessHandle shell = server;
    while (!shell.parent().orElseThrow().equals(ProcessHandle.current())) {
      shell = shell.parent().orElseThrow();
    }
    shell.destroyForcibly();
    shell.onExit().join();
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Announces a number as the reply to each request, and sends none. */
  static final class Nonsense {

    private Nonsense() {}

    public static void main(String[] args) throws IOException {
      try (ServerSocket server =
          new ServerSocket(Integer.parseInt(args[0]), 1, InetAddress.getLoopbackAddress())) {
        while (true) {
          Socket client = server.accept();
          client.getOutputStream().write(":what\r\n".getBytes(US_ASCII));
        }
      }
    }
  }
}
