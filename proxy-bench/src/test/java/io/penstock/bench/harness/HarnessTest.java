package io.penstock.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HarnessTest {

  @Test
  void aProxyIsNamedWithOrWithoutItsProcess() {
    assertThat(Target.Address.parse("predixy=localhost:7617"))
        .isEqualTo(new Target.Address("predixy", "localhost", 7_617, 0));
    assertThat(Target.Address.parse("predixy=localhost:7617:42"))
        .isEqualTo(new Target.Address("predixy", "localhost", 7_617, 42));
    assertThat(Target.Address.parse("predixy=localhost:7617:42:43+44"))
        .isEqualTo(new Target.Address("predixy", "localhost", 7_617, 42, List.of(43L, 44L)));
  }

  @Test
  void aProxyMayListenOnAUnixSocket() {
    Target.Address address = Target.Address.parse("penstock=/run/penstock.sock:42");

    assertThat(address).isEqualTo(new Target.Address("penstock", "/run/penstock.sock", 0, 42));
    assertThat(address.isUnixSocket()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost:1",
        "a=",
        "a=b",
        "a=:1",
        "a=b:c",
        "a=b:1:2:c",
        "a=b:1:2:3:4",
        "=b:1"
      })
  void whatNamesNoProxyIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Target.Address.parse(text))
        .withMessage(text + " is not " + Target.Address.FORM);
  }

  @Test
  void everyTemplateIsFilled() throws IOException {
    Map<String, String> values =
        Map.of(
            "listen", "127.0.0.1:1",
            "server", "127.0.0.1:2",
            "server_1", "127.0.0.1:3",
            "server_2", "127.0.0.1:4",
            "server_3", "127.0.0.1:5",
            "folder", "/tmp/x",
            "load_module", "");

    assertThat(Template.fill("nutcracker.yml", values)).contains("listen: 127.0.0.1:1\n");
    assertThat(Template.fill("nginx.conf", values)).contains("proxy_pass 127.0.0.1:2;\n");
  }

  @Test
  void aHoleThatNothingFillsIsAnError() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Template.fillText("a ${b}", Map.of()))
        .withMessage("nothing for ${b}");
  }

  @Test
  void theSoftLimitOfOpenFilesCounts() {
    String limits =
        "Limit                     Soft Limit           Hard Limit           Units     \n"
            + "Max processes             95000                95000                processes \n"
            + "Max open files            1024                 4096                 files     \n";

    assertThat(OpenFiles.parse(limits)).isEqualTo(1_024);
    assertThat(OpenFiles.parse("Max open files  unlimited  unlimited  files\n"))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void tooManyConnectionsAreRejectedWithAdvice() {
    int tooMany = 2_000_000_000;
    if (OpenFiles.limit() < tooMany) {
      assertThatIllegalStateException()
          .isThrownBy(() -> OpenFiles.require(tooMany))
          .withMessageContainingAll("ulimit -n 2666666667", "raise it, or use at most");
    }
    OpenFiles.require(0);
  }

  @Test
  void theLastOfEqualSettingsWins() {
    PenstockSetup setup =
        new PenstockSetup(Path.of("p.jar"), List.of("-Xmx64m"), List.of("a.b=1", "a.bc=2"))
            .with("a.b", 3);

    assertThat(setup.settings()).containsExactly("a.bc=2", "a.b=3");
    assertThat(setup.command("redis://x", 5))
        .contains("-Xmx64m", "--penstock.port=5", "--a.b=3")
        .doesNotContain("--a.b=1");
  }
}
