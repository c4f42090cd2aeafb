package io.penstock.core.survey;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandType;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends {@code INFO server}, {@code HELLO} and {@code COMMAND} over Lettuce. Penstock's user may
 * lack the permission for any of them. {@code INFO} is in the ACL category {@code @dangerous};
 * without it the version is read from {@code HELLO}.
 */
public record LettuceServerSource(ControlPlane control) implements ServerSource {

  private static final String VERSION = "redis_version:";
  private static final String VALKEY_VERSION = "valkey_version:";
  private static final String RUN_ID = "run_id:";
  private static final String MODE = "redis_mode:"; // also of a Valkey that calls itself Redis
  private static final String VALKEY_MODE = "server_mode:";

  /** One character for each byte. */
  private static final StringCodec BYTE_FOR_BYTE = new StringCodec(StandardCharsets.ISO_8859_1);

  /** The {@code redis_version} that every Valkey reports. */
  private static final ServerVersion REDIS_VERSION_OF_VALKEY = new ServerVersion(7, 2, 4);

  /** What is queried each time. The commands are queried only when it has changed. */
  private record Identity(
      String runId,
      @Nullable ServerVersion version,
      @Nullable ServerVersion valkey,
      String mode,
      HelloFacts hello,
      long commandCount) {

    Identity withCommandCount(long commandCount) {
      return new Identity(runId, version, valkey, mode, hello, commandCount);
    }
  }

  @Override
  public CompletionStage<ServerReport> query(Endpoint node, @Nullable ServerReport before) {
    return control.query(
        node,
        commands ->
            identity(commands)
                .thenCompose(now ->
                    before != null
                            && before.hasSameCommands(now.runId, now.version, now.commandCount)
                        ? CompletableFuture.completedFuture(before.with(now.hello))
                        : report(commands, now)));
  }

  private static CompletionStage<Identity> identity(RedisAsyncCommands<String, String> commands) {
    CompletionStage<@Nullable String> info =
        commands.info("server").handle(LettuceServerSource::nullIfError);
    CompletionStage<@Nullable List<Object>> hello =
        commands
            .dispatch(CommandType.HELLO, new ArrayOutput<>(BYTE_FOR_BYTE))
            .handle(LettuceServerSource::nullIfError);
    CompletionStage<@Nullable Long> count =
        commands.commandCount().handle(LettuceServerSource::nullIfError);
    return info.thenCombine(hello, LettuceServerSource::identity)
        .thenCombine(
            count, (found, number) -> found.withCommandCount(number == null ? -1 : number));
  }

  private static Identity identity(@Nullable String info, @Nullable List<Object> hello) {
    String runId = field(info, RUN_ID);
    String mode = mode(info, hello);
    HelloFacts told = HelloReply.parse(hello);
    ServerVersion version = ServerVersion.parse(field(info, VERSION));
    if (version != null) {
      return new Identity(
          runId, version, ServerVersion.parse(field(info, VALKEY_VERSION)), mode, told, -1);
    }
    ServerVersion own = ServerVersion.parse(HelloReply.text(hello, "version"));
    return HelloReply.text(hello, "server").equals("valkey")
        ? new Identity(runId, REDIS_VERSION_OF_VALKEY, own, mode, told, -1)
        : new Identity(runId, own, null, mode, told, -1);
  }

  private static CompletionStage<ServerReport> report(
      RedisAsyncCommands<String, String> commands, Identity now) {
    return commands
        .command()
        .handle(LettuceServerSource::nullIfError)
        .thenApply(reply ->
            new ServerReport(
                now.runId,
                now.version,
                now.valkey,
                now.mode,
                now.hello,
                now.commandCount,
                reply == null ? null : LearntCommands.parse(reply)));
  }

  private static String mode(@Nullable String info, @Nullable List<Object> hello) {
    String redis = field(info, MODE);
    String mode = redis.isEmpty() ? field(info, VALKEY_MODE) : redis;
    return mode.isEmpty() ? HelloReply.text(hello, "mode") : mode;
  }

  /** Returns null if the node answered with an error. */
  private static <T> @Nullable T nullIfError(@Nullable T answer, @Nullable Throwable failure) {
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
}
