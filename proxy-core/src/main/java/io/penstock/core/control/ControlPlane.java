package io.penstock.core.control;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.KqueueProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.penstock.core.failure.Causes;
import io.penstock.core.transport.OffLoopResolver;
import io.penstock.core.transport.UnixSockets;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.ProxyChain;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Queries nodes outside the data path, over Lettuce. Most connections are closed after one query.
 * Owns the topology thread, which handles the answers. Safe from any thread.
 *
 * <p>One thread does all I/O, and Lettuce's timers run on the topology thread. Host names are
 * resolved for each connection, with the data path's resolver, so that a node that was replaced
 * under the same name is found.
 *
 * <p>Upstreams share the threads. Each has timeouts of its own.
 */
public final class ControlPlane {

  private static final long CLOSE_SECONDS = 5;
  private static final long END_SECONDS = 2;
  private static final String USE = "-topology"; // in names of connections

  /**
   * Lettuce's quiet period at shutdown: enough time to close a connection that is being opened and
   * to release its buffer.
   */
  private static final long QUIET_MILLIS = 50;

  private final Duration timeout;
  private final ProxyChain chain;
  private final Threads threads;
  private final OwnTimers timers;
  private final RedisClient client;
  private final AtomicBoolean closed; // with the threads
  private volatile boolean released;
  private final Map<NodeTransport, RedisClient> others = new ConcurrentHashMap<>();

  private ControlPlane(Duration timeout, ProxyChain chain, Threads threads, AtomicBoolean closed) {
    this.timeout = timeout;
    this.chain = chain;
    this.threads = threads;
    this.timers = new OwnTimers(threads.topology);
    this.closed = closed;
    this.client = newClient(threads.resources);
  }

  private RedisClient newClient(ClientResources resources) {
    RedisClient made = RedisClient.create(resources);
    made.setOptions(
        ClientOptions.builder()
            .protocolVersion(ProtocolVersion.RESP2)
            .autoReconnect(false)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(timeout).keepAlive(false).build())
            .timeoutOptions(TimeoutOptions.enabled(timeout))
            .build());
    threads.clients.add(made);
    return made;
  }

  /** Returns the client for nodes with this access, whose connections have its transport. */
  private RedisClient client(Endpoint node) {
    NodeTransport transport = node.access().transport();
    return transport.equals(NodeTransport.PLAIN)
        ? client
        : others.computeIfAbsent(
            transport,
            made -> newClient(threads.resourcesWith(new TransportOfNode(made, timeout))));
  }

  /** The threads that upstreams share. They start with their first task. */
  private static final class Threads {

    final List<RedisClient> clients = new CopyOnWriteArrayList<>();
    final Map<RedisClient, CompletableFuture<Void>> releasing = new ConcurrentHashMap<>();
    final NettyTopologyThread topology = new NettyTopologyThread();
    final EventLoopGroupProvider io = new DefaultEventLoopGroupProvider(1, ControlPlane::threads);
    final ClientResources resources =
        ClientResources.builder()
            .eventLoopGroupProvider(io)
            .eventExecutorGroup(topology.group())
            .timer(new ExecutorTimer(topology.group()))
            .addressResolverGroup(OffLoopResolver.INSTANCE)
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .build();
    private final List<ClientResources> derived = new CopyOnWriteArrayList<>();

    /** Returns the resources with a customizer; they share the threads. */
    ClientResources resourcesWith(NettyCustomizer customizer) {
      ClientResources made = resources.mutate().nettyCustomizer(customizer).build();
      derived.add(made);
      return made;
    }

    /** Ends resources that {@link #resourcesWith} has made; does nothing for others. */
    void endDerived(ClientResources each) {
      if (derived.remove(each)) {
        end(each);
      }
    }

    /** Ends the resources but not the threads. Lettuce warns of those that were not ended. */
    void endResources() {
      derived.forEach(Threads::end);
      end(resources);
    }

    private static void end(ClientResources each) {
      each.shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Creates a control plane without connections. Starts no thread.
   *
   * @param timeout for each of: connecting, authenticating, and each reply
   */
  public static ControlPlane create(Duration timeout) {
    return new ControlPlane(timeout, ProxyChain.withoutId(), new Threads(), new AtomicBoolean());
  }

  /**
   * Returns one with connections and a timeout of its own and the same threads, which only {@link
   * #close} ends.
   *
   * @param of the Penstocks that its nodes lead to
   */
  public ControlPlane with(Duration other, ProxyChain of) {
    return new ControlPlane(other, of, threads, closed);
  }

  /** Closes all connections and timers of this one; later queries fail. Returns at once. */
  public void release() {
    released = true;
    timers.end();
    if (closed.get()) {
      return; // which closes them too
    }
    Stream.concat(Stream.of(client), others.values().stream()).forEach(this::release);
  }

  private void release(RedisClient each) {
    threads.clients.remove(each);
    CompletableFuture<Void> released =
        each.shutdownAsync(0, END_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    threads.releasing.put(each, released);
    released.whenComplete((_, _) -> {
      threads.releasing.remove(each);
      threads.endDerived(each.getResources());
    });
  }

  private boolean isClosed() {
    return released || closed.get();
  }

  private static ThreadFactory threads(String pool) {
    return Thread.ofPlatform().daemon().name("penstock-topology-io").factory();
  }

  /** Returns the topology thread. Tasks that {@link #release} finds waiting are dropped. */
  public TopologyThread thread() {
    return timers;
  }

  /**
   * Connects, authenticates, selects the database, runs the query and disconnects. The host name is
   * resolved each time. Completes on any thread. Fails within a few times the timeout if the node
   * does not answer, and if it is a Penstock that leads back to this one ({@link ProxyChain}).
   */
  public <T> CompletionStage<T> query(
      Endpoint node, Function<RedisAsyncCommands<String, String>, CompletionStage<T>> query) {
    return connected(
        node,
        connection ->
            query.apply(connection.async()).whenComplete((_, _) -> disconnect(connection)));
  }

  /** Connects like {@link #query}. The caller must {@link #disconnect} the connection. */
  public CompletionStage<StatefulRedisConnection<String, String>> connect(Endpoint node) {
    return connected(node, CompletableFuture::completedFuture);
  }

  /**
   * Connects like {@link #query}, for Pub/Sub. The caller must {@link #disconnect} the connection.
   */
  public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(
      Endpoint node) {
    return unlessClosed(
        node,
        () ->
            client(node)
                .connectPubSubAsync(StringCodec.UTF8, named(uri(node)))
                .thenApply(this::unlessReleased));
  }

  private <T> CompletionStage<T> connected(
      Endpoint node, Function<StatefulRedisConnection<String, String>, CompletionStage<T>> then) {
    return unlessClosed(
        node,
        () ->
            client(node)
                .connectAsync(StringCodec.UTF8, uri(node))
                .thenApply(this::unlessReleased)
                .thenCompose(connection -> named(node, connection))
                .thenCompose(then));
  }

  private CompletionStage<StatefulRedisConnection<String, String>> named(
      Endpoint node, StatefulRedisConnection<String, String> connection) {
    return setName(node, connection)
        .handle((_, failure) -> {
          if (failure == null) {
            return connection;
          }
          disconnect(connection);
          throw new CompletionException(failure);
        });
  }

  /** Fails if the node is a Penstock that leads back, or does not answer; other errors are none. */
  private CompletionStage<?> setName(
      Endpoint node, StatefulRedisConnection<String, String> connection) {
    var name =
        new CommandArgs<>(StringCodec.UTF8)
            .add(CommandKeyword.SETNAME)
            .add(chain.connectionName(USE));
    return connection
        .async()
        .dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), name)
        .handle((status, failure) -> {
          if (failure == null) {
            chain.learn(node, status);
          } else if (!NodeConnections.isErrorReply(failure)
              || ProxyChain.isRefusal(Outage.reason(failure))) {
            throw new CompletionException(Causes.unwrapped(failure));
          }
          return null;
        });
  }

  /**
   * Checks that a node that is a Penstock does not lead back to this one now. Sends nothing to
   * other nodes.
   */
  CompletionStage<?> checkChain(Endpoint node, StatefulRedisConnection<String, String> connection) {
    return chain.isPenstock(node)
        ? setName(node, connection)
        : CompletableFuture.completedFuture(null);
  }

  /** Closes a connection that was made after Lettuce's client closed those that it had. */
  private <C extends StatefulConnection<?, ?>> C unlessReleased(C connection) {
    if (isClosed()) {
      if (connection.isOpen()) { // Lettuce warns about a second close
        connection.closeAsync();
      }
      throw new IllegalStateException("closed");
    }
    return connection;
  }

  private <T> CompletionStage<T> unlessClosed(Endpoint node, Supplier<CompletionStage<T>> action) {
    if (isClosed()) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    Stages.call(action)
        .whenComplete((value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(explained(node, failure));
          }
        });
    return result;
  }

  /**
   * Removes passwords: a server that does not know AUTH repeats its arguments in the error. Adds
   * what a node may not have expected that ends the connection or does not answer.
   */
  private static Throwable explained(Endpoint node, Throwable failure) {
    String reason = Outage.reason(failure);
    String masked = Credentials.mask(reason);
    NodeTransport transport = node.access().transport();
    boolean answered = Outage.isErrorReply(failure) || transport.isHeaderRejected(masked);
    String told =
        answered || !mayBeHeader(failure)
            ? transport.explainReply(masked)
            : transport.explain(masked);
    if (told.equals(reason)) {
      return failure;
    }
    return new IllegalStateException(
        told, answered ? new RedisCommandExecutionException(told) : null);
  }

  /** Returns whether a connection was made, if there was no error reply. */
  private static boolean mayBeHeader(Throwable failure) {
    Throwable root = Causes.rootOf(failure);
    return !(root instanceof ConnectException || root instanceof UnknownHostException);
  }

  /** Closes a connection. */
  public void disconnect(StatefulRedisConnection<String, String> connection) {
    if (!isClosed()) { // otherwise already closed; Lettuce warns about a second close
      connection.closeAsync();
    }
  }

  private RedisURI uri(Endpoint node) {
    RedisURI.Builder uri =
        address(node)
            .withDatabase(
                node.access().database()) // also here: detects a user without permission for SELECT
            .withTimeout(timeout);
    Credentials credentials = node.access().credentials();
    if (credentials == null) {
      return uri.build();
    }
    String user = credentials.user();
    return user == null
        ? uri.withPassword(credentials.password().toCharArray()).build()
        : uri.withAuthentication(user, credentials.password().toCharArray()).build();
  }

  private RedisURI named(RedisURI uri) {
    uri.setClientName(chain.connectionName(USE));
    return uri;
  }

  private static RedisURI.Builder address(Endpoint node) {
    return node.isUnixSocket()
        ? RedisURI.Builder.socket(UnixSockets.systemName(node.host()))
        : RedisURI.builder().withHost(node.host()).withPort(node.port());
  }

  /** Returns whether nodes can be queried over Unix sockets: Lettuce needs epoll or kqueue. */
  public static boolean supportsUnixSockets() {
    return EpollProvider.isAvailable() || KqueueProvider.isAvailable();
  }

  /**
   * Closes all connections and stops the threads after their queued tasks. Returns at once.
   * Completes within a few seconds, never exceptionally.
   */
  public CompletionStage<Void> close() {
    closed.set(true);
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletableFuture.allOf(
            Stream.concat(
                    threads.clients.stream()
                        .map(each ->
                            each.shutdownAsync(
                                QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)),
                    threads.releasing.values().stream())
                .toArray(CompletableFuture[]::new))
        .handle((ignored, failure) -> endIo())
        .thenCompose(ended -> ended)
        .thenCompose(ended -> threads.topology.close())
        .whenComplete((ignored, failure) -> done.complete(null));
    return done.completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  private CompletionStage<Void> endIo() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    threads.endResources();
    threads
        .io
        .shutdown(QUIET_MILLIS, END_SECONDS * 1_000, TimeUnit.MILLISECONDS)
        .addListener(future -> ended.complete(null));
    return ended;
  }
}
