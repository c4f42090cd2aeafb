package io.penstock.server.management;

/** Why the management port does not serve a connection or a request. */
enum Rejection {
  /** More connections than the port has; the oldest of the address that has most makes room. */
  CONNECTIONS(0, "too many connections"),
  /** The request did not come, or the reply was not read, in time. */
  TIMEOUT(0, "too slow"),
  /** A body where nothing reads one. */
  BODY(413, "nothing here reads a request body"),
  /** A body without a Content-Length. */
  LENGTH(411, "a request body needs a Content-Length"),
  /** {@code ..}, {@code //}, {@code ;} and what else means another path. */
  PATH(400, "not a plain path"),
  /** A method that the endpoint does not have; answered by Spring. */
  METHOD(405, "no such method here"),
  /** The endpoint failed: Spring answers, RequestGuard's debug log tells why. */
  FAILED(500, "the request failed"),
  /** So many requests are being answered that threads would be missing for probes. */
  BUSY(503, "too many requests at the same time");

  private final int status;
  private final String words;

  Rejection(int status, String words) {
    this.status = status;
    this.words = words;
  }

  /** Of the reply; 0 if there is none. */
  int status() {
    return status;
  }

  String words() {
    return words;
  }
}
