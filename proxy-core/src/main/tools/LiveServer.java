import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a server's reply to COMMAND and converts it to the form of the facts files. */
final class LiveServer {

  private static final int TIMEOUT_MILLIS = 5_000;

  private final DataInputStream in;

  private LiveServer(DataInputStream in) {
    this.in = in;
  }

  static List<Map<String, Object>> commands(String host, int port) throws IOException {
    try (Socket socket = new Socket(host, port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write("*1\r\n$7\r\nCOMMAND\r\n".getBytes(StandardCharsets.US_ASCII));
      LiveServer server =
          new LiveServer(new DataInputStream(new BufferedInputStream(socket.getInputStream())));
      return commands((List<?>) server.reply());
    }
  }

  private static List<Map<String, Object>> commands(List<?> reply) {
    List<Map<String, Object>> commands = new ArrayList<>();
    for (Object command : reply) {
      commands.add(command((List<?>) command));
    }
    return commands;
  }

  private static Map<String, Object> command(List<?> reply) {
    if (reply.size() < 10) {
      throw new IllegalArgumentException("the server is older than Redis 7: no key specs");
    }
    Map<String, Object> command = new LinkedHashMap<>();
    command.put("name", reply.get(0));
    command.put("arity", reply.get(1));
    command.put("flags", reply.get(2));
    command.put("keys", reply.subList(3, 6));
    command.put("acl", reply.get(6));
    command.put("tips", reply.get(7));
    List<Object> keySpecs = new ArrayList<>();
    for (Object spec : (List<?>) reply.get(8)) {
      Map<String, Object> fields = map((List<?>) spec);
      keySpecs.add(
          Map.of(
              "flags", fields.get("flags"),
              "begin", half((List<?>) fields.get("begin_search")),
              "find", half((List<?>) fields.get("find_keys"))));
    }
    command.put("keySpecs", keySpecs);
    command.put("sub", commands((List<?>) reply.get(9)));
    return command;
  }

  /** Converts {@code type T spec [name value …]} to one map. */
  private static Map<String, Object> half(List<?> reply) {
    Map<String, Object> fields = map(reply);
    Map<String, Object> half = new LinkedHashMap<>();
    half.put("type", fields.get("type"));
    half.putAll(map((List<?>) fields.get("spec")));
    return half;
  }

  private static Map<String, Object> map(List<?> reply) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i + 1 < reply.size(); i += 2) {
      map.put((String) reply.get(i), reply.get(i + 1));
    }
    return map;
  }

  private Object reply() throws IOException {
    int type = in.readUnsignedByte();
    String line = line();
    return switch (type) {
      case '+' -> line;
      case ':' -> Long.valueOf(line);
      case '$' -> bulk(Integer.parseInt(line));
      case '*' -> {
        List<Object> elements = new ArrayList<>();
        for (int i = Integer.parseInt(line); i > 0; i--) {
          elements.add(reply());
        }
        yield elements;
      }
      default -> throw new IOException("unexpected reply: " + line);
    };
  }

  private String bulk(int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    line();
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\r'; c = in.readUnsignedByte()) {
      line.append((char) c);
    }
    in.readUnsignedByte();
    return line.toString();
  }
}
