package io.penstock.core.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.HelloFacts.Module;
import java.util.List;
import org.junit.jupiter.api.Test;

class HelloReplyTest {

  @Test
  void modulesAndTheZoneAreRead() {
    List<Object> module = List.of("name", "json", "ver", 7L, "path", "/j.so", "args", List.of("a"));
    List<Object> reply =
        List.of("server", "valkey", "modules", List.of(module), "availability_zone", "eu-1");

    assertThat(HelloReply.parse(reply))
        .isEqualTo(new HelloFacts(List.of(new Module("json", 7, "/j.so", List.of("a"))), "eu-1"));
    assertThat(HelloReply.text(reply, "server")).isEqualTo("valkey");
  }

  @Test
  void aReplyWithoutThemIsReadToo() {
    assertThat(HelloReply.parse(null)).isEqualTo(HelloFacts.NONE);
    assertThat(HelloReply.parse(List.of("modules"))).isEqualTo(HelloFacts.NONE);
    assertThat(HelloReply.parse(List.of("modules", "x", "availability_zone", 1L)))
        .isEqualTo(HelloFacts.NONE);
    assertThat(HelloReply.parse(List.of("modules", List.of(List.of("name", "a")))).modules())
        .containsExactly(new Module("a", 0, "", List.of()));
  }
}
