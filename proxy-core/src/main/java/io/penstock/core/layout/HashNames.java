package io.penstock.core.layout;

import io.penstock.core.hash.KeyHash;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of hash functions, as each proxy's configuration has them. */
final class HashNames {

  static final String CAMELLIA_DEFAULT = "camellia-default";

  private static final String UNSIGNED = "-unsigned";
  private static final Map<String, KeyHash> TWEMPROXY = twemproxy();
  private static final Map<String, KeyHash> OVERLORD = overlord();
  private static final Map<String, KeyHash> DYNOMITE = dynomite();
  private static final Map<String, KeyHash> CAMELLIA = camellia();
  private static final Map<String, KeyHash> PREDIXY = predixy();

  private HashNames() {}

  /** Returns the functions that a distribution can have; none if it has one of its own. */
  static Map<String, KeyHash> of(Distribution distribution) {
    return switch (distribution) {
      case KETAMA, MODULA, RANDOM -> TWEMPROXY;
      case CAMELLIA -> CAMELLIA;
      case PREDIXY -> PREDIXY;
      case OVERLORD -> OVERLORD;
      case DYNOMITE -> DYNOMITE;
      case CODIS, RMUX -> Map.of();
    };
  }

  /** Returns the name of the default function, or null if there is none. */
  static @Nullable String defaultOf(Distribution distribution) {
    return switch (distribution) {
      case KETAMA, MODULA, RANDOM, OVERLORD -> "fnv1a_64";
      case CAMELLIA -> CAMELLIA_DEFAULT;
      case DYNOMITE -> "murmur";
      case PREDIXY, CODIS, RMUX -> null;
    };
  }

  /**
   * Twemproxy's names. It hashes {@code char}s, which are signed on x86. A name that ends with
   * {@code -unsigned} is for a twemproxy that ran where they are not, such as Linux on ARM.
   */
  private static Map<String, KeyHash> twemproxy() {
    Map<String, KeyHash> names = new LinkedHashMap<>();
    names.put("one_at_a_time", KeyHash.ONE_AT_A_TIME);
    names.put("md5", KeyHash.MD5);
    names.put("crc16", KeyHash.CRC16);
    names.put("crc32", KeyHash.CRC32);
    names.put("crc32a", KeyHash.CRC32A);
    names.put("fnv1_64", KeyHash.FNV1_64);
    names.put("fnv1a_64", KeyHash.FNV1A_64);
    names.put("fnv1_32", KeyHash.FNV1_32);
    names.put("fnv1a_32", KeyHash.FNV1A_32);
    names.put("hsieh", KeyHash.HSIEH);
    names.put("murmur", KeyHash.MURMUR);
    names.put("jenkins", KeyHash.JENKINS);
    names.put("one_at_a_time" + UNSIGNED, KeyHash.ONE_AT_A_TIME_UNSIGNED);
    names.put("fnv1_64" + UNSIGNED, KeyHash.FNV1_64_UNSIGNED);
    names.put("fnv1a_64" + UNSIGNED, KeyHash.FNV1A_64_UNSIGNED);
    names.put("fnv1_32" + UNSIGNED, KeyHash.FNV1_32_UNSIGNED);
    names.put("fnv1a_32" + UNSIGNED, KeyHash.FNV1A_32_UNSIGNED);
    names.put("hsieh" + UNSIGNED, KeyHash.HSIEH_UNSIGNED);
    return names;
  }

  private static Map<String, KeyHash> overlord() {
    Map<String, KeyHash> names = new LinkedHashMap<>();
    names.put("fnv1a_64", KeyHash.FNV1A_64_UNSIGNED);
    names.put("fnv1a_32", KeyHash.FNV1A_32_UNSIGNED);
    names.put("fnv1_64", KeyHash.FNV1_64_UNSIGNED);
    names.put("fnv1_32", KeyHash.FNV1_32_UNSIGNED);
    names.put("crc16", KeyHash.CRC16);
    names.put("crc32", KeyHash.CRC32);
    names.put("crc32a", KeyHash.CRC32A);
    names.put("md5", KeyHash.MD5);
    names.put("one_on_time", KeyHash.ONE_AT_A_TIME_UNSIGNED);
    names.put("hsieh", KeyHash.HSIEH_UNSIGNED);
    names.put("murmur", KeyHash.MURMUR);
    return names;
  }

  /** Dynomite has signed bytes in {@code one_at_a_time} only. */
  private static Map<String, KeyHash> dynomite() {
    Map<String, KeyHash> names = new LinkedHashMap<>();
    names.put("one_at_a_time", KeyHash.ONE_AT_A_TIME);
    names.put("md5", KeyHash.MD5);
    names.put("crc16", KeyHash.CRC16);
    names.put("crc32", KeyHash.CRC32);
    names.put("crc32a", KeyHash.CRC32A);
    names.put("fnv1_64", KeyHash.FNV1_64_UNSIGNED);
    names.put("fnv1a_64", KeyHash.FNV1A_64_UNSIGNED);
    names.put("fnv1_32", KeyHash.FNV1_32_UNSIGNED);
    names.put("fnv1a_32", KeyHash.FNV1A_32_UNSIGNED);
    names.put("hsieh", KeyHash.HSIEH_UNSIGNED);
    names.put("murmur", KeyHash.MURMUR);
    names.put("jenkins", KeyHash.JENKINS);
    return names;
  }

  private static Map<String, KeyHash> camellia() {
    Map<String, KeyHash> names = new LinkedHashMap<>();
    names.put(CAMELLIA_DEFAULT, KeyHash.POLYNOMIAL_31);
    names.put("camellia-hashtag", KeyHash.POLYNOMIAL_31);
    names.put("camellia-crc16", KeyHash.CRC16_SHORT);
    return names;
  }

  private static Map<String, KeyHash> predixy() {
    Map<String, KeyHash> names = new LinkedHashMap<>();
    names.put("crc16", KeyHash.CRC16_SHORT);
    names.put("atol", KeyHash.ATOL);
    return names;
  }
}
