package io.penstock.core.upstream;

/** What an error reply of a server means for the command that it answers. */
public enum ErrorAction {
  /** The command ran, or is refused for good: the client gets the reply. */
  DELIVER,
  /** The command did not run: another server has its keys, and the reply says which. */
  REDIRECT,
  /** The command did not run: the same server may run it later. */
  RETRY,
  /** The command did not run: the server is not the master, and another is or will be. */
  FIND_MASTER
}
