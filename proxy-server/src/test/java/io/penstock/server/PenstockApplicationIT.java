package io.penstock.server;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class PenstockApplicationIT {

  @Test
  void contextStarts() {}
}
