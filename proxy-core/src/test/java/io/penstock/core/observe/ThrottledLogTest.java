package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottledLogTest {

  @Test
  void theFirstTimeIsToldAtOnceAndTheNextOnesLater() {
    ThrottledLog notice = new ThrottledLog();

    assertThat(notice.dueTimes()).isEqualTo(1);
    assertThat(notice.dueTimes()).isZero();
    assertThat(notice.dueTimes()).isZero();
  }
}
