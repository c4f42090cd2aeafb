package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerBinary.MissingServerException;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/** A real server whose users are compared with those of Penstock. */
final class AclServer implements AutoCloseable {

  private final ServerProcess server;
  private final RespClient client;
  private final ServerFacts facts;

  private AclServer(ServerProcess server, ServerBinary binary) {
    this.server = server;
    client = server.connect();
    var commands = LearntCommands.parse((List<?>) Objects.requireNonNull(texts("COMMAND")));
    var table = CommandTable.load().withLearnt(List.of(commands), false, true);
    ServerVersion version = Objects.requireNonNull(ServerVersion.parse(binary.version()));
    facts = new ServerFacts(version, binary.valkey() ? version : null, table);
  }

  /** Starts a server, or skips the test if none runs here. */
  static AclServer start(ServerProcess.Builder options) {
    try {
      ServerBinary binary = ServerBinary.find();
      Assumptions.assumeTrue(binary.atLeast(7, 0), binary + " is older than 7");
      return new AclServer(options.binary(binary).start(), binary);
    } catch (MissingServerException e) {
      System.out.println("Skipped: " + e.getMessage());
      return Assumptions.abort(e.toString());
    }
  }

  CommandTable table() {
    return facts.commands();
  }

  ServerFacts facts() {
    return facts;
  }

  /** Returns whether the server keeps rules about commands; otherwise it shows others. */
  boolean keepsRules() {
    return facts.valkey() != null || facts.isRedis(7, 2);
  }

  ServerProcess process() {
    return server;
  }

  /** Returns the bytes of a reply. */
  String call(String... arguments) {
    return client.call(arguments);
  }

  /** Sends pipelined requests. */
  List<String> calls(List<List<String>> requests) {
    requests.forEach(request -> client.write(Wire.request(request.toArray(String[]::new))));
    client.flush();
    List<String> replies = new ArrayList<>();
    requests.forEach(_ -> replies.add(client.read()));
    return replies;
  }

  /** Returns a reply with bulk strings as text. */
  Object texts(String... arguments) {
    return text(Objects.requireNonNull(client.value(arguments)));
  }

  private static Object text(Object value) {
    return switch (value) {
      case byte[] bytes -> new String(bytes, StandardCharsets.ISO_8859_1);
      case List<?> list -> list.stream().map(AclServer::text).toList();
      default -> value;
    };
  }

  /** Sets a user's rules and returns the error, or an empty text. */
  String setUser(String name, List<String> rules) {
    List<String> call = new ArrayList<>(List.of("ACL", "SETUSER", name));
    call.addAll(rules);
    String reply = call(call.toArray(String[]::new));
    return reply.equals("+OK\r\n") ? "" : reply.substring(1, reply.length() - 2);
  }

  /** Returns the fields of {@code ACL GETUSER}, without what only some versions have. */
  Map<Object, Object> getUser(String name) {
    return fields((List<?>) texts("ACL", "GETUSER", name));
  }

  private Map<Object, Object> fields(List<?> reply) {
    Map<Object, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      Object value = reply.get(i + 1);
      switch ((String) reply.get(i)) {
        case "databases" -> assertThat(value).isEqualTo("alldbs");
        case "flags" -> fields.put("flags", comparable((List<?>) value));
        case "selectors" ->
            fields.put(
                "selectors",
                ((List<?>) value).stream().map(each -> fields((List<?>) each)).toList());
        case "commands" -> fields.put("commands", keepsRules() ? value : sorted((String) value));
        default -> fields.put(reply.get(i), value);
      }
    }
    return fields;
  }

  /**
   * Where rules are not kept, first arguments stand in the order in which they were first given.
   */
  private static String sorted(String rules) {
    return Arrays.stream(rules.split(" ", -1)).sorted().collect(Collectors.joining(" "));
  }

  /** Redis 7.0 shows this flag only after it was set, and Valkey 9.1 has neither of the two. */
  List<?> comparable(List<?> flags) {
    return flags.stream()
        .filter(flag -> !flag.equals("sanitize-payload"))
        .filter(flag -> !(isValkey9() && flag.equals("skip-sanitize-payload")))
        .toList();
  }

  private boolean isValkey9() {
    return facts.isValkey(9, 0);
  }

  /** Returns a line without the flags that {@link #comparable} leaves out. */
  String comparable(String line) {
    String shown = line.replace(" sanitize-payload", "");
    return isValkey9() ? shown.replace(" skip-sanitize-payload", "") : shown;
  }

  /** Returns a user's line of {@code ACL LIST}. */
  String line(String name) {
    for (Object line : (List<?>) texts("ACL", "LIST")) {
      if (((String) line).startsWith("user " + name + " ")) {
        return comparable(((String) line).replace(" alldbs", ""));
      }
    }
    throw new AssertionError("no user " + name);
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
