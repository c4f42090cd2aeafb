package io.penstock.server.it;

import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.awaitility.Awaitility;

/** Freezes servers with SIGSTOP and waits until it has taken effect. */
public final class FrozenNode {

  private static final Duration SILENCE = Duration.ofMillis(100);

  private FrozenNode() {}

  /** Freezes a server. Returns when it no longer answers. */
  public static void freeze(Member member) {
    member.pause();
    Awaitility.await(member + " is frozen").pollDelay(Duration.ZERO).until(() -> isSilent(member));
  }

  private static boolean isSilent(Member member) {
    try (RespClient probe = RespClient.open(member.host(), member.port(), SILENCE)) {
      probe.value("PING");
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }
}
