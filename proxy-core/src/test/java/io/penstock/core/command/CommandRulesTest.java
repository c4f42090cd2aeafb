package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.Handling;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandRulesTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-, -, GET, true",
        "-, -, DEBUG, false",
        "debug, -, DEBUG, true",
        "@dangerous, -, DEBUG, true",
        "@admin, -, ACL|LIST, true",
        "@all, -, DEBUG, true",
        "@dangerous, DEBUG, DEBUG, false",
        "DEBUG, @dangerous, DEBUG, true",
        "debug, debug, DEBUG, false",
        "-, get, GET, false",
        "-, @read, GET, false",
        "-, @read, SET, true",
        "get, @read, GET, true",
        "@fast, @read, GET, false",
        "@read, @all, GET, true",
        "@read, @all, SET, false",
        "-, client, CLIENT|ID, false",
        "client|id, client, CLIENT|ID, true",
        "client|id, client, CLIENT|INFO, false",
        "client, client|id, CLIENT|ID, false",
        "client, client|id, CLIENT|INFO, true",
        "-, ping, PING, false",
        "@all, -, MONITOR, false",
        "@dangerous, -, SHUTDOWN, false",
      })
  void theMoreSpecificEntryApplies(
      @Nullable String allow, @Nullable String deny, String command, boolean served) {
    CommandTable table = CommandTable.load(CommandRules.of(entries(allow), entries(deny)));

    assertThat(table.byName(command).handling() instanceof Handling.Rejected).isNotEqualTo(served);
  }

  private static List<String> entries(@Nullable String written) {
    return written == null ? List.of() : Arrays.asList(written.split(" ", -1));
  }

  @Test
  void theErrorNamesTheRuleThatRejects() {
    CommandTable table = CommandTable.load(CommandRules.of(List.of(), List.of("get")));

    assertThat(table.byName("get").handling())
        .isEqualTo(
            new Handling.Rejected(
                "ERR GET is not allowed through this proxy: denied by penstock.commands.deny",
                true));
    assertThat(table.byName("acl|list").handling())
        .isEqualTo(
            new Handling.Rejected(
                "ERR ACL LIST is not allowed through this proxy: it administers servers;"
                    + " add acl|list to penstock.commands.allow to allow it"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "GET", " Debug", "acl|list", "ACL", "@All", "@dangerous", "ft.x"})
  void entriesWithAnEffectAreValid(String entry) {
    assertThat(RuleCheck.checkAllowed(entry)).isNull();
    assertThat(RuleCheck.checkDenied(entry)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "gte; there is no such command; docs/reference/commands.md",
        "''; there is no such command; docs/reference/commands.md",
        "config set; a subcommand is separated by a bar; write config|set",
        "@dangerus; there is no such category; @dangerous",
      })
  void entriesWithoutAnEffectAreReported(String entry, String reason, String fix) {
    RuleCheck.Fault fault = Objects.requireNonNull(RuleCheck.checkDenied(entry));

    assertThat(fault.reason()).isEqualTo(reason);
    assertThat(fault.fix()).contains(fix);
    assertThat(RuleCheck.checkAllowed(entry)).isEqualTo(fault);
  }

  @Test
  void unsupportedCommandsCannotBeAllowedButDenied() {
    assertThat(Objects.requireNonNull(RuleCheck.checkAllowed("REPLICAOF")).reason())
        .startsWith("it cannot be allowed: REPLICAOF is not allowed through this proxy: it is");
    assertThat(RuleCheck.checkDenied("REPLICAOF")).isNull();
  }
}
