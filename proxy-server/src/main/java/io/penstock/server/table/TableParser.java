package io.penstock.server.table;

import io.penstock.server.sources.BoundedJson;
import io.penstock.server.table.RouteTable.Operation;
import io.penstock.server.table.RouteTable.Reads;
import io.penstock.server.table.RouteTable.Share;
import io.penstock.server.table.RouteTable.Url;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Reads a resource table as camellia-redis-proxy does: types may be in any case, and a text without
 * braces is the URL of the only resource. A field that it ignores is an error here. Stateless.
 */
public final class TableParser {

  /** What may be shown of the name of a field, which could be a URL in the wrong place. */
  private static final Pattern SHOWN = Pattern.compile("[A-Za-z0-9_-]{1,40}");

  private static final Pattern BUCKETS = Pattern.compile("\\d{1,7}(-\\d{1,7})*");

  private TableParser() {}

  /**
   * Returns the table.
   *
   * @throws InvalidTableException if it is invalid; the message contains no part of a URL
   */
  public static RouteTable parse(String text) {
    String table = text.strip();
    if (table.isEmpty()) {
      throw new InvalidTableException("", "it is empty", "write a table, or one URL");
    }
    if (!table.startsWith("{")) {
      return undivided(new Operation("", new Url("", table)));
    }
    try {
      return table(BoundedJson.read(table));
    } catch (BoundedJson.InvalidJsonException e) {
      throw new InvalidTableException("", e.reason(), "write one JSON object, or one URL");
    }
  }

  private static RouteTable undivided(Operation operation) {
    return new RouteTable(0, List.of(new Share(List.of(), operation)));
  }

  private static RouteTable table(JsonNode table) {
    String type = type(table, "", "simple, sharding");
    allowOnly(table, "", "type", "operation");
    JsonNode operation = required(table, "", "operation");
    requireObject(operation, "operation");
    return switch (type) {
      case "simple" -> undivided(operation(operation, "operation"));
      case "sharding", "shading" -> sharding(operation);
      default -> throw unknownType("", "simple or sharding");
    };
  }

  private static RouteTable sharding(JsonNode operation) {
    String place = "operation";
    allowOnly(operation, place, "bucketSize", "operationMap");
    JsonNode size = required(operation, place, "bucketSize");
    if (!size.isInt() || size.intValue() < 1) {
      throw new InvalidTableException(
          place + ".bucketSize", "it is not a number from 1", "write the number of buckets");
    }
    int buckets = size.intValue();
    JsonNode map = required(operation, place, "operationMap");
    String mapPlace = place + ".operationMap";
    requireObject(map, mapPlace);
    List<Share> shares = new ArrayList<>();
    Map<Integer, String> placeOf = new HashMap<>(); // by bucket
    int number = 0;
    for (Map.Entry<String, JsonNode> entry : map.properties()) {
      number++;
      if (!BUCKETS.matcher(entry.getKey()).matches()) {
        throw new InvalidTableException(
            mapPlace, "key " + number + " is not a list of buckets", "write numbers, as in 0-2-4");
      }
      String key = entry.getKey().length() > 40 ? "key " + number : entry.getKey();
      List<Integer> own = buckets(entry.getKey(), mapPlace + "." + key, buckets, placeOf);
      shares.add(new Share(own, operationOrUrl(entry.getValue(), mapPlace + "." + key)));
    }
    requireAll(buckets, placeOf, mapPlace);
    return new RouteTable(buckets, shares);
  }

  /** Returns the buckets that {@code "0-2-4"} lists: three, not a range. */
  private static List<Integer> buckets(
      String key, String place, int end, Map<Integer, String> placeOf) {
    List<Integer> buckets = new ArrayList<>();
    for (String each : key.split("-")) {
      int bucket = Integer.parseInt(each);
      if (bucket >= end) {
        throw new InvalidTableException(
            place,
            "there is no bucket %d: bucketSize is %d".formatted(bucket, end),
            "write 0 to %d; 0-2 lists the buckets 0 and 2".formatted(end - 1));
      }
      String other = placeOf.putIfAbsent(bucket, place);
      if (other != null) {
        throw new InvalidTableException(
            place,
            "bucket " + bucket + " is there twice, first at " + other,
            "write each bucket once: camellia-redis-proxy would use one of the two");
      }
      buckets.add(bucket);
    }
    return buckets;
  }

  private static void requireAll(int buckets, Map<Integer, String> placeOf, String place) {
    for (int i = 0; i < buckets; i++) {
      if (!placeOf.containsKey(i)) {
        throw new InvalidTableException(
            place, "bucket " + i + " is missing", "write each bucket from 0 to " + (buckets - 1));
      }
    }
  }

  private static Operation operationOrUrl(JsonNode node, String place) {
    return node.isString() ? new Operation(place, url(node, place)) : operation(node, place);
  }

  private static Operation operation(JsonNode node, String place) {
    requireObject(node, place);
    return switch (type(node, place, "simple, rw_separate")) {
      case "simple" -> {
        allowOnly(node, place, "type", "resource");
        JsonNode resource = required(node, place, "resource");
        yield new Operation(place, url(resource, place + ".resource"));
      }
      case "rw_separate" -> {
        allowOnly(node, place, "type", "read", "write");
        Reads read = read(required(node, place, "read"), place + ".read");
        List<Url> writes = writes(required(node, place, "write"), place + ".write");
        yield new Operation(place, writes, read);
      }
      default -> throw unknownType(place, "simple or rw_separate");
    };
  }

  private static Reads read(JsonNode node, String place) {
    if (node.isString()) {
      return new Reads(false, List.of(url(node, place)));
    }
    String type = type(node, place, "simple, order, random");
    List<Url> resources = resources(node, place);
    switch (type) {
      case "simple" -> requireOne(resources, place, "order or random");
      case "order", "random" -> {}
      default -> throw unknownType(place, "simple, order or random");
    }
    return new Reads(type.equals("order"), resources);
  }

  private static List<Url> writes(JsonNode node, String place) {
    if (node.isString()) {
      return List.of(url(node, place));
    }
    String type = type(node, place, "simple, multi");
    List<Url> resources = resources(node, place);
    switch (type) {
      case "simple" -> requireOne(resources, place, "multi");
      case "multi" -> {}
      default -> throw unknownType(place, "simple or multi");
    }
    return resources;
  }

  private static List<Url> resources(JsonNode node, String place) {
    allowOnly(node, place, "type", "resources");
    JsonNode list = required(node, place, "resources");
    String listPlace = place + ".resources";
    if (!list.isArray() || list.isEmpty()) {
      throw new InvalidTableException(
          listPlace, "it is not a list with a URL", "write a list of URLs");
    }
    List<Url> urls = new ArrayList<>();
    Set<String> known = new HashSet<>();
    for (JsonNode each : list) {
      Url url = url(each, listPlace + "[" + urls.size() + "]");
      if (!known.add(url.text())) {
        throw new InvalidTableException(
            url.place(), "it is there twice", "write each resource once");
      }
      urls.add(url);
    }
    return urls;
  }

  private static void requireOne(List<Url> resources, String place, String other) {
    if (resources.size() > 1) {
      throw new InvalidTableException(
          place, "its type is simple, and it has several resources", "write one, or " + other);
    }
  }

  private static Url url(JsonNode node, String place) {
    if (!node.isString() || node.stringValue().isBlank()) {
      throw new InvalidTableException(
          place, "it is not a URL", "write a URL in quotes, as in \"redis://@10.0.0.1:6379\"");
    }
    return new Url(place, node.stringValue().strip());
  }

  private static String type(JsonNode node, String place, String types) {
    requireObject(node, place);
    JsonNode type = node.get("type");
    if (type == null || !type.isString()) {
      throw new InvalidTableException(place, "it has no type", "write one of " + types);
    }
    return type.stringValue().strip().toLowerCase(Locale.ROOT);
  }

  private static InvalidTableException unknownType(String place, String types) {
    return new InvalidTableException(place, "its type is unknown", "write " + types);
  }

  private static JsonNode required(JsonNode node, String place, String field) {
    JsonNode value = node.get(field);
    if (value == null || value.isNull()) {
      throw new InvalidTableException(place, field + " is missing", "add it");
    }
    return value;
  }

  private static void requireObject(JsonNode node, String place) {
    if (!node.isObject()) {
      throw new InvalidTableException(place, "it is not an object", "write { and a type");
    }
  }

  private static void allowOnly(JsonNode node, String place, String... fields) {
    for (String name : node.propertyNames()) {
      if (!List.of(fields).contains(name)) {
        throw new InvalidTableException(
            place,
            "it has an unknown field" + (SHOWN.matcher(name).matches() ? " " + name : ""),
            "remove it; there may be " + String.join(", ", fields));
      }
    }
  }
}
