package io.penstock.core.resp;

/** What one call of {@link RequestScanner#scan} found. */
public enum ScanResult {
  /** The frame holds a whole request. */
  REQUEST,
  /** Bytes that ask for nothing: a blank line, {@code *0} or {@code *-1}. They are consumed. */
  NOTHING,
  /** The request goes on beyond the bytes there are; call again when more have come. */
  INCOMPLETE,
  /**
   * The bytes are not RESP: {@link RequestScanner#error()} says why, and the connection is to be
   * closed.
   */
  PROTOCOL_ERROR
}
