package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {

  @ParameterizedTest
  @CsvSource({"7.0.15, 7.0.15", "8.0, 8.0.0", "8.0-rc1, 8.0.0", "255.255.255, 255.255.255"})
  void parsesTheFormOfServers(String text, String version) {
    assertThat(ServerVersion.parse(text)).hasToString(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "seven", "7", "v7.0", "99999999999.1.1"})
  void anInvalidVersionIsNull(String text) {
    assertThat(ServerVersion.parse(text)).isNull();
  }

  @Test
  void isOrderedNumerically() {
    List<ServerVersion> versions =
        Stream.of("7.0.15", "7.0.9", "10.0.0", "6.2.14", "7.2.4")
            .map(ServerVersion::parse)
            .toList();

    assertThat(versions.stream().sorted().map(ServerVersion::toString))
        .containsExactly("6.2.14", "7.0.9", "7.0.15", "7.2.4", "10.0.0");
  }
}
