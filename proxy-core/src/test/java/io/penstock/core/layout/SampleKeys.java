package io.penstock.core.layout;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Keys for comparisons of placements, the same in each run. */
final class SampleKeys {

  private static final int COUNT = 10_000;
  private static final int SEED = 29;
  private static final String ALPHABET = "ab0:{}$";

  private SampleKeys() {}

  /**
   * Returns 10,000 keys: the empty one, each single byte, then in turn two keys of random bytes,
   * one of few characters that has tags of all kinds, and one as applications have it. Some are
   * long.
   */
  static List<byte[]> all() {
    Random random = new Random(SEED);
    List<byte[]> keys = new ArrayList<>();
    keys.add(new byte[0]);
    for (int value = 0; value < 256; value++) {
      keys.add(new byte[] {(byte) value});
    }
    while (keys.size() < COUNT) {
      keys.add(
          switch (keys.size() % 4) {
            case 2 -> text(random, 1 + random.nextInt(16));
            case 3 -> application(random);
            default -> bytes(random, keys.size() % 500 == 0 ? 5000 : 60);
          });
    }
    return keys;
  }

  private static byte[] bytes(Random random, int longest) {
    byte[] key = new byte[1 + random.nextInt(longest)];
    random.nextBytes(key);
    return key;
  }

  private static byte[] text(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString().getBytes(US_ASCII);
  }

  private static byte[] application(Random random) {
    return ("user:{" + random.nextInt(1_000_000) + "}:orders:" + random.nextInt(100))
        .getBytes(US_ASCII);
  }
}
