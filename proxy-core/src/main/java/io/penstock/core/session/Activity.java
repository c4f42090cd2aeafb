package io.penstock.core.session;

import io.penstock.core.command.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * When a client came, what it asked last and when. Times are {@link System#nanoTime()}. Confined to
 * its loop.
 */
final class Activity {

  private final long connectedAt;
  private long lastBytesAt;
  private long requests;
  private @Nullable CommandSpec lastCommand;

  Activity(long now) {
    connectedAt = now;
    lastBytesAt = now;
  }

  void bytes(long now) {
    lastBytesAt = now;
  }

  void request(@Nullable CommandSpec command) {
    requests++;
    lastCommand = command;
  }

  long connectedAt() {
    return connectedAt;
  }

  long lastBytesAt() {
    return lastBytesAt;
  }

  /** Requests so far: the newest one's place among them. */
  long requests() {
    return requests;
  }

  @Nullable CommandSpec lastCommand() {
    return lastCommand;
  }
}
