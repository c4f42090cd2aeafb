package io.penstock.core.control;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Stages of asynchronous queries. */
public final class Stages {

  private Stages() {}

  /**
   * Starts a query. If it throws, an {@link Error} included, returns a failed stage: the caller
   * starts no other query before this one has ended.
   */
  public static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> query) {
    try {
      return query.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
