package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.spec.CommandSpec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandRepliesTest {

  private final CommandTable table = CommandTable.load();
  private final CommandReplies replies = new CommandReplies(table);

  private String reply(Protocol protocol, String call) {
    Command command = new Command(table, Requests.call(call));
    CommandSpec spec = command.resolve();
    assertThat(spec).isNotNull();
    ByteBuf out = Unpooled.buffer();
    switch (spec.name()) {
      case "command" -> {
        ByteBuf all = replies.all(protocol);
        out.writeBytes(all);
        all.release();
      }
      case "command|count" -> replies.count(out);
      case "command|info" -> replies.info(command.frame(), protocol, out);
      case "command|list" -> replies.list(command.frame(), protocol, out);
      case "command|getkeys" -> replies.getKeys(command.frame(), protocol, out);
      default -> throw new AssertionError(call);
    }
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  /** Returns the wire form of lines that are separated by spaces. */
  private static String wire(String lines) {
    return lines.strip().replaceAll("\\s+", "\r\n") + "\r\n";
  }

  @Test
  void allRepliesToCommandShareMemory() {
    ByteBuf one = replies.all(Protocol.RESP2);
    ByteBuf other = replies.all(Protocol.RESP2);
    assertThat(other.unwrap()).isSameAs(one.unwrap());
    one.release();
    other.release();
    assertThat(reply(Protocol.RESP2, "COMMAND")).startsWith("*" + table.commands().size() + "\r\n");
    assertThat(reply(Protocol.RESP3, "COMMAND")).contains("~").endsWith("\r\n");
  }

  @Test
  void infoInResp2() {
    assertThat(reply(Protocol.RESP2, "COMMAND INFO gEt nosuch"))
        .isEqualTo(
            wire(
                """
                *2 *10 $3 get :2 *2 +readonly +fast :1 :1 :1 *3 +@read +@string +@fast
                *0 *1 *6 $5 flags *2 +RO +access $12 begin_search *4 $4 type $5 index $4 spec
                *2 $5 index :1 $9 find_keys *4 $4 type $5 range $4 spec *6 $7 lastkey :0 $7
                keystep :1 $5 limit :0 *0 $-1
                """));
  }

  @Test
  void infoInResp3() {
    assertThat(reply(Protocol.RESP3, "COMMAND INFO xread config|get nosuch"))
        .isEqualTo(
            wire(
                """
                *3 *10 $5 xread :-4 ~3 +readonly +blocking +movablekeys :0 :0 :0
                ~4 +@read +@stream +@slow +@blocking ~0 ~1 %3 $5 flags ~2 +RO +access $12
                begin_search %2 $4 type $7 keyword $4 spec %2 $7 keyword $7 STREAMS $9 startfrom
                :1 $9 find_keys %2 $4 type $5 range $4 spec %3 $7 lastkey :-1 $7 keystep :1 $5
                limit :2 ~0 *10 $10 config|get :-3 ~4 +admin +noscript +loading +stale :0 :0 :0
                ~3 +@admin +@slow +@dangerous ~0 ~0 ~0 _
                """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "COMMAND COUNT; :278",
        "COMMAND LIST FILTERBY PATTERN XR*; *4 $6 xrange $5 xread $10 xreadgroup $9 xrevrange",
        "COMMAND LIST FILTERBY pattern config*t; *3 $10 config|get $16 config|resetstat $10 config|set",
        "COMMAND LIST FILTERBY ACLCAT TRANSACTION;"
            + " *5 $7 discard $4 exec $5 multi $7 unwatch $5 watch",
        "COMMAND LIST FILTERBY ACLCAT @transaction; *0",
        "COMMAND LIST FILTERBY MODULE json; *0",
        "COMMAND LIST FILTERBY; -ERR syntax error",
        "COMMAND LIST FILTERBY PATTERN; -ERR syntax error",
        "COMMAND LIST FILTERBY COLOUR red; -ERR syntax error",
        "COMMAND LIST FILTER ACLCAT geo; -ERR syntax error",
        "COMMAND LIST FILTERBY ACLCAT geo FILTERBY ACLCAT geo; -ERR syntax error",
        "COMMAND GETKEYS MSET a 1 b 2; *2 $1 a $1 b",
        "COMMAND GETKEYS MSET a 1 b; *2 $1 a $1 b",
        "COMMAND GETKEYS EVAL s 0; *0",
        "COMMAND GETKEYS EVAL s x a; *0",
        "COMMAND GETKEYS GEORADIUS a 1 2 3 km STORE b STOREDIST c; *3 $1 a $1 b $1 c",
        "COMMAND GETKEYS MIGRATE h 1 \"\" 0 9 KEYS a b; *2 $1 a $1 b",
        "COMMAND GETKEYS OBJECT ENCODING a; *1 $1 a",
        "COMMAND GETKEYS NOSUCH a; -ERR Invalid command specified",
        "COMMAND GETKEYS OBJECT NOSUCH a; -ERR Invalid command specified",
        "COMMAND GETKEYS CONFIG GET a; -ERR The command has no key arguments",
        "COMMAND GETKEYS SPUBLISH a b; -ERR The command has no key arguments",
        "COMMAND GETKEYS BITOP NOT; -ERR Invalid number of arguments specified for command",
        "COMMAND GETKEYS ZUNION 3 a b; -ERR Invalid arguments specified for command",
        "COMMAND GETKEYS XREAD a b c d; -ERR Invalid arguments specified for command",
      })
  void otherRepliesAreTheSameInBothProtocols(String call, String expected) {
    String wire = expected.startsWith("-") ? expected + "\r\n" : wire(expected);

    assertThat(reply(Protocol.RESP2, call)).isEqualTo(wire);
    assertThat(reply(Protocol.RESP3, call)).isEqualTo(wire);
  }

  @Test
  void commandInfoOfTooManyNamesIsRejected() {
    assertThat(reply(Protocol.RESP2, "COMMAND INFO" + " get".repeat(50_000))).startsWith("*50000");
    assertThat(reply(Protocol.RESP2, "COMMAND INFO" + " get".repeat(200_000)))
        .isEqualTo("-OVERLOADED the reply would be longer than 16 MiB\r\n");
  }

  @Test
  void commandAndInfoWithoutNamesListAllCommands() {
    String all = reply(Protocol.RESP2, "COMMAND");

    assertThat(all).startsWith("*278\r\n*10\r\n$3\r\nacl\r\n").endsWith("*0\r\n");
    assertThat(reply(Protocol.RESP2, "COMMAND INFO")).isEqualTo(all);
    assertThat(reply(Protocol.RESP2, "COMMAND LIST")).startsWith("*426\r\n$3\r\nacl\r\n");
  }
}
