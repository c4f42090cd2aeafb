package io.penstock.core.info;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The sum of several masters' {@code INFO}: plain counters and the keys of each database.
 *
 * @param queried how many masters were queried
 * @param answered how many of them answered
 * @param counters the sum of each field with a single number
 * @param databases the fields of each database, by its number, in a server's order
 */
public record NodeInfo(
    int queried,
    int answered,
    Map<String, Long> counters,
    Map<Integer, Map<String, Long>> databases) {

  /** No master was queried. */
  public static final NodeInfo NONE = new NodeInfo(0, 0, Map.of(), Map.of());

  private static final String DATABASE = "db";
  private static final String EXPIRES = "expires";
  private static final String TIME_TO_LIVE = "avg_ttl";

  /**
   * Sums the masters' texts.
   *
   * @param texts one for each master; null if it did not answer, an error line if it returned one
   */
  public static NodeInfo sum(List<@Nullable String> texts) {
    int answered = 0;
    Map<String, Long> counters = new LinkedHashMap<>();
    Map<Integer, Map<String, Long>> databases = new TreeMap<>();
    for (String text : texts) {
      if (text != null && !text.startsWith("-")) {
        answered++;
        text.lines().forEach(line -> add(line, counters, databases));
      }
    }
    databases.values().forEach(NodeInfo::meanTimeToLive);
    return new NodeInfo(texts.size(), answered, counters, databases);
  }

  private static void add(
      String line, Map<String, Long> counters, Map<Integer, Map<String, Long>> databases) {
    int colon = line.indexOf(':');
    if (colon < 0) {
      return;
    }
    String name = line.substring(0, colon);
    String value = line.substring(colon + 1);
    if (name.startsWith(DATABASE) && isNumber(name.substring(DATABASE.length()))) {
      int database = Integer.parseInt(name.substring(DATABASE.length()));
      addDatabase(value, databases.computeIfAbsent(database, _ -> new LinkedHashMap<>()));
    } else if (isNumber(value)) {
      counters.merge(name, Long.parseLong(value), Long::sum);
    }
  }

  /**
   * Adds {@code keys=1,expires=0,avg_ttl=0}; the mean is kept as a sum until all texts were added.
   */
  private static void addDatabase(String text, Map<String, Long> sums) {
    Map<String, Long> fields = new LinkedHashMap<>();
    for (String field : new ArrayList<>(List.of(text.split(",", -1)))) {
      int equals = field.indexOf('=');
      if (equals > 0 && isNumber(field.substring(equals + 1))) {
        fields.put(field.substring(0, equals), Long.parseLong(field.substring(equals + 1)));
      }
    }
    fields.computeIfPresent(TIME_TO_LIVE, (_, mean) -> mean * fields.getOrDefault(EXPIRES, 0L));
    fields.forEach((name, value) -> sums.merge(name, value, Long::sum));
  }

  private static void meanTimeToLive(Map<String, Long> sums) {
    long expires = sums.getOrDefault(EXPIRES, 0L);
    sums.computeIfPresent(TIME_TO_LIVE, (_, sum) -> expires == 0 ? 0 : sum / expires);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty()
        && text.length() <= 18 // fits into a long
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Returns a summed counter; 0 if no master has it. */
  long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }

  /** Returns a copy with one database only. */
  public NodeInfo onlyDatabase(int number) {
    Map<String, Long> one = databases.get(number);
    return new NodeInfo(queried, answered, counters, one == null ? Map.of() : Map.of(number, one));
  }
}
