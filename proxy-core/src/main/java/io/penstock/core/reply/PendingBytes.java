package io.penstock.core.reply;

/**
 * Counts the bytes of requests that have no reply yet. Told once for each request that was counted.
 */
public interface PendingBytes {

  /**
   * A request has its reply, or will have none.
   *
   * @param bytes of the request
   */
  void end(long bytes);
}
