package io.penstock.core.resync;

import io.penstock.core.upstream.Endpoint;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Copies the functions of the primary to all masters of the copy; others are deleted there.
 * Confined to the jobs' loop.
 */
final class Functions {

  private static final int MOST_BYTES = 512 * 1024 * 1024;

  /** RDB version and checksum. */
  private static final int FOOTER = 10;

  private final Questions primary;
  private final Questions copy;

  Functions(Questions primary, Questions copy) {
    this.primary = primary;
    this.copy = copy;
  }

  /**
   * Copies them. Completes with what is wrong; null if all is well, and also if neither side has
   * functions.
   */
  CompletableFuture<@Nullable String> copy() {
    List<Endpoint> masters = primary.masters();
    if (masters.isEmpty()) {
      return CompletableFuture.failedFuture(new NoAnswerException("the primary has no master"));
    }
    return dump(primary, masters.getFirst())
        .thenCompose(dump -> {
          CompletableFuture<@Nullable String> all = CompletableFuture.completedFuture(null);
          for (Endpoint node : copy.masters()) {
            all = all.thenCombine(copyTo(node, dump), (one, other) -> one == null ? other : one);
          }
          return all;
        });
  }

  /** Completes with null if the node does not know functions. */
  private static CompletableFuture<byte @Nullable []> dump(Questions side, Endpoint node) {
    return side.atNode(node, -1, Questions.request("FUNCTION", "DUMP"), new Gathered(MOST_BYTES))
        .<byte @Nullable []>thenApply(reply -> reply.value() instanceof byte[] dump ? dump : null)
        .exceptionallyCompose(failure -> ifError(failure, null));
  }

  private static <T> CompletionStage<@Nullable T> ifError(
      Throwable failure, @Nullable T otherwise) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ErrorReplyException
        ? CompletableFuture.completedFuture(otherwise)
        : CompletableFuture.failedFuture(cause);
  }

  private CompletableFuture<@Nullable String> copyTo(Endpoint node, byte @Nullable [] wanted) {
    return dump(copy, node)
        .thenCompose(own -> {
          if (wanted == null || (own != null && isSame(wanted, own))) {
            return CompletableFuture.completedFuture(null);
          }
          return copy.atNode(
                  node,
                  -1,
                  Questions.request("FUNCTION", "RESTORE", wanted, "FLUSH"),
                  new Gathered(1024))
              .<@Nullable String>thenApply(_ -> null)
              .exceptionallyCompose(Functions::describe);
        });
  }

  private static CompletionStage<@Nullable String> describe(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ErrorReplyException
        ? CompletableFuture.completedFuture(
            "the functions could not be copied: " + cause.getMessage())
        : CompletableFuture.failedFuture(cause);
  }

  private static boolean isSame(byte[] one, byte[] other) {
    return one.length == other.length
        && Arrays.equals(one, 0, one.length - FOOTER, other, 0, other.length - FOOTER);
  }
}
