package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Compares replies byte by byte with a real server's, for the commands whose facts are the same on
 * the server and in the table.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandRepliesIT {

  private static final int CALLS_PER_COMMAND = 300;
  private static final Pattern NOTES =
      Pattern.compile("([*%])\\d\r\n\\$5\r\nnotes\r\n\\$\\d+\r\n[^\r]*\r\n");

  private final CommandTable table = CommandTable.load();
  private final CommandReplies replies = new CommandReplies(table);
  private final List<CommandSpec> agreed = new ArrayList<>();
  private RealServer server;

  @BeforeAll
  void start() {
    server = RealServer.start();
    Map<String, CommandFacts> facts = new HashMap<>();
    String live = TableTool.run(List.of("127.0.0.1:" + server.port()));
    for (String line : TableTool.commandLines(live)) {
      CommandFacts command = CommandFacts.parse(line);
      facts.put(command.name(), command);
    }
    List<String> different = new ArrayList<>();
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      CommandFacts theirs = facts.get(spec.name());
      if (spec.facts().equals(theirs)) {
        agreed.add(spec);
      } else if (theirs != null) {
        different.add(spec.name());
      }
    }
    System.out.println("Not compared, the server's facts being others: " + different);
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void theTableAgreesWithTheServerOnNearlyAllCommands() {
    assertThat(agreed).hasSizeGreaterThan(320);
  }

  @Test
  void commandInfoIsByteForByteTheServers() {
    try {
      for (Protocol protocol : Protocol.values()) {
        server.call("HELLO", protocol == Protocol.RESP2 ? "2" : "3");
        for (CommandSpec spec : agreed) {
          if (!spec.isContainer()) { // the order of subcommands is undefined
            assertSameReply(protocol, List.of("COMMAND", "INFO", spec.name()));
          }
        }
        assertSameReply(protocol, List.of("COMMAND", "INFO", "nosuch", "config|nosuch", "|"));
      }
    } finally {
      server.call("HELLO", "2");
    }
  }

  @Test
  void commandListHasTheSameNamesAsTheServer() {
    Random random = new Random(11);
    for (int i = 0; i < 500; i++) {
      String pattern = randomPattern(random);
      List<String> request = List.of("COMMAND", "LIST", "FILTERBY", "PATTERN", pattern);
      assertThat(agreedNames(ours(Protocol.RESP2, request)))
          .as(pattern)
          .isEqualTo(agreedNames(server.call(request.toArray(String[]::new))));
    }
    for (AclCategory category : AclCategory.values()) {
      List<String> request = List.of("COMMAND", "LIST", "FILTERBY", "ACLCAT", category.wireName());
      assertThat(agreedNames(ours(Protocol.RESP2, request)))
          .isNotEmpty()
          .isEqualTo(agreedNames(server.call(request.toArray(String[]::new))));
    }
  }

  private static String randomPattern(Random random) {
    List<String> parts =
        List.of("*", "*", "?", "g", "E", "t", "s", "x", "[a-m]", "[^s]", "[", "\\", "]", "-", "|");
    StringBuilder pattern = new StringBuilder();
    for (int i = random.nextInt(7); i >= 0; i--) {
      pattern.append(parts.get(random.nextInt(parts.size())));
    }
    return pattern.toString();
  }

  private Set<String> agreedNames(String reply) {
    Set<String> names = new HashSet<>(Arrays.asList(reply.split("\r\n", -1)));
    Set<String> known = new HashSet<>();
    agreed.forEach(spec -> known.add(spec.name()));
    names.retainAll(known);
    return names;
  }

  @Test
  void theKeysOfRandomCallsEqualTheServers() {
    Random random = new Random(5);
    for (CommandSpec spec : agreed) {
      List<List<String>> requests = new ArrayList<>();
      for (int i = 0; i < CALLS_PER_COMMAND; i++) {
        requests.add(randomCall(spec, random));
      }
      List<String> theirs = server.call(requests);
      for (int i = 0; i < requests.size(); i++) {
        if (!mayHaveMoreKeys(spec, theirs.get(i))) {
          assertThat(ours(Protocol.RESP2, requests.get(i)))
              .as("%s", requests.get(i))
              .isEqualTo(theirs.get(i));
        }
      }
    }
  }

  /** Before STREAMS, Penstock skips unknown words, because a newer server may know them. */
  private static boolean mayHaveMoreKeys(CommandSpec spec, String theirs) {
    return spec.name().startsWith("xread")
        && theirs.equals("-ERR Invalid arguments specified for command\r\n");
  }

  private static List<String> randomCall(CommandSpec spec, Random random) {
    List<String> call = new ArrayList<>(List.of("COMMAND", "GETKEYS"));
    // At least one argument: without it, COMMAND GETKEYS itself has too few, where newer servers
    // differ.
    int arguments = Math.max(1, Math.abs(spec.arity()) - 2 + random.nextInt(8));
    call.addAll(
        RandomCalls.of(
            spec, random, spec.name().split("\\|", -1).length + arguments, RandomCalls.WORDS));
    return call;
  }

  @Test
  void errorsAboutCommandsEqualTheServers() {
    List<List<String>> requests =
        List.of(
            List.of("nosuch"),
            List.of("no\r\nsuch", "a\r\nb"),
            List.of("x".repeat(200), "y".repeat(50), "z".repeat(70), "w".repeat(90), "v"),
            List.of("x", "y".repeat(127), "z"),
            List.of("x", "y".repeat(125), "z"),
            List.of("x", "y".repeat(124), "zz"),
            List.of("a\0b", "c\0d", "e"),
            List.of("", "a"),
            List.of("nosuch", "", ""),
            List.of("CONFIG|GET", "a"),
            List.of("CoNfig", "x\0y"),
            List.of("config", "x".repeat(200)),
            List.of("CONFIG"),
            List.of("config", "get"),
            List.of("GET"),
            List.of("object", "ENCODING"));
    for (List<String> request : requests) {
      RequestFrame frame = Requests.frame(request.toArray(String[]::new));
      Command command = new Command(table, frame);
      CommandSpec spec = command.resolve();
      String error =
          spec == null
              ? CommandErrors.unknownCommand(frame)
              : command.isUnknownSubcommand()
                  ? CommandErrors.unknownSubcommand(frame, spec)
                  : CommandErrors.wrongArity(spec);
      assertThat("-" + error + "\r\n").isEqualTo(server.call(request.toArray(String[]::new)));
    }
  }

  private void assertSameReply(Protocol protocol, List<String> request) {
    assertThat(ours(protocol, request))
        .as("%s %s", protocol, request)
        .isEqualTo(withoutNotes(server.call(request.toArray(String[]::new))));
  }

  /** Removes the notes of key specs, sentences for people that the facts files lack. */
  private static String withoutNotes(String reply) {
    return NOTES
        .matcher(reply)
        .replaceAll(notes -> notes.group(1).equals("%") ? "%3\r\n" : "*6\r\n");
  }

  private String ours(Protocol protocol, List<String> request) {
    RequestFrame frame = Requests.frame(request.toArray(String[]::new));
    ByteBuf out = Unpooled.buffer();
    switch (request.get(1)) {
      case "INFO" -> replies.info(frame, protocol, out);
      case "LIST" -> replies.list(frame, protocol, out);
      default -> replies.getKeys(frame, protocol, out);
    }
    return out.toString(StandardCharsets.ISO_8859_1);
  }
}
