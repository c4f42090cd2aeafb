package io.penstock.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordGuessesTest {

  private static final SocketAddress ATTACKER = address("192.0.2.1", 1);
  private static final String USER = "default";

  private final PasswordGuesses guesses = new PasswordGuesses();
  private long now = System.nanoTime();

  private static SocketAddress address(String host, int port) {
    return new InetSocketAddress(host, port);
  }

  private long waitMillis(@Nullable SocketAddress from, String password) {
    return Duration.ofNanos(guesses.waitNanos(from, USER, password, now)).toMillis();
  }

  /** Tries so many passwords, those that need not wait. Returns how many these are. */
  private int guess(@Nullable SocketAddress from, int first, int count) {
    int tried = 0;
    for (int i = first; i < first + count; i++) {
      String password = "guess" + i;
      if (guesses.waitNanos(from, USER, password, now) == 0) {
        guesses.failed(from, USER, password, now);
        tried++;
      }
    }
    return tried;
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void anAddressMayTryFiftyPasswordsAndThenTenASecond() {
    assertThat(guess(ATTACKER, 0, 1_000)).isEqualTo(PasswordGuesses.BURST);
    assertThat(waitMillis(ATTACKER, "right")).isEqualTo(100);

    int tried = 0;
    for (int tenth = 1; tenth <= 600; tenth++) {
      pass(PasswordGuesses.EACH);
      tried += guess(ATTACKER, tenth * 1_000, 500);
    }
    assertThat(tried).isEqualTo(600);
  }

  @Test
  void whatWasNotTriedIsSavedUpToTheBurst() {
    guess(ATTACKER, 0, 100);
    pass(Duration.ofSeconds(1));
    assertThat(guess(ATTACKER, 1_000, 100)).isEqualTo(10);
    pass(Duration.ofHours(1));
    assertThat(guess(ATTACKER, 2_000, 100)).isEqualTo(PasswordGuesses.BURST);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "192.0.2.1, ::ffff:192.0.2.1, true",
    "2001:db8::1, 2001:db8::ffff:1, true",
    "2001:db8:0:1::1, 2001:db8:0:2::1, false",
    "192.0.2.1, ::192.0.2.1, false"
  })
  void portsAndTheEndsOfIpv6AddressesDoNotMatter(String one, String other, boolean same) {
    guess(address(one, 1), 0, 100);

    assertThat(waitMillis(address(other, 2), "right") > 0).isEqualTo(same);
  }

  @Test
  void allUnixSocketsAreOneAddress() {
    assertThat(guess(null, 0, 100)).isEqualTo(PasswordGuesses.BURST);
    assertThat(guess(new SocketAddress() {}, 1_000, 100)).isZero();
    assertThat(waitMillis(ATTACKER, "right")).isZero();
  }

  @Test
  void theSamePasswordAgainCostsNothing() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(waitMillis(ATTACKER, "outdated")).isZero();
      guesses.failed(ATTACKER, USER, "outdated", now);
    }
    int others = PasswordGuesses.BURST - 1;
    assertThat(guess(ATTACKER, 0, 100)).isEqualTo(others);

    String last = "guess" + (others - 1);
    assertThat(waitMillis(ATTACKER, last)).isZero();
    assertThat(waitMillis(ATTACKER, "another")).isPositive();
    assertThat(guesses.waitNanos(ATTACKER, "bob", last, now)).isPositive();
  }

  @Test
  void anAddressThatHasGivenTheRightPasswordDoesNotWait() {
    guess(ATTACKER, 0, 100);
    guesses.succeeded(ATTACKER, "default", now);

    assertThat(guess(ATTACKER, 1_000, 100)).isEqualTo(100);
    pass(Duration.ofMinutes(29));
    assertThat(guess(ATTACKER, 2_000, 100)).isEqualTo(100);
    pass(Duration.ofMinutes(61));
    assertThat(guess(ATTACKER, 3_000, 100)).isEqualTo(PasswordGuesses.BURST);
  }

  @Test
  void whoeverKnowsThePasswordOfAnotherUserWaits() {
    guesses.succeeded(ATTACKER, "another", now);

    assertThat(guess(ATTACKER, 0, 100)).isEqualTo(PasswordGuesses.BURST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.%d.%d.1", "2001:db8:%d:%d::1"})
  void theNumberOfAddressesIsBoundedAndTheOldestGo(String addresses) {
    guess(ATTACKER, 0, 100);
    for (int i = 0; i < 200; i++) {
      for (int j = 0; j < 250; j++) {
        guess(address(addresses.formatted(i, j), 1), 0, 1);
      }
    }

    assertThat(guesses.size()).isBetween(1_000, PasswordGuesses.MOST_ADDRESSES);
    assertThat(waitMillis(ATTACKER, "right")).isZero();
  }

  @Test
  void addressesThatFailNoMoreAreForgotten() {
    guess(ATTACKER, 0, 100);
    pass(Duration.ofMinutes(11));
    guess(address("192.0.2.2", 1), 0, 1);

    assertThat(guesses.size()).isEqualTo(1);
  }
}
