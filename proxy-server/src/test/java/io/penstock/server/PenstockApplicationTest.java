package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;

class PenstockApplicationTest {

  @Test
  void isSpringBootsStartingPoint() {
    assertThat(PenstockApplication.class).hasAnnotation(SpringBootApplication.class);
  }
}
