package io.penstock.core.sentinel;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Outage;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Queries sentinels over Lettuce's plain connections. Its own sentinel support believes the first
 * sentinel that answers.
 *
 * @param masterName the name of the master
 * @param nodes access to the master and its replicas
 */
record LettuceSentinelSource(ControlPlane control, String masterName, Access nodes)
    implements SentinelSource {

  private static final String SWITCH = "+switch-master";

  /** Messages after which the master or the list of replicas may be another. */
  private static final String[] CHANNELS = {
    SWITCH,
    "+promoted-slave",
    "+config-update-from",
    "+slave",
    "+sdown",
    "-sdown",
    "+reboot",
    "+reset-master",
    "+monitor"
  };

  @Override
  public CompletionStage<SentinelView> query(Endpoint sentinel) {
    return control.query(
        sentinel,
        commands ->
            replies(commands)
                .thenApply(replies -> replies.view(sentinel, nodes))
                .handle((view, failure) ->
                    failure == null
                        ? CompletableFuture.completedStage(view)
                        : explained(sentinel, commands, failure))
                .thenCompose(stage -> stage));
  }

  private CompletionStage<SentinelReplies> replies(RedisAsyncCommands<String, String> commands) {
    CompletionStage<List<Object>> master = sentinel(commands, "MASTER", masterName);
    CompletionStage<List<Object>> address =
        sentinel(commands, "GET-MASTER-ADDR-BY-NAME", masterName);
    CompletionStage<List<Object>> replicas = sentinel(commands, "REPLICAS", masterName);
    CompletionStage<List<Object>> sentinels = sentinel(commands, "SENTINELS", masterName);
    CompletionStage<String> id =
        commands
            .dispatch(
                CommandType.SENTINEL,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).add("MYID"))
            .handle(LettuceSentinelSource::emptyIfError);
    return master
        .thenCombine(
            address,
            (fields, named) -> new SentinelReplies("", fields, named, List.of(), List.of()))
        .thenCombine(
            replicas,
            (so, list) -> new SentinelReplies("", so.master(), so.address(), list, List.of()))
        .thenCombine(
            sentinels,
            (so, list) -> new SentinelReplies("", so.master(), so.address(), so.replicas(), list))
        .thenCombine(
            id,
            (so, own) ->
                new SentinelReplies(own, so.master(), so.address(), so.replicas(), so.sentinels()));
  }

  private static CompletionStage<List<Object>> sentinel(
      RedisAsyncCommands<String, String> commands, String... words) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
    for (String word : words) {
      arguments.add(word);
    }
    return commands
        .dispatch(CommandType.SENTINEL, new ArrayOutput<>(StringCodec.UTF8), arguments)
        .thenApply(LettuceSentinelSource::orEmpty);
  }

  private static List<Object> orEmpty(@Nullable List<Object> reply) {
    return reply == null ? List.of() : reply;
  }

  private static String emptyIfError(@Nullable String answer, @Nullable Throwable failure) {
    if (failure == null || failure instanceof RedisCommandExecutionException) {
      return answer == null ? "" : answer;
    }
    throw new CompletionException(failure);
  }

  /** Returns a failure that says what to change, where the sentinel's error does not. */
  private CompletionStage<SentinelView> explained(
      Endpoint sentinel, RedisAsyncCommands<String, String> commands, Throwable failure) {
    String reason = Outage.reason(failure);
    if (reason.contains("No such master")) {
      return sentinel(commands, "MASTERS").thenCompose(masters -> failed(unknownName(masters)));
    }
    if (reason.toLowerCase(Locale.ROOT).contains("unknown command")) {
      return commands
          .info("server")
          .handle(LettuceSentinelSource::emptyIfError)
          .thenCompose(info -> failed(notASentinel(sentinel, info)));
    }
    return CompletableFuture.failedStage(failure);
  }

  private static CompletionStage<SentinelView> failed(String reason) {
    return CompletableFuture.failedStage(new UnusableSentinelException(reason));
  }

  private String unknownName(List<Object> masters) {
    String names =
        masters.stream()
            .map(master -> SentinelReplies.fields(master).getOrDefault("name", "?"))
            .sorted()
            .collect(Collectors.joining(", "));
    return "it monitors no master named "
        + masterName
        + (names.isEmpty() ? ", and no other" : "; it monitors " + names);
  }

  private static String notASentinel(Endpoint sentinel, String info) {
    return info.contains("_mode:cluster")
        ? "it is a node of a Redis Cluster and no sentinel: for the cluster write redis-cluster://"
            + sentinel
        : "it is no sentinel: for this single server write redis://" + sentinel;
  }

  @Override
  public CompletionStage<Role> role(Endpoint node) {
    return control.query(
        node.with(node.access().withoutDatabase()),
        commands ->
            commands
                .role()
                .handle((reply, failure) ->
                    failure == null
                        ? CompletableFuture.completedStage(role(reply))
                        : roleByInfo(commands, failure))
                .thenCompose(stage -> stage));
  }

  private static Role role(@Nullable List<Object> reply) {
    return roleOf(reply == null || reply.isEmpty() ? "" : String.valueOf(reply.getFirst()));
  }

  private static Role roleOf(String word) {
    return switch (word) {
      case "master" -> Role.MASTER;
      case "slave" -> Role.REPLICA;
      case "sentinel" -> Role.SENTINEL;
      default -> Role.UNKNOWN;
    };
  }

  private static CompletionStage<Role> roleByInfo(
      RedisAsyncCommands<String, String> commands, Throwable failure) {
    if (!(failure instanceof RedisCommandExecutionException)) {
      return CompletableFuture.failedStage(failure);
    }
    return commands
        .info("replication")
        .handle(LettuceSentinelSource::emptyIfError)
        .thenApply(info ->
            info.contains("role:master")
                ? Role.MASTER
                : info.contains("role:slave") ? Role.REPLICA : Role.UNKNOWN);
  }

  @Override
  public CompletionStage<Subscription> subscribe(Endpoint sentinel, Runnable onMessage) {
    return control
        .connectPubSub(sentinel)
        .thenCompose(connection -> {
          connection.addListener(
              new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String text) {
                  if (isAbout(masterName, channel, text)) {
                    onMessage.run();
                  }
                }
              });
          Subscription subscription = new LettuceSubscription(control, connection);
          return connection
              .async()
              .subscribe(CHANNELS)
              .toCompletableFuture()
              .thenApply(_ -> subscription)
              .whenComplete((_, failure) -> {
                if (failure != null) {
                  subscription.close();
                }
              });
        });
  }

  /**
   * Returns whether a message is about this master, or one of its replicas. {@code +switch-master}
   * begins with the master's name; others with the kind of the instance, its name and its address,
   * and, if it is not the master itself, {@code @} and the master's name.
   */
  static boolean isAbout(String masterName, String channel, String text) {
    List<String> words = Arrays.asList(text.split(" ", -1));
    if (channel.equals(SWITCH)) {
      return words.getFirst().equals(masterName);
    }
    int at = words.indexOf("@");
    int name = at < 0 ? 1 : at + 1;
    return name < words.size() && words.get(name).equals(masterName);
  }

  private record LettuceSubscription(
      ControlPlane control, StatefulRedisPubSubConnection<String, String> connection)
      implements Subscription {

    @Override
    public CompletionStage<?> ping() {
      return connection.async().ping();
    }

    @Override
    public void close() {
      control.disconnect(connection);
    }
  }
}
