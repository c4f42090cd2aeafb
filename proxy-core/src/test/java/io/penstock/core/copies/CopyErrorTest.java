package io.penstock.core.copies;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.copies.CopyError.Kind;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class CopyErrorTest {

  @Test
  void errorsAreOfFourKinds() {
    assertThat(kind("-MOVED 12 127.0.0.1:7000\r\n")).isEqualTo(Kind.REDIRECT);
    assertThat(kind("-ASK 12 127.0.0.1:7000\r\n")).isEqualTo(Kind.REDIRECT);
    for (String word :
        new String[] {"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY"}) {
      assertThat(kind("-" + word + " why\r\n")).as(word).isEqualTo(Kind.NOT_NOW);
    }
    for (String word : new String[] {"OOM", "MISCONF", "NOPERM", "NOAUTH", "NOREPLICAS"}) {
      assertThat(kind("-" + word + " why\r\n")).as(word).isEqualTo(Kind.REFUSED);
    }
    assertThat(kind("-ERR syntax error\r\n")).isEqualTo(Kind.FAILED);
    assertThat(kind("-WRONGTYPE Operation against a key\r\n")).isEqualTo(Kind.FAILED);
    assertThat(kind("-BUSYKEY Target key name already exists.\r\n")).isEqualTo(Kind.FAILED);
  }

  @Test
  void theTextHasNoArgumentsOfUsers() {
    assertThat(text("-ERR unknown command 'FOO', with args beginning with: 'secret' \r\n"))
        .isEqualTo("ERR unknown command");
    assertThat(text("-MOVED 12 127.0.0.1:7000\r\n")).isEqualTo("MOVED");
    assertThat(text("-OOM command not allowed when used memory > 'maxmemory'.\r\n"))
        .isEqualTo("OOM command not allowed when used memory >");
    assertThat(text("-ERR " + "x".repeat(500) + "\r\n")).hasSize(120);
  }

  private static Kind kind(String line) {
    return CopyError.of(Wire.bytes(line)).kind();
  }

  private static String text(String line) {
    return CopyError.of(Wire.bytes(line)).text();
  }
}
