package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NoticeTest {

  @Test
  void theFirstTimeIsToldAtOnceAndTheNextOnesLater() {
    Notice notice = new Notice();

    assertThat(notice.times()).isEqualTo(1);
    assertThat(notice.times()).isZero();
    assertThat(notice.times()).isZero();
  }
}
