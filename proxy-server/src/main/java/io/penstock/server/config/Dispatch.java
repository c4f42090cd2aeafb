package io.penstock.server.config;

/** How commands are carried out. */
public enum Dispatch {
  /** On event loops: nothing waits for a reply. */
  ASYNC,
  /** One thread a client, which waits for each reply on a connection of its own. */
  SYNC
}
