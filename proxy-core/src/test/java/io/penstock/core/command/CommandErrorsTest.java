package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandErrorsTest {

  private final CommandTable table = CommandTable.load();

  @Test
  void anUnknownCommandIsNamedWithItsFirstArguments() {
    assertThat(unknown("nosuch"))
        .isEqualTo("ERR unknown command 'nosuch', with args beginning with: ");
    assertThat(unknown("nosuch", "a", "b"))
        .isEqualTo("ERR unknown command 'nosuch', with args beginning with: 'a' 'b' ");
  }

  @Test
  void anErrorTruncatesLongArgumentsAndIsOneLine() {
    assertThat(unknown("x".repeat(200), "y".repeat(50), "z".repeat(70), "w".repeat(9), "v"))
        .isEqualTo(
            "ERR unknown command '%s', with args beginning with: '%s' '%s' 'ww' "
                .formatted("x".repeat(128), "y".repeat(50), "z".repeat(70)));
    assertThat(unknown("no\r\nsuch", "a\r\nb", "c\0d", "\u00ff"))
        .isEqualTo(
            "ERR unknown command 'no  such', with args beginning with: 'a  b' 'c' '\u00ff' ");
  }

  private static String unknown(String... arguments) {
    return CommandErrors.unknownCommand(Requests.frame(arguments));
  }

  @Test
  void theErrorForAnUnknownSubcommandNamesHelp() {
    assertThat(
            CommandErrors.unknownSubcommand(
                Requests.frame("CoNfig", "x\0y"), table.byName("config")))
        .isEqualTo("ERR unknown subcommand 'x'. Try CONFIG HELP.");
  }

  @Test
  void theArityErrorNamesTheCommandAsServersDo() {
    assertThat(CommandErrors.wrongArity(table.byName("config|get")))
        .isEqualTo("ERR wrong number of arguments for 'config|get' command");
  }
}
