package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottledLogTest {

  @Test
  void theFirstEventIsLoggedAtOnceAndTheNextOnesLater() {
    ThrottledLog log = new ThrottledLog();

    assertThat(log.dueTimes()).isEqualTo(1);
    assertThat(log.dueTimes()).isZero();
    assertThat(log.dueTimes()).isZero();
  }
}
