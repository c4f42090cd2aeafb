package io.penstock.core.upstream;

/** What Penstock does with an error reply of a node. */
public enum ErrorAction {
  /** The command ran, or will never run: the reply is delivered to the client. */
  DELIVER,
  /** The command did not run: another node has its keys, and the reply names it. */
  REDIRECT,
  /** The command did not run: the same node may run it later. */
  RETRY,
  /** The command did not run: the node is not the master, and another node is or will be. */
  FIND_MASTER
}
