package io.penstock.core.observe;

/** Why Penstock closed a client, in most cases for a limit. */
public enum CloseReason {
  /** The unread output exceeds the hard limit of the client's class. */
  OUTPUT_HARD_LIMIT("its unread output exceeds the hard limit"),

  /** The unread output has exceeded the soft limit of the client's class for too long. */
  OUTPUT_SOFT_LIMIT("its unread output has exceeded the soft limit for too long"),

  /** The memory of all clients exceeds {@code maxmemory-clients}, and this client uses the most. */
  MEMORY("client memory exceeds maxmemory-clients, and it uses the most"),

  /** The client has sent no request for too long. */
  IDLE("it has sent no request for too long"),

  /** The client has not authenticated in time. */
  AUTHENTICATION("it has not authenticated in time"),

  /** The client has not sent the rest of a request in time. */
  REQUEST("it has not sent the rest of a request in time"),

  /** The client has not read its replies for too long. */
  REPLY("it has not read its replies for too long"),

  /** The client sent bytes that are not a valid request, or a request that is too large. */
  PROTOCOL("protocol error"),

  /** The connection did not begin with a PROXY protocol header, or its peer may not send one. */
  PROXY_PROTOCOL("no PROXY protocol header from a listed address"),

  /** The TLS handshake failed or took too long. */
  TLS("no TLS handshake");

  private final String description;

  CloseReason(String description) {
    this.description = description;
  }

  /** Returns the reason as log lines give it. */
  public String description() {
    return description;
  }
}
