package io.penstock.core.upstream;

/**
 * The first words of error replies by which servers say that a command did not run, and may run
 * elsewhere or later. {@link ErrorPolicy} says what each means.
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
