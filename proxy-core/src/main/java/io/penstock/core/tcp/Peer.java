package io.penstock.core.tcp;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A server while the proxy runs: what is counted about it, and what the health check found. It
 * stays the same when a change of the settings keeps the address. Safe from any thread.
 */
final class Peer {

  private final Endpoint address;
  private final LongAdder opened = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private volatile @Nullable String trouble;
  private volatile @Nullable String failure;

  Peer(Endpoint address) {
    this.address = address;
  }

  Endpoint address() {
    return address;
  }

  /** Connections made. */
  LongAdder opened() {
    return opened;
  }

  /** Connects that failed. */
  LongAdder failed() {
    return failed;
  }

  /** Bytes from clients. */
  LongAdder sent() {
    return sent;
  }

  /** Bytes to clients. */
  LongAdder received() {
    return received;
  }

  /** Returns why the health check has taken it out; null if it has not. */
  @Nullable String trouble() {
    return trouble;
  }

  void trouble(@Nullable String reason) {
    trouble = reason;
  }

  /** Returns why the latest connect failed; null if it succeeded, or a check since. */
  @Nullable String failure() {
    return failure;
  }

  void failure(@Nullable String reason) {
    failure = reason;
  }
}
