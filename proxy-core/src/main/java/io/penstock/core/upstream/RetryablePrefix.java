package io.penstock.core.upstream;

/**
 * Prefixes of error replies that may mean "the command did not run": it may run on another node or
 * later. {@link ErrorPolicy} gives the meaning of each.
 */
public enum RetryablePrefix {
  MOVED,
  ASK,
  TRYAGAIN,
  CLUSTERDOWN,
  LOADING,
  READONLY,
  MASTERDOWN,
  NOSCRIPT
}
