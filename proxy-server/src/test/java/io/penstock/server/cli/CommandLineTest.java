package io.penstock.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.cli.CommandLine.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {

  @Test
  void passesOptionsOnUnchanged() throws UsageException {
    String[] options = {
      "--penstock.port=0",
      "--penstock.maxClients=7",
      "--penstock.commands.allow[0]=config|set",
      "--penstock.upstreams.a.shards.slots[0].list[1]=2",
      "--penstock.upstreams.a.shards.servers[1].weight=2"
    };

    assertThat(CommandLine.of().action()).isEqualTo(Action.START);
    assertThat(CommandLine.of(options).action()).isEqualTo(Action.START);
    assertThat(CommandLine.of(options).options()).containsExactly(options);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--spring.profiles.active=demo",
        "--server.address=127.0.0.1",
        "--management.server.port=-1",
        "--logging.level.io.netty=debug",
        "--info.team=storage",
        "--debug",
        "--trace",
        "--camellia-redis-proxy.port=6380"
      })
  void acceptsOptionsOfSpringBoot(String option) throws UsageException {
    assertThat(CommandLine.of(option).options()).containsExactly(option);
  }

  @Test
  void checkKeepsTheOtherOptions() throws UsageException {
    CommandLine line = CommandLine.of("--penstock.port=0", "--check");

    assertThat(line.action()).isEqualTo(Action.CHECK);
    assertThat(line.options()).containsExactly("--penstock.port=0");
  }

  @Test
  void compareTakesAllThatFollows() throws UsageException {
    CommandLine line = CommandLine.of("compare", "a", "b", "--keys=-");

    assertThat(line.action()).isEqualTo(Action.COMPARE);
    assertThat(line.options()).containsExactly("a", "b", "--keys=-");
    assertThat(CommandLine.of("compare", "--help").action()).isEqualTo(Action.HELP);
  }

  @ParameterizedTest
  @CsvSource({"--help, HELP", "-h, HELP", "--version, VERSION", "-v, VERSION"})
  void helpAndVersionIgnoreAllOtherArguments(String word, Action action) throws UsageException {
    assertThat(CommandLine.of("nonsense", "--penstok.port=5", word).action()).isEqualTo(action);
  }

  @ParameterizedTest
  @CsvSource({
    "--penstok.port=5, Unknown option --penstok.port; did you mean --penstock.port?",
    "--penstock.prot=5, Unknown option --penstock.prot; did you mean --penstock.port?",
    "--demo.tsl, Unknown option --demo.tsl; did you mean --demo.tls?",
    "--demo.port=1, Unknown option --demo.port; did you mean --penstock.port?",
    "--port=5, Unknown option --port; did you mean --penstock.port?",
    "--sprng.main.banner-mode=off,"
        + " Unknown option --sprng.main.banner-mode; did you mean --spring.main.banner-mode?",
    "--camelia-redis-proxy.port=5, Unknown option --camelia-redis-proxy.port;"
        + " did you mean --camellia-redis-proxy.port?",
    "--hlep, Unknown option --hlep; did you mean --help?",
    "--chekc, Unknown option --chekc; did you mean --check?",
    "--cluster=7000, Unknown option --cluster.",
    "--check=true, --check takes no value.",
    "--, Unknown option --.",
    "--=5, Unknown option --."
  })
  void anUnknownOptionIsRejectedWithASuggestion(String option, String message) {
    assertThatThrownBy(() -> CommandLine.of(option)).hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource({
    "penstock.port=5, Argument 2 is not an option: options are written --key=value.",
    "s3cret, Argument 2 is not an option: options are written --key=value.",
    "-x, Argument 2 is not an option: options are written --key=value.",
    "-Dpenstock.password=s3cret, '-Dpenstock.password comes after the jar, where the JVM ignores"
        + " it; write --penstock.password=VALUE.'",
    "my.yml, my.yml is not an option; write --spring.config.additional-location=file:my.yml."
  })
  void anArgumentThatIsNotAnOptionIsRejectedAndNotRepeated(String argument, String message) {
    assertThatThrownBy(() -> CommandLine.of("--penstock.bind=127.0.0.1", argument))
        .hasMessage(message);
  }

  @Test
  void aValueInASeparateArgumentIsRejectedAndNotRepeated() {
    assertThatThrownBy(() -> CommandLine.of("--penstock.password", "s3cret"))
        .hasMessage(
            "--penstock.password and its value are separate arguments; write"
                + " --penstock.password=VALUE.");
  }

  @ParameterizedTest
  @CsvSource({
    "--penstock.port=1, --penstock.port=2, --penstock.port",
    "--penstock.max-clients=1, --penstock.maxClients=1, --penstock.maxClients",
    "--penstock.commands.allow=acl, --penstock.commands.allow=config, --penstock.commands.allow",
    "--spring.profiles.active=demo, --spring.profiles.active=x, --spring.profiles.active",
    "--check, --check, --check"
  })
  void anOptionGivenTwiceIsRejectedInAnySpelling(String first, String second, String option) {
    assertThatThrownBy(() -> CommandLine.of(first, "--penstock.bind=::", second))
        .hasMessage(
            option + " is given twice; give it once, with commas between the elements of a list.");
  }
}
