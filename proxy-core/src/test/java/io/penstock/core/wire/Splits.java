package io.penstock.core.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Hands bytes to a test in every way a socket may cut them: whole, byte by byte, cut once at each
 * place, and at random places. A failure names the pieces and the seed; {@code -Dpenstock.seed}
 * repeats it.
 */
public final class Splits {

  private static final long SEED = Long.getLong("penstock.seed", System.nanoTime());
  private static final int RANDOM_ROUNDS = 20;
  private static final int MOST_SINGLE_CUTS = 150;

  static {
    System.out.println("Random splits: -Dpenstock.seed=" + SEED);
  }

  private Splits() {}

  /** A new generator; its numbers are the same in each run with the same seed. */
  public static Random random() {
    return new Random(SEED);
  }

  /** Runs {@code test} for every way of cutting. */
  public static void forEach(byte[] wire, Consumer<List<byte[]>> test) {
    run(List.of(wire), test);
    run(inPiecesOf(1, wire), test);
    for (int at = 1; at < Math.min(wire.length, MOST_SINGLE_CUTS); at++) {
      run(List.of(Arrays.copyOf(wire, at), Arrays.copyOfRange(wire, at, wire.length)), test);
    }
    Random random = random();
    for (int i = 0; i < RANDOM_ROUNDS; i++) {
      run(atRandom(random, wire), test);
    }
  }

  /** The bytes in pieces of a fixed size, the last one perhaps shorter. */
  public static List<byte[]> inPiecesOf(int size, byte[] wire) {
    List<byte[]> pieces = new ArrayList<>();
    for (int at = 0; at < wire.length; at += size) {
      pieces.add(Arrays.copyOfRange(wire, at, Math.min(wire.length, at + size)));
    }
    return pieces;
  }

  /** The bytes in pieces of random sizes. */
  public static List<byte[]> atRandom(Random random, byte[] wire) {
    List<byte[]> pieces = new ArrayList<>();
    int longest = 1 + random.nextInt(Math.max(1, wire.length));
    for (int at = 0; at < wire.length; ) {
      int end = Math.min(wire.length, at + 1 + random.nextInt(longest));
      pieces.add(Arrays.copyOfRange(wire, at, end));
      at = end;
    }
    return pieces;
  }

  private static void run(List<byte[]> pieces, Consumer<List<byte[]>> test) {
    try {
      test.accept(pieces);
    } catch (AssertionError | RuntimeException e) {
      List<Integer> sizes = pieces.stream().map(piece -> piece.length).toList();
      throw new AssertionError("with pieces of " + sizes + " bytes, seed " + SEED + ": " + e, e);
    }
  }
}
