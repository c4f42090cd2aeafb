package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.answer.Authentication;
import io.penstock.core.limit.PasswordGuesses;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rig's clock stands still until a test ticks, so a delayed client stays delayed. */
class FailedAuthenticationTest {

  private static final String WRONG =
      "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
  private static final String NO_AUTH = "-NOAUTH Authentication required.\r\n";
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final Rig rig =
      new RigOptions()
          .single()
          .password("pw")
          .clientLimits(Limits.timeouts(Limits.authentication(Duration.ofMinutes(1))))
          .start();

  @AfterEach
  void close() {
    rig.close();
  }

  private long failures() {
    return rig.onLoop(() -> rig.sessions().pressure().authenticationFailures());
  }

  private long paused() {
    return rig.onLoop(() -> rig.sessions().pressure().paused());
  }

  /**
   * Returns a client after the last of so many failures, with a request behind them that is
   * delayed.
   */
  private Peer delayed(String attempt) {
    Peer client = rig.client().send((attempt + "\r\n").repeat(4) + "PING\r\n");
    client.expect(WRONG.repeat(4));
    await().until(() -> paused() == 1);
    return client;
  }

  @Test
  void theFirstFailuresAreNotDelayed() {
    Peer client = rig.client().send("AUTH no\r\n".repeat(3) + "PING\r\nAUTH pw\r\nPING\r\n");
    client.expect(WRONG.repeat(3) + NO_AUTH + "+OK\r\n+PONG\r\n");
    assertThat(failures()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"AUTH no", "AUTH default no", "AUTH bob pw", "HELLO 3 AUTH default no"})
  void requestsBehindManyFailuresWait(String attempt) {
    Peer client = delayed(attempt);
    assertThat(client.pending()).isZero();
    rig.tick(LONGEST);
    client.expect(NO_AUTH).send("AUTH pw\r\n").expect("+OK\r\n");
  }

  @Test
  void theDelayGrowsToOneSecond() {
    long[] millis = new long[13];
    for (int i = 0; i < millis.length; i++) {
      millis[i] = Duration.ofNanos(Authentication.delayNanos(i)).toMillis();
    }
    assertThat(millis).containsExactly(0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 1000, 1000);
    assertThat(Authentication.delayNanos(Integer.MAX_VALUE)).isEqualTo(LONGEST.toNanos());
  }

  @Test
  void pipelinedFailuresAreDelayedOneByOne() {
    int waiting = 20;
    Peer client = rig.client().send("AUTH no\r\n".repeat(4 + waiting) + "PING\r\n");
    client.expect(WRONG.repeat(4));
    for (int i = 1; i <= waiting; i++) {
      rig.tick(LONGEST);
      client.expect(WRONG);
      assertThat(failures()).isEqualTo(4 + i);
    }
    rig.tick(LONGEST);
    client.expect(NO_AUTH);
  }

  @Test
  void otherClientsAreNotDelayed() {
    delayed("AUTH no");
    rig.client().send("AUTH no\r\nAUTH pw\r\nPING\r\n").expect(WRONG + "+OK\r\n+PONG\r\n");
  }

  @Test
  void aCorrectPasswordResetsTheDelay() {
    Peer client = delayed("AUTH no");
    rig.tick(LONGEST);
    client.expect(NO_AUTH);
    client.send("AUTH pw\r\n" + "AUTH no\r\n".repeat(3) + "PING\r\n");
    client.expect("+OK\r\n" + WRONG.repeat(3) + "+PONG\r\n");
  }

  @Test
  void resetDoesNotResetTheDelay() {
    Peer client = rig.client().send("AUTH no\r\nRESET\r\n".repeat(4));
    client.expect((WRONG + "+RESET\r\n").repeat(3) + WRONG);
    await().until(() -> paused() == 1);
    rig.tick(LONGEST);
    client.expect("+RESET\r\n");
  }

  @Test
  void theAuthenticationTimeoutContinuesDuringTheDelay() {
    Peer client = delayed("AUTH no");
    rig.tick(Duration.ofSeconds(2)); // the timeout is detected and continues
    client.expect(NO_AUTH).send("AUTH no\r\n").expect(WRONG);
    rig.tick(Duration.ofSeconds(90));
    client.expectClosed();
    assertThat(rig.onLoop(() -> rig.sessions().pressure().closed()))
        .containsEntry(CloseReason.AUTHENTICATION, 1L);
  }

  @Test
  void aClientClosedDuringTheDelayIsForgotten() {
    delayed("AUTH no").reset();
    rig.tick(LONGEST);
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    rig.tick(LONGEST);
    rig.client().send("AUTH pw\r\n").expect("+OK\r\n");
  }

  /** Has so many connections try a password that none has tried; their address is the same. */
  private void guess(int count) {
    rig.stopClock();
    for (int i = 0; i < count; i++) {
      rig.client().send("AUTH guess" + i + "\r\n").expect(WRONG);
    }
  }

  private void pass(Duration time) {
    rig.advance(time);
    rig.tick(Duration.ZERO);
  }

  private long delays() {
    return rig.onLoop(() -> rig.sessions().pressure().authenticationDelays());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"AUTH %s", "AUTH default %s", "HELLO 3 AUTH default %s", "HELLO 2 AUTH bob %s"})
  void guessesOverManyConnectionsWait(String attempt) {
    guess(PasswordGuesses.BURST);
    Peer next = rig.client().send(attempt.formatted("other") + "\r\nPING\r\n");
    await().until(() -> delays() == 1);
    Peer right = rig.client().send("AUTH pw\r\nPING\r\n");
    await().until(() -> delays() == 2);
    assertThat(next.pending() + right.pending()).as("nothing is told, right or wrong").isZero();

    pass(PasswordGuesses.EACH);
    next.expect(WRONG + NO_AUTH);
    pass(PasswordGuesses.EACH);
    right.expect("+OK\r\n+PONG\r\n");
    assertThat(delays()).isEqualTo(2);
  }

  @Test
  void anAddressWithTheRightPasswordDoesNotWait() {
    rig.client().send("AUTH pw\r\n").expect("+OK\r\n");
    guess(PasswordGuesses.BURST + 10);

    rig.client().send("AUTH pw\r\nPING\r\n").expect("+OK\r\n+PONG\r\n");
    assertThat(delays()).isZero();
  }

  @Test
  void clientsWithTheSameWrongPasswordDoNotDelayOthers() {
    for (int i = 0; i < 2 * PasswordGuesses.BURST; i++) {
      rig.client().send("AUTH outdated\r\n").expect(WRONG);
    }
    rig.client().send("AUTH pw\r\n").expect("+OK\r\n");
  }

  @Test
  void authenticatedClientsGoOnWhileTheirAddressWaits() {
    Peer client = rig.client().send("AUTH guess\r\n").expect(WRONG);
    guess(PasswordGuesses.BURST - 1);
    client.send("AUTH pw\r\n");
    await().until(() -> delays() == 1);
    pass(PasswordGuesses.EACH);
    client.expect("+OK\r\n");

    client.send("PING\r\n").expect("+PONG\r\n");
  }

  @Test
  void aConnectionThatEndsWhileItWaitsIsForgotten() {
    guess(PasswordGuesses.BURST);
    int open = rig.onLoop(() -> rig.sessions().sessions().size());
    Peer gone = rig.client().send("AUTH other\r\n");
    await().until(() -> delays() == 1);
    gone.reset();

    pass(PasswordGuesses.EACH.multipliedBy(2));
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().size()) == open);
    rig.client().send("AUTH pw\r\n").expect("+OK\r\n");
  }

  @Test
  void onlyTheFirstFailureIsLogged() {
    try (LogLines log = LogLines.of("client.ClientLog")) {
      rig.client().send("AUTH no\r\n".repeat(3)).expect(WRONG.repeat(3));
      assertThat(log.get())
          .hasSize(1)
          .allMatch(line -> line.matches("Client 1 \\(127.0.0.1:\\d+\\) failed to authenticate"));
    }
  }
}
