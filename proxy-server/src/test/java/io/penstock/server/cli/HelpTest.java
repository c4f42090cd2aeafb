package io.penstock.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.config.OptionNames;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HelpTest {

  private static final Pattern OPTION = Pattern.compile("--([\\w.-]+)=(\\S+)");

  @Test
  void startsWithUsageAndFitsATerminal() {
    assertThat(Help.text()).startsWith("Usage: ");
    assertThat(Help.text().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void everyOptionExistsAndHasTheDefaultShown() {
    List<MatchResult> options = OPTION.matcher(Help.text()).results().toList();

    assertThat(options).hasSizeGreaterThan(8);
    assertThat(options).allMatch(option -> OptionNames.exists(option.group(1)));
    assertThat(options)
        .filteredOn(option -> option.group(2).matches("[0-9.]+|async"))
        .filteredOn(option -> option.group(1).startsWith("penstock."))
        .hasSize(4)
        .allMatch(option -> option.group(2).equals(OptionNames.defaultOf(option.group(1))));
  }

  @Test
  void theVersionIsOneLine() {
    assertThat(Version.text())
        .matches("Penstock \\d+\\.\\d+\\.\\d+\\S* \\((commit \\w+, )?Java \\d+\\S*\\)");
  }
}
