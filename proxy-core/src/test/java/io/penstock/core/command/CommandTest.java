package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {

  private static final int CALLS = 10_000;

  private final CommandTable table = CommandTable.load();

  private Command command(String... arguments) {
    return new Command(table, Requests.frame(arguments));
  }

  @Test
  void argumentsAreComparedInAnyCase() {
    Command command = command("CLIENT", "RePLY", "reply", "repl", "replyy", "REPL9");

    assertThat(command.argEqualsIgnoreCase(1, "reply")).isTrue();
    assertThat(command.argEqualsIgnoreCase(2, "REPLY")).isTrue();
    assertThat(command.argEqualsIgnoreCase(3, "reply")).isFalse();
    assertThat(command.argEqualsIgnoreCase(4, "reply")).isFalse();
    assertThat(command.argEqualsIgnoreCase(5, "reply")).isFalse();
  }

  @Test
  void anOptionEndsAtANulAsInC() {
    Command command = command("SORT", "STORE\0", "store\0x", "stor\0e", "\0store", "store");

    assertThat(command.argEqualsIgnoreCase(1, "store")).isTrue();
    assertThat(command.argEqualsIgnoreCase(2, "store")).isTrue();
    assertThat(command.argEqualsIgnoreCase(3, "store")).isFalse();
    assertThat(command.argEqualsIgnoreCase(4, "store")).isFalse();
    assertThat(command.argEqualsIgnoreCase(5, "stor")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7",
    "-1, -1",
    "10, 10",
    "9223372036854775807, 9223372036854775807",
    "-9223372036854775807, -9223372036854775807",
    "-9223372036854775808, -9223372036854775807"
  })
  void integersAreParsedAsRedisDoes(String text, long value) {
    assertThat(command("X", text).argAsLong(1)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "+1",
        "01",
        "-0",
        "-01",
        "1 ",
        " 1",
        "1x",
        "x",
        "1.0",
        "9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "18446744073709551617",
        "99999999999999999999",
        "--1"
      })
  void whatRedisDoesNotParseIsNotAnInteger(String text) {
    assertThat(command("X", text).argAsLong(1)).isEqualTo(Command.NOT_A_LONG);
  }

  @Test
  void lookingUpAndFindingKeysAllocatesNothing() {
    List<Command> commands =
        List.of(
            command("GET", "key"),
            command("incrbyfloat", "key", "1"),
            command("OBJECT", "ENCODING", "key"),
            command("MGET", "a", "b", "c"),
            command("EVAL", "script", "2", "a", "b"),
            command("XREADGROUP", "GROUP", "g", "c", "STREAMS", "a", ">"),
            command("SORT", "a", "BY", "x", "LIMIT", "0", "1", "STORE", "b"),
            command("ZUNIONSTORE", "d", "2", "a", "b"),
            command("NOSUCH", "a"));
    KeyPositions keys = new KeyPositions();
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    work(commands, keys);

    long before = threads.getCurrentThreadAllocatedBytes();
    int found = work(commands, keys);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(found).isEqualTo(CALLS * 14);
    assertThat(allocated).isLessThan(CALLS); // less than a byte per call: nothing is allocated
  }

  private static int work(List<Command> commands, KeyPositions keys) {
    int found = 0;
    for (int call = 0; call < CALLS; call++) {
      for (int i = 0; i < commands.size(); i++) {
        Command command = commands.get(i);
        CommandSpec spec = command.resolve();
        RequestFrame frame = command.frame();
        if (spec != null && spec.acceptsArity(frame.argc())) {
          found += spec.firstKeyIndex() > 0 ? 1 : spec.findKeys(frame, keys);
          if (spec.handling() instanceof Handling.BlockingIf condition
              && condition.timeoutAt(frame) > 0) {
            found++;
          }
        }
      }
    }
    return found;
  }
}
