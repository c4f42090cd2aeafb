package io.penstock.server.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;

/**
 * Deep pipelines and values of any size with Java client libraries. Subclasses start the proxy in
 * front of an upstream.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("deprecation") // JedisPooled has a successor, but applications use it
abstract class JavaClients {

  private static final int PIPELINE = 1_000;
  private static final long SEED = 20_260_401;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  /** Starts Penstock with time for values of many megabytes. */
  final void start(ProxyFixture.Builder settings) {
    proxy = settings.commandTimeout(Duration.ofSeconds(20)).startReady();
  }

  @AfterAll
  void stopProxy() {
    proxy.close();
  }

  private JedisPooled jedis(RedisProtocol protocol) {
    var config =
        DefaultJedisClientConfig.builder()
            .protocol(protocol)
            .clientName("jedis-test")
            .socketTimeoutMillis(20_000)
            .build();
    return new JedisPooled(new HostAndPort(proxy.host(), proxy.port()), config);
  }

  private RedisClient lettuce(ProtocolVersion protocol) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(proxy.host())
            .withPort(proxy.port())
            .withTimeout(Duration.ofSeconds(20))
            .withClientName("lettuce-test")
            .build();
    RedisClient client = RedisClient.create(uri);
    client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
    return client;
  }

  private static void stop(RedisClient client) {
    client.shutdown(0, 5, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EnumSource(
      value = RedisProtocol.class,
      names = {"RESP2", "RESP3"})
  void jedisPipelinesAThousandCommands(RedisProtocol protocol) {
    try (JedisPooled jedis = jedis(protocol);
        Pipeline pipeline = jedis.pipelined()) {
      List<Response<String>> replies = new ArrayList<>();
      for (int i = 0; i < PIPELINE; i++) {
        pipeline.set("pipe:" + i, "value " + i);
        replies.add(pipeline.get("pipe:" + i));
      }
      pipeline.sync();

      for (int i = 0; i < PIPELINE; i++) {
        assertThat(replies.get(i).get()).isEqualTo("value " + i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void lettuceHasAThousandCommandsInFlight(ProtocolVersion protocol) throws Exception {
    RedisClient client = lettuce(protocol);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisAsyncCommands<String, String> redis = connection.async();
      List<RedisFuture<String>> replies = new ArrayList<>();
      for (int i = 0; i < PIPELINE; i++) {
        redis.set("flight:" + i, "value " + i);
        replies.add(redis.get("flight:" + i));
      }
      for (int i = 0; i < PIPELINE; i++) {
        assertThat(replies.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("value " + i);
      }
    } finally {
      stop(client);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16_383, 16_384, 65_536, 1_048_577, 64 * 1024 * 1024})
  void valuesOfAnySizeAreReturnedUnchanged(int size) {
    byte[] value = new byte[size];
    new Random(SEED).nextBytes(value);
    byte[] key = ("value of " + size).getBytes(UTF_8);
    for (RedisProtocol protocol : List.of(RedisProtocol.RESP2, RedisProtocol.RESP3)) {
      try (JedisPooled jedis = jedis(protocol)) {
        assertThat(jedis.set(key, value)).isEqualTo("OK");
        assertThat(Arrays.equals(jedis.get(key), value)).isTrue();
        assertThat(jedis.strlen(key)).isEqualTo(size);
      }
    }
    for (ProtocolVersion protocol : ProtocolVersion.values()) {
      RedisClient client = lettuce(protocol);
      try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
        assertThat(Arrays.equals(connection.sync().get(key), value)).isTrue();
        assertThat(connection.sync().del(key)).isEqualTo(1);
        assertThat(connection.sync().set(key, value)).isEqualTo("OK");
      } finally {
        stop(client);
      }
    }
    try (JedisPooled jedis = jedis(RedisProtocol.RESP2)) {
      assertThat(jedis.unlink(key)).isEqualTo(1);
    }
  }
}
