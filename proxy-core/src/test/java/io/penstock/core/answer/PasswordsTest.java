package io.penstock.core.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PasswordsTest {

  private static final Duration OVERLAP = Duration.ofNanos(10);

  private static boolean accepts(Passwords passwords, String given, long now) {
    return passwords.accept(given.getBytes(StandardCharsets.UTF_8), now);
  }

  private static Passwords change(Passwords before, @Nullable String next, long now) {
    return before.changedTo(next, OVERLAP, now);
  }

  @Test
  void withoutAPasswordAnyIsAccepted() {
    assertThat(Passwords.NONE.required()).isFalse();
    assertThat(accepts(Passwords.NONE, "any", 0)).isTrue();
  }

  @Test
  void theEarlierPasswordIsValidUntilTheOverlapEnds() {
    Passwords changed = change(Passwords.of("a"), "b", 100);

    assertThat(accepts(changed, "b", 1_000)).isTrue();
    assertThat(accepts(changed, "a", 109)).isTrue();
    assertThat(accepts(changed, "a", 110)).isFalse();
    assertThat(accepts(changed, "c", 100)).isFalse();
  }

  @Test
  void ofSeveralEarlierPasswordsTheLatestIsValid() {
    Passwords changed = change(change(Passwords.of("a"), "b", 100), "c", 101);

    assertThat(accepts(changed, "a", 102)).isFalse();
    assertThat(accepts(changed, "b", 102)).isTrue();
    assertThat(accepts(changed, "c", 102)).isTrue();
  }

  @Test
  void anEqualPasswordKeepsTheOverlapOfTheEarlierOne() {
    Passwords changed = change(change(Passwords.of("a"), "b", 100), "b", 105);

    assertThat(accepts(changed, "a", 109)).isTrue();
    assertThat(accepts(changed, "a", 110)).isFalse();
  }

  @Test
  void aShorterOverlapEndsTheEarlierPasswordSooner() {
    Passwords changed = change(Passwords.of("a"), "b", 100);

    Passwords shorter = changed.changedTo("b", Duration.ofNanos(2), 105);
    assertThat(accepts(shorter, "a", 106)).isTrue();
    assertThat(accepts(shorter, "a", 107)).isFalse();
    assertThat(accepts(changed.changedTo("b", Duration.ZERO, 105), "a", 105)).isFalse();
  }

  @Test
  void aLongerOverlapDoesNotBringTheEarlierPasswordBack() {
    Passwords changed = change(Passwords.of("a"), "b", 100);

    Passwords longer = changed.changedTo("b", Duration.ofNanos(1_000), 111);

    assertThat(accepts(longer, "a", 111)).isFalse();
    assertThat(longer.changedTo("b", Duration.ofNanos(1_000), 112)).isEqualTo(longer);
  }

  @Test
  void anOverlapOfZeroAlsoEndsAPasswordThatWasRemoved() {
    Passwords removed = change(Passwords.of("a"), null, 100);

    assertThat(accepts(change(removed, "b", 105), "a", 105)).isTrue();
    assertThat(accepts(removed.changedTo("b", Duration.ZERO, 105), "a", 105)).isFalse();
  }

  @Test
  void aRemovedPasswordIsNotRequired() {
    assertThat(change(Passwords.of("a"), null, 100).required()).isFalse();
  }

  @Test
  void aNewPasswordIsRequiredAtOnce() {
    assertThat(accepts(change(Passwords.NONE, "a", 100), "any", 100)).isFalse();
  }

  @Test
  void theTextHasNoPassword() {
    assertThat(change(Passwords.of("first"), "second", 0))
        .asString()
        .doesNotContain("first", "second");
  }
}
