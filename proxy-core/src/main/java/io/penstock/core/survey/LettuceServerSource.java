package io.penstock.core.survey;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandType;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks {@code INFO server}, {@code HELLO} and {@code COMMAND} over Lettuce. A user may be forbidden
 * each of them: {@code INFO} is dangerous to ACLs, and {@code HELLO} then tells the version.
 */
public record LettuceServerSource(ControlPlane control) implements ServerSource {

  private static final String VERSION = "redis_version:";
  private static final String VALKEY_VERSION = "valkey_version:";
  private static final String RUN = "run_id:";
  private static final String MODE = "redis_mode:"; // Valkey's, too, to whom it calls itself Redis
  private static final String VALKEY_MODE = "server_mode:";

  /** What every Valkey calls itself to those who ask for Redis. */
  private static final ServerVersion VALKEYS_REDIS = new ServerVersion(7, 2, 4);

  /** What is asked each time; the commands themselves only when it says something new. */
  private record Identity(
      String run,
      @Nullable ServerVersion version,
      @Nullable ServerVersion valkey,
      String mode,
      long commandCount) {

    Identity counting(long commands) {
      return new Identity(run, version, valkey, mode, commands);
    }
  }

  @Override
  public CompletionStage<ServerReport> query(Endpoint node, @Nullable ServerReport before) {
    return control.query(
        node,
        commands ->
            identity(commands)
                .thenCompose(now ->
                    before != null && before.hasSameCommands(now.run, now.version, now.commandCount)
                        ? CompletableFuture.completedFuture(before)
                        : report(commands, now)));
  }

  private static CompletionStage<Identity> identity(RedisAsyncCommands<String, String> commands) {
    CompletionStage<@Nullable String> info =
        commands.info("server").handle(LettuceServerSource::unlessRefused);
    CompletionStage<@Nullable List<Object>> hello =
        commands
            .dispatch(CommandType.HELLO, new ArrayOutput<>(StringCodec.UTF8))
            .handle(LettuceServerSource::unlessRefused);
    CompletionStage<@Nullable Long> count =
        commands.commandCount().handle(LettuceServerSource::unlessRefused);
    return info.thenCombine(hello, (text, greeting) -> identity(text, greeting))
        .thenCombine(count, (found, number) -> found.counting(number == null ? -1 : number));
  }

  private static Identity identity(@Nullable String info, @Nullable List<Object> greeting) {
    String run = field(info, RUN);
    String mode = mode(info, greeting);
    ServerVersion version = ServerVersion.parse(field(info, VERSION));
    if (version != null) {
      return new Identity(run, version, ServerVersion.parse(field(info, VALKEY_VERSION)), mode, -1);
    }
    ServerVersion own = ServerVersion.parse(told(greeting, "version"));
    return told(greeting, "server").equals("valkey")
        ? new Identity(run, VALKEYS_REDIS, own, mode, -1)
        : new Identity(run, own, null, mode, -1);
  }

  private static CompletionStage<ServerReport> report(
      RedisAsyncCommands<String, String> commands, Identity now) {
    return commands
        .command()
        .handle(LettuceServerSource::unlessRefused)
        .thenApply(reply ->
            new ServerReport(
                now.run,
                now.version,
                now.valkey,
                now.mode,
                now.commandCount,
                reply == null ? null : LearntCommands.parse(reply)));
  }

  private static String mode(@Nullable String info, @Nullable List<Object> greeting) {
    String redis = field(info, MODE);
    String told = redis.isEmpty() ? field(info, VALKEY_MODE) : redis;
    return told.isEmpty() ? told(greeting, "mode") : told;
  }

  /** Null for what the node refuses to answer. */
  private static <T> @Nullable T unlessRefused(@Nullable T answer, @Nullable Throwable failure) {
    if (failure == null || failure instanceof RedisCommandExecutionException) {
      return answer;
    }
    throw new CompletionException(failure);
  }

  private static String field(@Nullable String info, String name) {
    int at = info == null ? -1 : info.indexOf(name);
    if (info == null || at < 0) {
      return "";
    }
    int from = at + name.length();
    int end = info.indexOf('\r', from);
    return info.substring(from, end < 0 ? info.length() : end);
  }

  private static String told(@Nullable List<Object> greeting, String name) {
    int at = greeting == null ? -1 : greeting.indexOf(name);
    return greeting != null && at >= 0 && greeting.get(at + 1) instanceof String text ? text : "";
  }
}
