package io.penstock.core.reply;

import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * When a client connected, and its last request. Times are {@link System#nanoTime()}. Confined to
 * the client's loop.
 */
public final class Activity {

  private final long connectedAt;
  private long lastBytesAt;
  private long bytes;
  private long requests;
  private long requestsBefore; // before the last read
  private @Nullable CommandSpec lastCommand;

  public Activity(long now) {
    connectedAt = now;
    lastBytesAt = now;
  }

  public void onBytes(Loop loop, int count) {
    long now = loop.tick();
    if (requests - requestsBefore <= 1) { // a client that pipelines fills loop turns by itself
      loop.activeClients().onRequest(lastBytesAt, now);
    }
    requestsBefore = requests;
    lastBytesAt = now;
    bytes += count;
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

  /** Returns the number of bytes that the client has sent. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of requests so far, which is the number of the latest one. */
  public long requests() {
    return requests;
  }

  public @Nullable CommandSpec lastCommand() {
    return lastCommand;
  }
}
