package io.penstock.core.observe;

import java.util.Arrays;

/** What commands over several slots cost on one event loop. Written and read on that loop only. */
public final class CrossSlotCounts {

  private long[] commands = {}; // by command id
  private long[] rejected = {};
  private long bytes;
  private long retries;

  /** Counts a command that is carried out in steps. */
  public void countCommand(int command) {
    commands = grown(commands, command);
    commands[command]++;
  }

  /** Counts a command that is rejected, and could be carried out in steps. */
  public void countRejected(int command) {
    rejected = grown(rejected, command);
    rejected[command]++;
  }

  /** Adds bytes that are written to another node to copy or move a value. */
  public void countBytes(long moved) {
    bytes += moved;
  }

  /** Counts an attempt that begins again: another client changed a key meanwhile. */
  public void countRetry() {
    retries++;
  }

  private static long[] grown(long[] counts, int command) {
    return command < counts.length ? counts : Arrays.copyOf(counts, command + 32);
  }

  /** Returns how often a command was carried out in steps. */
  public long commands(int command) {
    return command < commands.length ? commands[command] : 0;
  }

  /** Returns how often a command was rejected that could be carried out in steps. */
  public long rejected(int command) {
    return command < rejected.length ? rejected[command] : 0;
  }

  public long bytes() {
    return bytes;
  }

  public long retries() {
    return retries;
  }
}
