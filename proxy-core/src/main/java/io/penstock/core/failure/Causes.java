package io.penstock.core.failure;

import java.util.concurrent.CompletionException;

/** Finds the exception that says why something failed. */
public final class Causes {

  private Causes() {}

  /** Returns the last cause: the failure itself if it has none. */
  public static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** Returns the failure without the {@link CompletionException} that a stage adds. */
  public static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
