package io.penstock.core.layout;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What a real nutcracker chose for {@link SampleKeys}, as digests: for each pool, distribution and
 * hash the first half of the SHA-256 of the numbers of the chosen servers, one byte each.
 */
final class RecordedPlacements {

  private static final String RESOURCE = "nutcracker.placements";
  private static final Path FILE =
      Path.of("src/test/resources/io/penstock/core/layout").resolve(RESOURCE);
  private static final int DIGEST_BYTES = 16;

  private RecordedPlacements() {}

  static String key(TwemproxyPool pool, Distribution distribution, String hash) {
    return pool + " " + distribution.text() + " " + hash;
  }

  static String digest(byte[] servers) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(servers);
      return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the digests by {@link #key}. */
  static Map<String, String> read() throws IOException {
    Map<String, String> digests = new TreeMap<>();
    try (InputStream in =
        Objects.requireNonNull(RecordedPlacements.class.getResourceAsStream(RESOURCE))) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n")) {
        if (!line.startsWith("#")) {
          int end = line.lastIndexOf(' ');
          digests.put(line.substring(0, end), line.substring(end + 1));
        }
      }
    }
    return digests;
  }

  /** Writes the digests, in the module's folder. */
  static void write(String version, Map<String, String> digests) throws IOException {
    StringBuilder text =
        new StringBuilder("# " + version + ", written by NutcrackerIT -Drewrite\n");
    digests.forEach((key, digest) -> text.append(key + " " + digest + "\n"));
    Files.createDirectories(FILE.getParent());
    Files.write(FILE, List.of(text.toString().stripTrailing()));
  }
}
