package io.penstock.core.topology;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
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
import io.lettuce.core.resource.Transports;
import io.netty.channel.socket.SocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.util.concurrent.EventExecutorGroup;
import io.penstock.core.cluster.Credentials;
import io.penstock.core.cluster.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks over Lettuce, with plain connections that live for one question.
 *
 * <p>Not with Lettuce's {@code RedisClusterClient}: it names nodes its own way (see {@link
 * ClusterNodesParser}), asks every node it finds, and trusts a view by how many nodes look healthy
 * in it; its views carry nothing to tell a late one from a new one by.
 *
 * <p>One thread does all I/O, and Lettuce's timers run on the topology thread. Names are resolved
 * without a cache, so that nodes replaced behind the same name are found.
 */
final class LettuceViewSource implements ViewSource {

  static {
    // With epoll and io_uring both at hand Lettuce uses epoll, warns of it on every connection, and
    // mixes the options of both. Read once, when Lettuce's classes are loaded.
    String ioUring = "io.lettuce.core.iouring";
    if (System.getProperty(ioUring) == null) {
      System.setProperty(ioUring, "false");
    }
  }

  private static final long END_SECONDS = 2;
  private static final String CLIENT_NAME = "penstock-topology";

  private final @Nullable Credentials credentials;
  private final Duration timeout;

  /** Long enough for a connection that is just being made to be closed, its buffer given back. */
  private static final long QUIET_MILLIS = 50;

  private final EventLoopGroupProvider ioThreads =
      new DefaultEventLoopGroupProvider(1, LettuceViewSource::threads);
  private final ClientResources resources;
  private final RedisClient client;
  private volatile boolean closed;

  /**
   * @param timeout for connecting, for authenticating, and for the answers, each
   */
  LettuceViewSource(
      @Nullable Credentials credentials, Duration timeout, EventExecutorGroup computation) {
    this.credentials = credentials;
    this.timeout = timeout;
    this.resources =
        ClientResources.builder()
            .eventLoopGroupProvider(ioThreads)
            .eventExecutorGroup(computation)
            .timer(new ExecutorTimer(computation))
            .addressResolverGroup(resolver(timeout))
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

  private static ThreadFactory threads(String pool) {
    return Thread.ofPlatform().daemon().name("penstock-topology-io").factory();
  }

  private static DnsAddressResolverGroup resolver(Duration timeout) {
    return new DnsAddressResolverGroup(
        new DnsNameResolverBuilder()
            .datagramChannelType(Transports.datagramChannelClass())
            .socketChannelType(Transports.socketChannelClass().asSubclass(SocketChannel.class))
            .queryTimeoutMillis(timeout.toMillis())
            .resolveCache(NoopDnsCache.INSTANCE));
  }

  @Override
  public CompletionStage<ClusterView> ask(Node node) {
    if (closed) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    try {
      return client
          .connectAsync(StringCodec.UTF8, uri(node))
          .thenCompose(
              connection -> ask(node, connection).whenComplete((view, failure) -> end(connection)));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void end(StatefulRedisConnection<String, String> connection) {
    if (!closed) { // else it has been closed, and a second time would be warned of
      connection.closeAsync();
    }
  }

  private static CompletionStage<ClusterView> ask(
      Node node, StatefulRedisConnection<String, String> connection) {
    RedisAsyncCommands<String, String> commands = connection.async();
    CompletionStage<String> nodes = commands.clusterNodes();
    CompletionStage<Map<String, String>> endpoints =
        commands.clusterShards().handle(LettuceViewSource::endpoints);
    return nodes.thenCombine(
        endpoints, (text, named) -> new ClusterNodesParser(node, named).parse(text));
  }

  /**
   * A server before Redis 7, or one that forbids the command to this user, has its addresses only.
   */
  private static Map<String, String> endpoints(
      @Nullable List<Object> shards, @Nullable Throwable failure) {
    if (shards != null) {
      return ShardEndpoints.of(shards);
    }
    if (failure == null || failure instanceof RedisCommandExecutionException) {
      return Map.of();
    }
    throw new CompletionException(failure);
  }

  private RedisURI uri(Node node) {
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(node.host())
            .withPort(node.port())
            .withTimeout(timeout)
            .withClientName(CLIENT_NAME);
    if (credentials == null) {
      return uri.build();
    }
    String user = credentials.user();
    return user == null
        ? uri.withPassword(credentials.password().toCharArray()).build()
        : uri.withAuthentication(user, credentials.password().toCharArray()).build();
  }

  @Override
  public CompletionStage<Void> close() {
    closed = true;
    CompletableFuture<Void> closed = new CompletableFuture<>();
    client
        .shutdownAsync(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)
        .whenComplete(
            (ignored, failure) -> {
              resources.shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS);
              ioThreads
                  .shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)
                  .addListener(ended -> closed.complete(null));
            });
    return closed;
  }
}
