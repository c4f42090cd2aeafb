package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

class PenstockApplicationTest {

  @Test
  void isASpringBootApplication() {
    assertThat(PenstockApplication.class)
        .hasAnnotations(SpringBootConfiguration.class, EnableAutoConfiguration.class);
  }
}
