package io.penstock.core.reply;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * When a client came, and what it asked last and when. Times are {@link System#nanoTime()}.
 * Confined to its loop.
 */
public final class Activity {

  private final long connectedAt;
  private long lastBytesAt;
  private long onBytes;
  private long requests;
  private long requestsBefore; // before the last bytes
  private @Nullable CommandSpec lastCommand;

  public Activity(long now) {
    connectedAt = now;
    lastBytesAt = now;
  }

  public void onBytes(Loop loop, int count) {
    long now = loop.tick();
    if (requests - requestsBefore <= 1) { // who pipelines fills turns without others
      loop.activeClients().onRequest(lastBytesAt, now);
    }
    requestsBefore = requests;
    lastBytesAt = now;
    onBytes += count;
  }

  void onRequest(@Nullable CommandSpec command) {
    requests++;
    lastCommand = command;
  }

  public long connectedAt() {
    return connectedAt;
  }

  public long lastBytesAt() {
    return lastBytesAt;
  }

  /** Bytes that it has sent so far. */
  public long onBytes() {
    return onBytes;
  }

  /** Requests so far: the newest one's place among them. */
  public long requests() {
    return requests;
  }

  public @Nullable CommandSpec lastCommand() {
    return lastCommand;
  }
}
