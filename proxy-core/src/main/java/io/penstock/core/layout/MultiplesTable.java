package io.penstock.core.layout;

import java.util.BitSet;

/**
 * Rmux's table: with the smallest prime p that is at least the number n of servers, row m has the
 * multiples of m modulo p, for m from 1 to p - 1. A number without a server repeats the one before
 * it. The rows are repeated up to a power of two.
 */
final class MultiplesTable implements Places {

  /** The most servers that rmux accepts. */
  static final int MAX_SERVERS = 101;

  private final byte[] table;

  private MultiplesTable(byte[] table) {
    this.table = table;
  }

  /**
   * Returns the table of {@code servers} servers. A key of a server that is out goes to the next
   * one in the table that is not.
   *
   * @param servers 1 to {@link #MAX_SERVERS}
   * @param out the servers that are out, not all
   */
  static MultiplesTable of(int servers, BitSet out) {
    int prime = primeFrom(servers);
    int rows = prime * (prime - 1);
    byte[] table = new byte[Integer.highestOneBit(2 * rows - 1)];
    byte last = 0;
    for (int i = 0; i < table.length; i++) {
      int row = i % rows / prime + 1;
      int number = row * (i % prime) % prime;
      if (i < rows) {
        last = number < servers ? (byte) number : last;
        table[i] = last;
      } else {
        table[i] = table[i - rows];
      }
    }
    return new MultiplesTable(out.isEmpty() ? table : without(out, table));
  }

  private static byte[] without(BitSet out, byte[] table) {
    byte[] changed = new byte[table.length];
    for (int i = 0; i < table.length; i++) {
      int next = i;
      while (out.get(table[next])) {
        next = next + 1 & table.length - 1;
      }
      changed[i] = table[next];
    }
    return changed;
  }

  private static int primeFrom(int number) {
    int prime = Math.max(2, number);
    while (!isPrime(prime)) {
      prime++;
    }
    return prime;
  }

  private static boolean isPrime(int number) {
    for (int divisor = 2; divisor * divisor <= number; divisor++) {
      if (number % divisor == 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int at(long hash) {
    return table[(int) hash & table.length - 1];
  }
}
