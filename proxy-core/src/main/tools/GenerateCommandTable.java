import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Generates {@code commands.table} from what servers report about their commands. Needs only a JDK,
 * version 22 or newer:
 *
 * <pre>
 * java proxy-core/src/main/tools/GenerateCommandTable.java SOURCE... &gt; \
 *     proxy-core/src/main/resources/io/penstock/core/command/commands.table
 * </pre>
 *
 * <p>A source is a facts file or {@code host:port} of a running server (Redis 7 or newer, Valkey),
 * which is sent {@code COMMAND}. A facts file is a JSON array with one object per command: {@code
 * name}, {@code arity}, {@code flags}, {@code keys} (first, last, step), {@code acl}, {@code tips},
 * {@code keySpecs} and {@code sub} (subcommands, same form).
 *
 * <p>The table has the commands of all sources. Where sources differ about a command, the last one
 * applies, so list the newest server last; only its arity is the one that accepts the most. The checked-in table is generated from the facts files
 * {@code redis-7.0.15.json valkey-8.1.8.json valkey-9.1.2.json redis-8.0.6.json redis-8.2.3.json
 * redis-8.6.3.json} in the folder {@code facts}, in this order. The same sources give the same
 * bytes.
 */
final class GenerateCommandTable {

  private static final String HEADER =
      """
      # What servers report about their commands. Generated, do not edit; see GenerateCommandTable.java.
      # All commands of these sources: %s
      # Where sources differ about a command, the last one applies, with the arity that accepts the most arguments:
      # nodes that accept fewer tell so. No difference decides where a command is sent.
      #
      # name arity in= flags= acl= tips= range=first,last,step key=FLAGS@BEGIN/FIND ...
      #   in     the sources that have it, if not all do
      #   BEGIN  index:I | keyword:WORD:STARTFROM | unknown
      #   FIND   range:LASTKEY:KEYSTEP:LIMIT | keynum:KEYNUMIDX:FIRSTKEY:KEYSTEP | unknown
      """;

  private GenerateCommandTable() {}

  public static void main(String[] sources) throws IOException {
    if (sources.length == 0) {
      System.err.println("usage: java GenerateCommandTable.java SOURCE... > commands.table");
      System.err.println("a SOURCE is a facts file or host:port of a server, the newest last");
      System.exit(2);
    }
    Map<String, Map<?, ?>> commands = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, List<String>> sourcesOf = new HashMap<>();
    List<String> names = new ArrayList<>();
    for (String source : sources) {
      String name = source.substring(source.lastIndexOf('/') + 1).replace(".json", "");
      names.add(name);
      addAll(read(source), name, commands, sourcesOf);
    }
    StringBuilder table = new StringBuilder(HEADER.formatted(String.join(", ", names)));
    commands.forEach(
        (name, command) -> {
          List<String> having = sourcesOf.getOrDefault(name, List.of());
          String in = having.equals(names) ? "" : String.join(",", having);
          table.append(line(command, in)).append('\n');
        });
    System.out.write(table.toString().getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  private static List<?> read(String source) throws IOException {
    Path file = Path.of(source);
    if (Files.exists(file)) {
      return (List<?>) JsonReader.read(Files.readString(file));
    }
    int colon = source.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("neither a file nor host:port: " + source);
    }
    return LiveServer.commands(
        source.substring(0, colon), Integer.parseInt(source.substring(colon + 1)));
  }

  private static void addAll(
      List<?> reply,
      String source,
      Map<String, Map<?, ?>> commands,
      Map<String, List<String>> sourcesOf) {
    for (Object entry : reply) {
      Map<?, ?> command = (Map<?, ?>) entry;
      String name = text(command, "name");
      commands.merge(name, command, GenerateCommandTable::withMostAcceptingArity);
      sourcesOf.computeIfAbsent(name, _ -> new ArrayList<>()).add(source);
      addAll(list(command, "sub"), source, commands, sourcesOf);
    }
  }

  /** Returns the later one, which accepts all numbers of arguments that the earlier one accepts. */
  private static Map<?, ?> withMostAcceptingArity(Map<?, ?> earlier, Map<?, ?> later) {
    int before = Integer.parseInt(text(earlier, "arity"));
    int now = Integer.parseInt(text(later, "arity"));
    if (before >= 0 || -before > Math.abs(now) || before == now) {
      return later;
    }
    Map<Object, Object> merged = new HashMap<>(later);
    merged.put("arity", earlier.get("arity"));
    return merged;
  }

  private static String line(Map<?, ?> command, String in) {
    StringBuilder line = new StringBuilder();
    line.append(text(command, "name")).append(' ').append(text(command, "arity"));
    field(line, "in", in);
    field(line, "flags", join(list(command, "flags"), ""));
    field(line, "acl", join(list(command, "acl"), "@"));
    field(line, "tips", join(list(command, "tips"), ""));
    String range = join(list(command, "keys"), "");
    field(line, "range", range.equals("0,0,0") ? "" : range);
    for (Object spec : list(command, "keySpecs")) {
      field(line, "key", keySpec((Map<?, ?>) spec));
    }
    return line.toString();
  }

  private static void field(StringBuilder line, String name, String value) {
    if (value.indexOf(' ') >= 0) {
      throw new IllegalArgumentException("a space in " + name + ": " + value);
    }
    if (!value.isEmpty()) {
      line.append(' ').append(name).append('=').append(value);
    }
  }

  private static String keySpec(Map<?, ?> spec) {
    Map<?, ?> begin = (Map<?, ?>) spec.get("begin");
    Map<?, ?> find = (Map<?, ?>) spec.get("find");
    return join(list(spec, "flags"), "") + '@' + begin(begin) + '/' + find(find);
  }

  private static String begin(Map<?, ?> begin) {
    return switch (text(begin, "type")) {
      case "index" -> numbers(begin, "index", "index");
      case "keyword" -> numbers(begin, "keyword", "keyword", "startfrom");
      default -> "unknown";
    };
  }

  private static String find(Map<?, ?> find) {
    return switch (text(find, "type")) {
      case "range" -> numbers(find, "range", "lastkey", "keystep", "limit");
      case "keynum" -> numbers(find, "keynum", "keynumidx", "firstkey", "keystep");
      default -> "unknown";
    };
  }

  private static String numbers(Map<?, ?> half, String type, String... names) {
    StringBuilder text = new StringBuilder(type);
    for (String name : names) {
      text.append(':').append(text(half, name));
    }
    return text.toString();
  }

  private static String join(List<?> values, String prefix) {
    List<String> words = new ArrayList<>();
    for (Object value : values) {
      String word = value.toString();
      words.add(word.startsWith(prefix) ? word.substring(prefix.length()) : word);
    }
    return String.join(",", words);
  }

  private static String text(Map<?, ?> map, String name) {
    return String.valueOf(map.get(name));
  }

  private static List<?> list(Map<?, ?> map, String name) {
    return map.get(name) instanceof List<?> list ? list : List.of();
  }
}
