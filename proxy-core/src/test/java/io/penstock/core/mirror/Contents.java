package io.penstock.core.mirror;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a server holds, as text that is equal if the data are: not how it is encoded, nor when a
 * consumer was last seen or got an entry.
 */
public final class Contents {

  private static final Set<String> OWN_OF_SERVER =
      Set.of("radix-tree-keys", "radix-tree-nodes", "seen-time", "active-time");

  private final RespClient client;
  private final boolean fieldsMayExpire;
  private final List<String> databases;

  Contents(RespClient client, boolean fieldsMayExpire) {
    this(client, fieldsMayExpire, List.of("1", "0"));
  }

  /** Of these databases. */
  public Contents(RespClient client, boolean fieldsMayExpire, List<String> databases) {
    this.client = client;
    this.fieldsMayExpire = fieldsMayExpire;
    this.databases = databases;
  }

  /** Returns a text for each key of the databases, and one for the functions. */
  public Map<String, String> read() {
    Map<String, String> contents = new TreeMap<>();
    for (String database : databases) {
      client.value("SELECT", database);
      for (Object key : list(client.value("KEYS", "*"))) {
        String name = text(key);
        contents.put(
            database + ":" + name, value(name) + " until " + client.text("PEXPIRETIME", name));
      }
    }
    contents.put("functions", text(client.value("FUNCTION", "LIST")));
    return contents;
  }

  private String value(String key) {
    String type = client.text("TYPE", key);
    return type
        + " "
        + switch (type) {
          case "string" -> text(client.value("GET", key));
          case "list" -> text(client.value("LRANGE", key, "0", "-1"));
          case "set" -> sorted(list(client.value("SMEMBERS", key)), 1);
          case "zset" -> text(client.value("ZRANGE", key, "0", "-1", "WITHSCORES"));
          case "hash" -> hash(key);
          case "stream" -> stream(list(client.value("XINFO", "STREAM", key, "FULL", "COUNT", "0")));
          case "vectorset" -> vectors(key);
          default -> "";
        };
  }

  private String hash(String key) {
    List<?> pairs = list(client.value("HGETALL", key));
    List<Object> withDeadlines = new ArrayList<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      withDeadlines.add(pairs.get(i));
      withDeadlines.add(pairs.get(i + 1));
      withDeadlines.add(fieldsMayExpire ? deadline(key, text(pairs.get(i))) : "");
    }
    return sorted(withDeadlines, 3);
  }

  private String deadline(String key, String field) {
    return text(client.value("HPEXPIRETIME", key, "FIELDS", "1", field));
  }

  private String vectors(String key) {
    List<String> members = new ArrayList<>();
    for (Object member : list(client.value("VRANDMEMBER", key, "1000"))) {
      String name = text(member);
      members.add(
          name + text(client.value("VGETATTR", key, name)) + text(client.value("VEMB", key, name)));
    }
    return new TreeSet<>(members).toString();
  }

  /** Names and values, of the stream, its groups and their consumers. */
  private static String stream(List<?> facts) {
    var text = new StringBuilder();
    for (int i = 0; i + 1 < facts.size(); i += 2) {
      String name = text(facts.get(i));
      if (!OWN_OF_SERVER.contains(name)) {
        text.append(name).append('=').append(fact(name, facts.get(i + 1))).append(' ');
      }
    }
    return text.toString();
  }

  private static String fact(String name, @Nullable Object value) {
    return switch (name) {
      case "groups", "consumers" -> {
        Set<String> all = new TreeSet<>();
        list(value).forEach(each -> all.add(stream(list(each))));
        yield all.toString();
      }
      case "pel", "pending" -> {
        Set<String> all = new TreeSet<>();
        list(value).forEach(each -> all.add(pending(list(each))));
        yield all.toString();
      }
      default -> text(value);
    };
  }

  /** An id, in a group its consumer, the time of the delivery, the number of deliveries. */
  private static String pending(List<?> entry) {
    List<Object> lasting = new ArrayList<>(entry);
    lasting.remove(entry.size() - 2);
    return text(lasting);
  }

  private static String sorted(List<?> elements, int group) {
    Set<String> all = new TreeSet<>();
    for (int i = 0; i < elements.size(); i += group) {
      all.add(text(elements.subList(i, i + group)));
    }
    return all.toString();
  }

  private static List<?> list(@Nullable Object reply) {
    return reply instanceof List<?> elements ? elements : List.of();
  }

  static String text(@Nullable Object reply) {
    if (reply instanceof byte[] bytes) {
      return Wire.text(bytes);
    }
    if (reply instanceof List<?> elements) {
      return elements.stream().map(Contents::text).toList().toString();
    }
    return String.valueOf(reply);
  }
}
