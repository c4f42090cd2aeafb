package io.penstock.core.resp;

/**
 * What a client may send, checked before anything is allocated for it.
 *
 * @param maxBulkLength longest argument in bytes, Redis's {@code proto-max-bulk-len}
 * @param maxArguments most arguments of one request
 * @param maxInlineLength longest inline request or header line in bytes, Redis's 64 KiB
 * @param maxRequestLength longest request in bytes, below Redis's {@code client-query-buffer-limit}
 *     of 1 GiB: a server closes the connection on a longer one, and others share that connection
 */
public record RespLimits(
    int maxBulkLength, int maxArguments, int maxInlineLength, int maxRequestLength) {

  private static final int MAX_REQUEST = 1_000_000_000;

  /** Most arguments of one request, as Redis had it before 7.0: 1024 × 1024. */
  public static final int MAX_ARGUMENTS = 1_048_576;

  /** Redis's {@code PROTO_INLINE_MAX_SIZE}. */
  public static final int MAX_INLINE = 65_536;

  /** Redis's own limits with the given {@code proto-max-bulk-len}. */
  public static RespLimits ofMaxBulkLength(int maxBulkLength) {
    return new RespLimits(maxBulkLength, MAX_ARGUMENTS, MAX_INLINE, MAX_REQUEST);
  }
}
