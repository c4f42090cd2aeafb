package io.penstock.core.control;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Stages of what nodes are asked. */
public final class Stages {

  private Stages() {}

  /**
   * What the question answers. A question that throws, an Error too, has failed: nothing else is
   * asked before it has ended.
   */
  public static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> question) {
    try {
      return question.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
