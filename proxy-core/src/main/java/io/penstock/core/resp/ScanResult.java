package io.penstock.core.resp;

/** The result of one call of {@link RequestScanner#scan}. */
public enum ScanResult {
  /** The frame contains a complete request. */
  REQUEST,
  /** Bytes without a request, which were consumed: a blank line, {@code *0} or {@code *-1}. */
  NOTHING,
  /** The request continues beyond the available bytes; call again when more have arrived. */
  INCOMPLETE,
  /**
   * The bytes are not RESP: {@link RequestScanner#error()} returns the reason, and the connection
   * must be closed.
   */
  PROTOCOL_ERROR
}
