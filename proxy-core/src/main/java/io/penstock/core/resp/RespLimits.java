package io.penstock.core.resp;

/**
 * Limits of requests, checked before anything is allocated for them.
 *
 * @param maxBulkLength longest argument in bytes, as {@code proto-max-bulk-len} of Redis
 * @param maxArguments most arguments of one request
 * @param maxInlineLength longest inline request or header line in bytes, 64 KiB in Redis
 * @param maxRequestLength longest request in bytes, below {@code client-query-buffer-limit} of
 *     Redis, 1 GiB: a server closes the connection on a longer one, and other clients share that
 *     connection
 */
public record RespLimits(
    int maxBulkLength, int maxArguments, int maxInlineLength, int maxRequestLength) {

  private static final int MAX_REQUEST = 1_000_000_000;

  /** Most arguments of one request, as in Redis before 7.0: 1024 × 1024. */
  public static final int MAX_ARGUMENTS = 1_048_576;

  /** {@code PROTO_INLINE_MAX_SIZE} of Redis. */
  public static final int MAX_INLINE = 65_536;

  /** The limits of Redis with the given {@code proto-max-bulk-len}. */
  public static RespLimits ofMaxBulkLength(int maxBulkLength) {
    return new RespLimits(maxBulkLength, MAX_ARGUMENTS, MAX_INLINE, MAX_REQUEST);
  }
}
