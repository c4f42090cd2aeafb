package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;

/** Freezes servers with SIGSTOP and waits until it has taken effect. */
public final class FrozenNode {

  private static final Duration SILENCE = Duration.ofMillis(100);

  private FrozenNode() {}

  /** Freezes a node. Returns when it no longer answers. */
  public static void freeze(Member member) {
    freeze(member.server());
  }

  /** Freezes a server. Returns when it no longer answers. */
  public static void freeze(ServerProcess server) {
    server.pause();
    awaitSilence(server.host(), server.port());
    awaitStop(server.pid());
  }

  /** A slow server is silent too. Its state is known where there is a {@code /proc}. */
  private static void awaitStop(long pid) {
    Path status = Path.of("/proc", Long.toString(pid), "stat");
    if (Files.exists(status)) {
      Awaitility.await(pid + " is stopped")
          .pollDelay(Duration.ZERO)
          .until(() -> Files.readString(status).contains(") T "));
    }
  }

  private static void awaitSilence(String host, int port) {
    Awaitility.await(host + ":" + port + " is frozen")
        .pollDelay(Duration.ZERO)
        .until(() -> isSilent(host, port));
  }

  private static boolean isSilent(String host, int port) {
    try (RespClient probe = RespClient.open(host, port, SILENCE)) {
      probe.call("PING"); // an error is an answer
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }
}
