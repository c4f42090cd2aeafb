package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CredentialsTest {

  @Test
  void aSharedPasswordChangesForAll() {
    var first = new Credentials("app", "one");
    var second = new Credentials("app", "two");
    var third = new Credentials("app", "three");

    second.shareWith(first);
    assertThat(first.password()).isEqualTo("two");
    third.shareWith(second);
    third.changePassword("four");

    assertThat(first.password()).isEqualTo("four");
    assertThat(second.password()).isEqualTo("four");
    assertThat(third.password()).isEqualTo("four");
  }

  @Test
  void theArgumentsThatAnErrorRepeatsAreMasked() {
    String cut = "s".repeat(128); // the server truncates a longer password
    assertThat(
            Credentials.mask(
                "ERR unknown command 'AUTH', with args beginning with: '" + cut + "' "))
        .isEqualTo("ERR unknown command 'AUTH', with args beginning with: ***");
  }

  /** Masking does not depend on the password, which may be a common word. */
  @Test
  void theServersOwnTextIsNotMasked() {
    String error = "WRONGPASS invalid username-password pair or user is disabled.";
    assertThat(Credentials.mask(error)).isEqualTo(error);
  }
}
