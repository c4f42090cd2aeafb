package io.penstock.core.resync;

import io.netty.buffer.Unpooled;
import io.penstock.core.resync.Questions.ReplySink;
import io.penstock.core.shadow.ByteHash;
import io.penstock.core.spec.ReplyComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Reads the content of one key at one side. Confined to the jobs' loop. */
final class ContentReader {

  private static final int MOST_BYTES = 64 * 1024 * 1024;
  private static final int FIELDS_AT_ONCE = 500;

  private final Questions side;
  private final Entry entry;

  ContentReader(Questions side, Entry entry) {
    this.side = side;
    this.entry = entry;
  }

  /** Reads it. The type of a key that does not exist is {@code none}. */
  CompletableFuture<Content> read() {
    return ask(new Gathered(1024), "TYPE", entry.key())
        .thenCompose(reply -> read(Gathered.text(reply.value())));
  }

  private CompletableFuture<Content> read(String type) {
    byte[] key = entry.key();
    return switch (type) {
      case "string" -> digest(type, ReplyComparison.EXACT, "GET", key);
      case "list" -> digest(type, ReplyComparison.EXACT, "LRANGE", key, 0, -1);
      case "set" -> digest(type, ReplyComparison.ANY_ORDER, "SMEMBERS", key);
      case "zset" ->
          ask(new ScoreDigest(), "ZRANGE", key, 0, -1, "WITHSCORES")
              .thenApply(scores -> Content.of(type, scores.value()));
      case "hash" ->
          digest(type, ReplyComparison.PAIRS_IN_ANY_ORDER, "HGETALL", key)
              .thenCompose(this::withDeadlines);
      case "stream" -> stream(type);
      default -> CompletableFuture.completedFuture(Content.unknown(type));
    };
  }

  private <S extends ReplySink> CompletableFuture<S> ask(S sink, Object... arguments) {
    return side.atKey(
        entry.database(), entry.key(), Questions.request(arguments), sink, entry.isLarge());
  }

  private CompletableFuture<Content> digest(
      String type, ReplyComparison comparison, Object... arguments) {
    return ask(new ContentDigest(comparison), arguments)
        .thenApply(reply -> Content.of(type, reply.value()));
  }

  private CompletableFuture<Content> stream(String type) {
    return ask(new Gathered(MOST_BYTES), "XINFO", "STREAM", entry.key(), "FULL", "COUNT", 0)
        .thenApply(facts ->
            facts.isTooLarge()
                ? Content.unknown(type)
                : Content.of(type, hash(StreamFacts.text(facts.list()))));
  }

  private static long hash(String text) {
    var hash = new ByteHash();
    byte[] bytes = Questions.bytes(text);
    hash.add(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    return hash.end();
  }

  private CompletableFuture<Content> withDeadlines(Content hash) {
    return ask(new Gathered(MOST_BYTES), "HKEYS", entry.key())
        .thenCompose(reply -> {
          if (reply.isTooLarge()) {
            return CompletableFuture.completedFuture(Content.unknown(hash.type()));
          }
          return deadlines(reply.list())
              .thenApply(sum -> new Content(hash.type(), true, hash.digest(), sum));
        });
  }

  /** Completes with a hash of the fields that have a deadline, whatever their order. */
  private CompletableFuture<Long> deadlines(List<?> fields) {
    CompletableFuture<Long> sum = CompletableFuture.completedFuture(0L);
    for (int from = 0; from < fields.size(); from += FIELDS_AT_ONCE) {
      List<?> some = fields.subList(from, Math.min(fields.size(), from + FIELDS_AT_ONCE));
      sum = sum.thenCombine(deadlinesOf(some), Long::sum);
    }
    return sum;
  }

  private CompletableFuture<Long> deadlinesOf(List<?> fields) {
    List<Object> arguments =
        new ArrayList<>(List.of("HPEXPIRETIME", entry.key(), "FIELDS", fields.size()));
    arguments.addAll(fields);
    return ask(new Gathered(MOST_BYTES), arguments.toArray())
        .thenApply(reply -> sum(fields, reply.list()))
        .exceptionallyCompose(ContentReader::noneIfUnknown);
  }

  /** A server that does not know deadlines of fields has none. */
  private static CompletionStage<Long> noneIfUnknown(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ErrorReplyException
        ? CompletableFuture.completedFuture(0L)
        : CompletableFuture.failedFuture(cause);
  }

  private static long sum(List<?> fields, List<?> deadlines) {
    long sum = 0;
    for (int i = 0; i < Math.min(fields.size(), deadlines.size()); i++) {
      if (deadlines.get(i) instanceof Long deadline && deadline >= 0) {
        sum += hash(Gathered.text(fields.get(i)) + '\n' + deadline);
      }
    }
    return sum;
  }
}
