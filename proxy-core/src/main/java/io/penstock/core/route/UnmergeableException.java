package io.penstock.core.route;

/**
 * Thrown for replies that cannot be merged: a node's reply does not have the form of the command's
 * replies.
 */
final class UnmergeableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UnmergeableException() {
    super(null, null, false, false);
  }
}
