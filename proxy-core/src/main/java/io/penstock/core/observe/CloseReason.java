package io.penstock.core.observe;

/** Why Penstock closed a client: most often for a limit. */
public enum CloseReason {
  /** It left more unread than the hard limit of its class. */
  OUTPUT_HARD_LIMIT("it leaves more unread than its hard limit"),

  /** It left more unread than the soft limit of its class, for too long. */
  OUTPUT_SOFT_LIMIT("it has left more unread than its soft limit for too long"),

  /** Clients together kept too much in buffers, and it kept the most. */
  MEMORY("clients keep more in buffers than maxmemory-clients, and it keeps the most"),

  /** It asked nothing for too long. */
  IDLE("it has asked nothing for too long"),

  /** It did not authenticate in time. */
  AUTHENTICATION("it has not authenticated in time"),

  /** It did not send the rest of a request in time. */
  REQUEST("it has not sent the rest of a request in time"),

  /** It read nothing of the replies that waited for it. */
  REPLY("it has read nothing of its replies for too long"),

  /** What it sent is no request, or more than one may have. */
  PROTOCOL("what it has sent is no request");

  private final String description;

  CloseReason(String words) {
    this.description = words;
  }

  /** What a log says of a client that is closed for it. */
  public String description() {
    return description;
  }
}
