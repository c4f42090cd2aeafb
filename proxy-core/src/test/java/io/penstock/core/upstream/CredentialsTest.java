package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CredentialsTest {

  @Test
  void whatAServerRepeatsOfARequestIsLeftOutHoweverMuchItIs() {
    String cut = "s".repeat(128); // of a longer password
    assertThat(
            Credentials.mask(
                "ERR unknown command 'AUTH', with args beginning with: '" + cut + "' "))
        .isEqualTo("ERR unknown command 'AUTH', with args beginning with: ***");
  }

  /** A password that is a usual word is not told apart by where such words are missing. */
  @Test
  void whatAServerSaysItselfStays() {
    String said = "WRONGPASS invalid username-password pair or user is disabled.";
    assertThat(Credentials.mask(said)).isEqualTo(said);
  }
}
