package io.penstock.core.layout;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rejects settings from which no layout can be computed, or not the one that was meant. */
final class LayoutCheck {

  private static final long HIGHEST_TOKEN = 0xFFFF_FFFFL;
  private static final int TAG_CHARACTERS = 2;

  private final Distribution distribution;
  private final LayoutSettings settings;

  private LayoutCheck(LayoutSettings settings) {
    this.distribution = settings.distribution();
    this.settings = settings;
  }

  /**
   * @throws InvalidLayoutException if the settings are invalid
   */
  static void check(LayoutSettings settings) {
    LayoutCheck check = new LayoutCheck(settings);
    check.checkHash(settings.hash());
    check.checkHashTag(settings.hashTag());
    if (settings.distribution().hasSlots()) {
      check.checkSlots();
    } else {
      check.checkServers(settings.servers());
    }
  }

  private void checkHash(@Nullable String hash) {
    Set<String> names = HashNames.of(distribution).keySet();
    if (names.isEmpty()) {
      if (hash != null) {
        reject("hash", distribution.text() + " has a hash of its own", "remove the key");
      }
      return;
    }
    String fix = "write one of " + String.join(", ", names);
    boolean several = settings.servers().size() > 1;
    if (hash == null && HashNames.defaultOf(distribution) == null && several) {
      reject("hash", distribution.text() + " has no default", fix);
    }
    if (hash != null && !names.contains(hash)) {
      reject("hash", distribution.text() + " has no hash " + hash, fix);
    }
  }

  private void checkHashTag(@Nullable String tag) {
    if (tag == null) {
      return;
    }
    switch (distribution) {
      case CODIS, CAMELLIA, RMUX ->
          reject("hash-tag", distribution.text() + " has a rule of its own", "remove the key");
      case OVERLORD -> checkAscii(tag);
      case KETAMA, MODULA, RANDOM, PREDIXY, DYNOMITE -> {
        if (!tag.isEmpty() && tag.length() != TAG_CHARACTERS) {
          reject("hash-tag", "it does not have two characters", "write two, such as \"{}\"");
        }
        checkAscii(tag);
      }
    }
  }

  private void checkAscii(String tag) {
    if (tag.chars().anyMatch(character -> character > Byte.MAX_VALUE)) {
      reject("hash-tag", "a character is not ASCII", "write two ASCII characters");
    }
  }

  private void checkServers(List<ShardServer> servers) {
    if (!settings.slots().isEmpty()) {
      reject(
          "slots",
          distribution.text() + " computes the places of keys from its servers",
          "write the servers under servers");
    }
    if (servers.isEmpty()) {
      reject("servers", "there is no server", "write at least one URL");
    }
    if (distribution == Distribution.RMUX && servers.size() > MultiplesTable.MAX_SERVERS) {
      reject(
          "servers",
          "rmux has at most " + MultiplesTable.MAX_SERVERS + " servers",
          "write fewer, or use another distribution");
    }
    Map<String, Integer> labels = new HashMap<>();
    for (int i = 0; i < servers.size(); i++) {
      ShardServer server = servers.get(i);
      Integer other = labels.putIfAbsent(server.label(), i);
      if (other != null) {
        reject(
            serverKey(i),
            "servers[" + other + "] is named " + server.label() + " too",
            "give one of them another name, with ?name=");
      }
      checkWeight(serverKey(i), server);
    }
    switch (distribution) {
      case KETAMA -> checkTexts(servers);
      case DYNOMITE -> checkTokens(servers);
      default -> {}
    }
  }

  private void checkWeight(String key, ShardServer server) {
    if (server.weight() < 1) {
      reject(key, "weight " + server.weight() + " is less than 1", "write 1 or more");
    }
    boolean weighted =
        switch (distribution) {
          case KETAMA, MODULA, OVERLORD, RANDOM -> true; // twemproxy accepts and ignores it there
          case CODIS, CAMELLIA, PREDIXY, RMUX, DYNOMITE -> false;
        };
    if (!weighted && server.weight() > 1) {
      reject(key, distribution.text() + " has no weights", "remove weight=" + server.weight());
    }
    if (distribution != Distribution.DYNOMITE && !server.tokens().isEmpty()) {
      reject(key, distribution.text() + " has no tokens", "remove token=");
    }
  }

  /** Twemproxy reads beyond its buffer if a text is longer. */
  private void checkTexts(List<ShardServer> servers) {
    int digits = Integer.toString(Ketama.mostTexts(servers.size())).length();
    int longest = Ketama.TWEMPROXY_TEXT_BYTES - 1 - digits;
    for (int i = 0; i < servers.size(); i++) {
      String text = RingServer.ofTwemproxy(servers.get(i), i).text();
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > longest) {
        reject(
            serverKey(i),
            "its name has " + bytes + " bytes, and ketama has room for " + longest,
            "give it a shorter name, with ?name=");
      }
    }
  }

  private void checkTokens(List<ShardServer> servers) {
    Set<Long> known = new HashSet<>();
    for (int i = 0; i < servers.size(); i++) {
      List<Long> tokens = servers.get(i).tokens();
      if (tokens.isEmpty()) {
        reject(serverKey(i), "it has no token", "write it, with ?token=");
      }
      for (long token : tokens) {
        if (token < 0 || token > HIGHEST_TOKEN) {
          reject(
              serverKey(i),
              "token " + token + " is not a number from 0 to " + HIGHEST_TOKEN,
              "write such a number");
        }
        if (!known.add(token)) {
          reject(
              serverKey(i),
              "another server has token " + token + " too",
              "give each server of the rack tokens of its own");
        }
      }
    }
  }

  private void checkSlots() {
    String kind = distribution == Distribution.CODIS ? "slot" : "bucket";
    if (!settings.servers().isEmpty() || settings.slots().isEmpty()) {
      reject(
          settings.slots().isEmpty() ? "slots" : "servers",
          distribution.text() + " needs to know which " + kind + "s belong to which shard",
          "write slots, with range or list, and to");
    }
    NavigableMap<Integer, Integer> shares = new TreeMap<>();
    for (int i = 0; i < settings.slots().size(); i++) {
      for (int slot : settings.slots().get(i).slots()) {
        checkSlot(kind, slot, i);
        Integer other = shares.putIfAbsent(slot, i);
        if (other != null) {
          reject(
              "slots[" + i + "]",
              kind + " " + slot + " belongs to slots[" + other + "] already",
              "write each " + kind + " once");
        }
      }
    }
    checkCovered(kind, shares);
  }

  private void checkSlot(String kind, int slot, int share) {
    int end = distribution == Distribution.CODIS ? Distribution.CODIS_SLOTS : Integer.MAX_VALUE;
    if (slot < 0 || slot >= end) {
      reject(
          "slots[" + share + "]",
          "there is no " + kind + " " + slot,
          end == Integer.MAX_VALUE ? "write 0 or more" : "write 0 to " + (end - 1));
    }
  }

  /** Finds the first gap. Camellia's buckets end with the highest one that is written. */
  private void checkCovered(String kind, NavigableMap<Integer, Integer> shares) {
    int end =
        distribution == Distribution.CODIS
            ? Distribution.CODIS_SLOTS
            : shares.isEmpty() ? 1 : shares.lastKey() + 1;
    int first =
        IntStream.range(0, end).filter(slot -> !shares.containsKey(slot)).findFirst().orElse(end);
    if (first == end) {
      return;
    }
    Integer next = shares.higherKey(first);
    int last = (next == null ? end : next) - 1;
    reject(
        "slots",
        first == last
            ? kind + " " + first + " belongs to no shard"
            : kind + "s " + first + "-" + last + " belong to no shard",
        "add what is missing to a range or list");
  }

  private static String serverKey(int index) {
    return "servers[" + index + "]";
  }

  private static void reject(String key, String reason, String fix) {
    throw new InvalidLayoutException(key, reason, fix);
  }
}
