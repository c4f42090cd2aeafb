package io.penstock.server.management;

/** Why the management port does not serve a connection or a request. */
enum Rejection {
  /**
   * The limit on connections is exceeded; the oldest connection of the address with the most
   * connections is ended.
   */
  CONNECTIONS(0, "too many connections"),
  /** The request did not arrive, or the reply was not read, in time. */
  TIMEOUT(0, "timeout"),
  /** The endpoint does not read a request body, or the body is too large. */
  BODY(413, "no request body of this size is accepted here"),
  /** A body without a Content-Length. */
  LENGTH(411, "a request body needs a Content-Length"),
  /** A path with {@code ..}, {@code //}, {@code ;} or anything else that changes its meaning. */
  PATH(400, "the path is not normalized"),
  /** The request would change something and does not have the token. */
  TOKEN(401, "a request that changes something needs Authorization: Bearer with the token"),
  /** The address has tried many wrong tokens; the one of this request was not looked at. */
  TOKENS(429, "too many wrong tokens from this address: try again later"),
  /** The request would change something and comes from elsewhere, or may do so. */
  NOT_LOCAL(
      403, "without penstock.management-token, only programs on this machine may change something"),
  /** The endpoint does not support the method; Spring answers. */
  METHOD(405, "method not supported"),
  /** The endpoint failed: Spring answers, RequestGuard logs the exception at DEBUG. */
  FAILED(500, "the request failed"),
  /** So many requests are being answered that no thread would be left for probes. */
  BUSY(503, "too many concurrent requests");

  private final int status;
  private final String text;

  Rejection(int status, String text) {
    this.status = status;
    this.text = text;
  }

  /** Returns the HTTP status of the reply; 0 if there is no reply. */
  int status() {
    return status;
  }

  String text() {
    return text;
  }
}
