package io.penstock.core.control;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.penstock.core.transport.OffLoopResolver;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * How nodes are asked beside the data path: over Lettuce, with plain connections, most of which
 * live for one question, and the topology thread, on which the answers are dealt with. Safe from
 * any thread.
 *
 * <p>One thread does all I/O, and Lettuce's timers run on the topology thread. Names are resolved
 * for each question, as the data path resolves them, so that nodes replaced behind the same name
 * are found.
 */
public final class ControlPlane {

  private static final long CLOSE_SECONDS = 5;
  private static final long END_SECONDS = 2;
  private static final String CLIENT_NAME = "penstock-topology";

  /** Long enough for a connection that is just being made to be closed, its buffer given back. */
  private static final long QUIET_MILLIS = 50;

  private final Duration timeout;
  private final NettyTopologyThread thread = new NettyTopologyThread();
  private final EventLoopGroupProvider ioThreads =
      new DefaultEventLoopGroupProvider(1, ControlPlane::threads);
  private final ClientResources resources;
  private final RedisClient client;
  private final AtomicBoolean closed = new AtomicBoolean();

  private ControlPlane(Duration timeout) {
    this.timeout = timeout;
    this.resources =
        ClientResources.builder()
            .eventLoopGroupProvider(ioThreads)
            .eventExecutorGroup(thread.group())
            .timer(new ExecutorTimer(thread.group()))
            .addressResolverGroup(OffLoopResolver.INSTANCE)
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .build();
    this.client = RedisClient.create(resources);
    this.client.setOptions(
        ClientOptions.builder()
            .protocolVersion(ProtocolVersion.RESP2)
            .autoReconnect(false)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(timeout).keepAlive(false).build())
            .timeoutOptions(TimeoutOptions.enabled(timeout))
            .build());
  }

  /**
   * Makes one that has not connected to anybody yet. Starts no thread.
   *
   * @param timeout for connecting, for authenticating, and for the answers, each
   */
  public static ControlPlane create(Duration timeout) {
    return new ControlPlane(timeout);
  }

  private static ThreadFactory threads(String pool) {
    return Thread.ofPlatform().daemon().name("penstock-topology-io").factory();
  }

  public TopologyThread thread() {
    return thread;
  }

  /**
   * Connects, authenticates, selects the database, asks and disconnects. The name is resolved anew
   * each time. Completes on any thread; fails within a few times the timeout when the node does not
   * answer.
   */
  public <T> CompletionStage<T> query(
      Endpoint node, Function<RedisAsyncCommands<String, String>, CompletionStage<T>> question) {
    return connected(
        node,
        connection ->
            question
                .apply(connection.async())
                .whenComplete((told, failure) -> disconnect(connection)));
  }

  /**
   * Connects, for the caller to {@link #disconnect} the connection. Otherwise as {@link #query}.
   */
  public CompletionStage<StatefulRedisConnection<String, String>> connect(Endpoint node) {
    return connected(node, CompletableFuture::completedFuture);
  }

  private <T> CompletionStage<T> connected(
      Endpoint node, Function<StatefulRedisConnection<String, String>, CompletionStage<T>> then) {
    if (closed.get()) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Stages.call(() -> client.connectAsync(StringCodec.UTF8, uri(node)).thenCompose(then))
        .whenComplete((told, failure) -> {
          if (failure == null) {
            answer.complete(told);
          } else {
            answer.completeExceptionally(masked(failure));
          }
        });
    return answer;
  }

  /** Servers that do not know AUTH repeat what they were sent. */
  private static Throwable masked(Throwable failure) {
    String reason = Outage.reason(failure);
    String masked = Credentials.mask(reason);
    return masked.equals(reason) ? failure : new IllegalStateException(masked);
  }

  /** Closes a connection. */
  public void disconnect(StatefulRedisConnection<String, String> connection) {
    if (!closed.get()) { // else it has been closed, and a second time would be warned of
      connection.closeAsync();
    }
  }

  private RedisURI uri(Endpoint node) {
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(node.host())
            .withPort(node.port())
            .withDatabase(node.access().database()) // selected here too: a user may lack the right
            .withTimeout(timeout)
            .withClientName(CLIENT_NAME);
    Credentials credentials = node.access().credentials();
    if (credentials == null) {
      return uri.build();
    }
    String user = credentials.user();
    return user == null
        ? uri.withPassword(credentials.password().toCharArray()).build()
        : uri.withAuthentication(user, credentials.password().toCharArray()).build();
  }

  /**
   * Closes its connections and ends its threads, after what they have been given to do. Returns at
   * once; completes, never exceptionally, within a few seconds.
   */
  public CompletionStage<Void> close() {
    closed.set(true);
    CompletableFuture<Void> done = new CompletableFuture<>();
    client
        .shutdownAsync(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)
        .handle((ignored, failure) -> endIo())
        .thenCompose(ended -> ended)
        .thenCompose(ended -> thread.close())
        .whenComplete((ignored, failure) -> done.complete(null));
    return done.completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  private CompletionStage<Void> endIo() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    resources.shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    ioThreads
        .shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)
        .addListener(future -> ended.complete(null));
    return ended;
  }
}
