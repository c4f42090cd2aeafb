package io.penstock.server.config;

/** How commands reach the nodes. */
public enum Dispatch {
  /** On event loops, over shared connections: no thread waits for a reply. */
  ASYNC,
  /** One thread per client, which waits for each reply on its own connection. */
  SYNC
}
