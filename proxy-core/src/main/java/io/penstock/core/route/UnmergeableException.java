package io.penstock.core.route;

/** Replies that do not go together: a node answered otherwise than the command's replies are. */
final class UnmergeableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UnmergeableException() {
    super(null, null, false, false);
  }
}
