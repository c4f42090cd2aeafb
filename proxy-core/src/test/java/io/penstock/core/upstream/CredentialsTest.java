package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CredentialsTest {

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
