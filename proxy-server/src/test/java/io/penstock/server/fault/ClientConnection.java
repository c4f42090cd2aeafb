package io.penstock.server.fault;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** A connection of one client, through a client library or raw. */
interface ClientConnection extends AutoCloseable {

  /** Opens connections of one kind. */
  interface Kind {
    /**
     * Connects.
     *
     * @throws ConnectionLost if the connection cannot be opened
     */
    ClientConnection open(ClientAddress proxy);
  }

  /** The connection is lost. */
  final class ConnectionLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConnectionLost(Throwable cause) {
      super(cause);
    }
  }

  /** Longer than any reply may take; a later reply counts as missing. */
  int PATIENCE_SECONDS = 20;

  Kind RESP2 = proxy -> Raw.open(proxy, "2");
  Kind RESP3 = proxy -> Raw.open(proxy, "3");
  Kind JEDIS = JedisClient::new;
  Kind LETTUCE = LettuceClient::new;

  /**
   * Sends all requests and returns the bytes of the replies. {@link Outcome#CLOSED} takes the place
   * of replies that are missing because the connection was lost.
   */
  List<String> exchange(List<String[]> requests);

  /** Returns false once a reply is missing. */
  boolean isOpen();

  @Override
  void close();

  /** A connection without a client library. */
  final class Raw implements ClientConnection {
    private final RespClient wire;
    private boolean open = true;

    private Raw(RespClient wire) {
      this.wire = wire;
    }

    static Raw open(ClientAddress proxy, String protocol) {
      RespClient wire;
      try {
        wire = proxy.connect();
      } catch (UncheckedIOException e) {
        throw new ConnectionLost(e);
      }
      try {
        String hello = wire.call("HELLO", protocol);
        if (hello.startsWith("-")) {
          throw new AssertionError("HELLO: " + hello);
        }
        return new Raw(wire);
      } catch (UncheckedIOException e) {
        wire.close();
        failIfStuck(e);
        throw new ConnectionLost(e);
      }
    }

    RespClient wire() {
      return wire;
    }

    @Override
    public List<String> exchange(List<String[]> requests) {
      List<String> replies = new ArrayList<>();
      try {
        for (String[] request : requests) {
          wire.write(Wire.request(request));
        }
        wire.flush();
      } catch (UncheckedIOException e) {
        open = false; // replies may have arrived nevertheless
      }
      try {
        while (replies.size() < requests.size()) {
          replies.add(wire.read());
        }
      } catch (UncheckedIOException e) {
        failIfStuck(e);
        open = false;
      }
      while (replies.size() < requests.size()) {
        replies.add(Outcome.CLOSED);
      }
      return replies;
    }

    private static void failIfStuck(UncheckedIOException e) {
      if (e.getCause() instanceof SocketTimeoutException) {
        throw new AssertionError("no reply, no error and no end for seconds", e);
      }
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      wire.close();
    }
  }

  /** Jedis and its pipeline, for commands with integer replies. */
  final class JedisClient implements ClientConnection {
    private final Jedis jedis;
    private boolean open = true;

    JedisClient(ClientAddress proxy) {
      try {
        jedis = new Jedis(new HostAndPort(proxy.host(), proxy.port()), config(proxy)); // connects
      } catch (JedisConnectionException e) {
        throw new ConnectionLost(e);
      }
    }

    private static JedisClientConfig config(ClientAddress proxy) {
      TestAuthority authority = proxy.authority();
      return DefaultJedisClientConfig.builder()
          .connectionTimeoutMillis(5_000)
          .socketTimeoutMillis(PATIENCE_SECONDS * 1_000)
          .ssl(authority != null)
          .sslSocketFactory(authority == null ? null : authority.clients().getSocketFactory())
          .build();
    }

    @Override
    public List<String> exchange(List<String[]> requests) {
      List<Response<Object>> responses = new ArrayList<>();
      try (var pipeline = jedis.pipelined()) {
        for (String[] request : requests) {
          String[] arguments = java.util.Arrays.copyOfRange(request, 1, request.length);
          responses.add(pipeline.sendCommand(Protocol.Command.valueOf(request[0]), arguments));
        }
        pipeline.sync();
      } catch (JedisConnectionException e) {
        if (e.getCause() instanceof SocketTimeoutException) {
          throw new AssertionError("no reply, no error and no end for seconds", e);
        }
        open = false;
        return requests.stream().map(_ -> Outcome.CLOSED).toList();
      }
      return responses.stream().map(JedisClient::reply).toList();
    }

    private static String reply(Response<Object> response) {
      try {
        return ":" + response.get() + "\r\n";
      } catch (JedisDataException e) {
        return "-" + e.getMessage() + "\r\n";
      }
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      try {
        jedis.close();
      } catch (JedisConnectionException e) {
        // thrown when unsent data is left
      }
    }
  }

  /** Lettuce, for commands with integer replies. It must not resend anything by itself. */
  final class LettuceClient implements ClientConnection {

    /** By default each client queries name servers over its own socket, which may outlive it. */
    private final ClientResources resources =
        ClientResources.builder()
            .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
            .build();

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private boolean open = true;

    LettuceClient(ClientAddress proxy) {
      client =
          RedisClient.create(
              resources,
              RedisURI.builder()
                  .withHost(proxy.host())
                  .withPort(proxy.port())
                  .withSsl(proxy.authority() != null)
                  .withTimeout(Duration.ofSeconds(PATIENCE_SECONDS))
                  .build());
      client.setOptions(options(proxy.authority()));
      try {
        connection = client.connect();
      } catch (RedisException e) {
        shutdown();
        throw new ConnectionLost(e);
      }
      connection.setAutoFlushCommands(false);
    }

    private static ClientOptions options(@Nullable TestAuthority authority) {
      ClientOptions.Builder options = ClientOptions.builder().autoReconnect(false);
      if (authority != null) {
        options.sslOptions(
            SslOptions.builder().jdkSslProvider().trustManager(authority.trust()).build());
      }
      return options.build();
    }

    @Override
    public List<String> exchange(List<String[]> requests) {
      List<AsyncCommand<String, String, Long>> sent = new ArrayList<>();
      List<String> replies = new ArrayList<>();
      for (String[] request : requests) {
        var arguments = new CommandArgs<>(StringCodec.UTF8);
        for (int i = 1; i < request.length; i++) {
          arguments.add(request[i]);
        }
        var command =
            new AsyncCommand<>(
                new Command<>(
                    CommandType.valueOf(request[0]),
                    new IntegerOutput<>(StringCodec.UTF8),
                    arguments));
        sent.add(command);
        connection.dispatch(command);
      }
      connection.flushCommands();
      for (var command : sent) {
        replies.add(reply(command));
      }
      return replies;
    }

    private String reply(AsyncCommand<String, String, Long> command) {
      try {
        return ":" + command.get(PATIENCE_SECONDS, TimeUnit.SECONDS) + "\r\n";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      } catch (TimeoutException e) {
        throw new AssertionError("no reply, no error and no end for seconds", e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RedisCommandExecutionException error) {
          return "-" + error.getMessage() + "\r\n";
        }
        open = false;
        return Outcome.CLOSED;
      }
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      connection.close();
      shutdown();
    }

    private void shutdown() {
      try {
        client.shutdown(0, 5, TimeUnit.SECONDS);
      } finally {
        resources.shutdown(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
      }
    }
  }
}
