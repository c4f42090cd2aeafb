package io.penstock.server.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.penstock.server.demo.EmbeddedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.BitOP;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.params.XAddParams;

/** The client libraries that most Java applications use, as they come. */
@ExtendWith(SharedCluster.class)
@SuppressWarnings("deprecation") // JedisPooled has a successor; this is what applications use
class ClientsIT {

  private static final int PIPELINE = 1_000;
  private static final long SEED = 20_260_401;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @BeforeAll
  static void startProxy(EmbeddedCluster cluster) {
    proxy = ProxyFixture.of(cluster).startReady();
  }

  @AfterAll
  static void stopProxy() {
    proxy.close();
  }

  private static JedisPooled jedis(RedisProtocol protocol) {
    var config =
        DefaultJedisClientConfig.builder().protocol(protocol).clientName("jedis-test").build();
    return new JedisPooled(new HostAndPort(proxy.host(), proxy.port()), config);
  }

  private static RedisClient lettuce(ProtocolVersion protocol) {
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
  void jedisWorksWithEveryDataType(RedisProtocol protocol) {
    try (JedisPooled jedis = jedis(protocol)) {
      String k = "jedis:" + protocol + ":";
      assertThat(jedis.ping()).isEqualTo("PONG");
      strings(jedis, k);
      collections(jedis, k);
      others(jedis, k);
    }
  }

  private static void strings(JedisPooled jedis, String k) {
    assertThat(jedis.set(k + "s", "v")).isEqualTo("OK");
    assertThat(jedis.get(k + "s")).isEqualTo("v");
    assertThat(jedis.get(k + "none")).isNull();
    assertThat(jedis.set(k + "s", "w", SetParams.setParams().nx())).isNull();
    assertThat(jedis.setGet(k + "s", "x")).isEqualTo("v");
    assertThat(jedis.append(k + "s", "yz")).isEqualTo(3);
    assertThat(jedis.getrange(k + "s", 1, 2)).isEqualTo("yz");
    assertThat(jedis.incrBy(k + "n", 41)).isEqualTo(41);
    assertThat(jedis.incrByFloat(k + "n", 0.5)).isEqualTo(41.5);
    assertThat(jedis.expire(k + "s", 100)).isEqualTo(1);
    assertThat(jedis.ttl(k + "s")).isBetween(1L, 100L);
    assertThat(jedis.persist(k + "s")).isEqualTo(1);
    assertThat(jedis.type(k + "s")).isEqualTo("string");
    assertThat(jedis.setbit(k + "b", 7, true)).isFalse();
    assertThat(jedis.bitcount(k + "b")).isEqualTo(1);
    assertThat(jedis.bitop(BitOP.NOT, "{" + k + "b}2", "{" + k + "b}")).isZero();
    assertThat(jedis.pfadd(k + "hll", "a", "b", "a")).isEqualTo(1);
    assertThat(jedis.pfcount(k + "hll")).isEqualTo(2);
    byte[] dumped = jedis.dump(k + "s");
    assertThat(jedis.restore(k + "copy", 0, dumped)).isEqualTo("OK");
    assertThat(jedis.get(k + "copy")).isEqualTo("xyz");
    assertThat(jedis.del(k + "s", k + "copy", k + "none")).isEqualTo(2);
  }

  private static void collections(JedisPooled jedis, String k) {
    assertThat(jedis.hset(k + "h", Map.of("a", "1", "b", "2"))).isEqualTo(2);
    assertThat(jedis.hgetAll(k + "h")).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(jedis.hmget(k + "h", "b", "x", "a")).containsExactly("2", null, "1");
    assertThat(jedis.hincrBy(k + "h", "a", 5)).isEqualTo(6);
    assertThat(jedis.hscan(k + "h", "0").getResult()).hasSize(2);
    assertThat(jedis.rpush(k + "l", "a", "b", "c")).isEqualTo(3);
    assertThat(jedis.lrange(k + "l", 0, -1)).containsExactly("a", "b", "c");
    assertThat(jedis.lpop(k + "l")).isEqualTo("a");
    assertThat(jedis.sadd(k + "set", "a", "b")).isEqualTo(2);
    assertThat(jedis.smembers(k + "set")).containsExactlyInAnyOrder("a", "b");
    assertThat(jedis.smismember(k + "set", "a", "z")).containsExactly(true, false);
    assertThat(jedis.zadd(k + "z", Map.of("a", 1.0, "b", 2.5))).isEqualTo(2);
    assertThat(jedis.zscore(k + "z", "b")).isEqualTo(2.5);
    assertThat(jedis.zrangeWithScores(k + "z", 0, -1))
        .extracting(tuple -> tuple.getElement() + "=" + tuple.getScore())
        .containsExactly("a=1.0", "b=2.5");
    assertThat(jedis.zmscore(k + "z", "a", "x")).containsExactly(1.0, null);
  }

  private static void others(JedisPooled jedis, String k) {
    assertThat(jedis.geoadd(k + "g", 13.361389, 38.115556, "Palermo")).isEqualTo(1);
    assertThat(jedis.geopos(k + "g", "Palermo").getFirst().getLongitude())
        .isBetween(13.36138, 13.36140);
    StreamEntryID id =
        jedis.xadd(k + "x", XAddParams.xAddParams().id("5-1"), Map.of("field", "value"));
    assertThat(id).hasToString("5-1");
    assertThat(jedis.xlen(k + "x")).isEqualTo(1);
    assertThat(jedis.xrange(k + "x", "-", "+").getFirst().getFields())
        .isEqualTo(Map.of("field", "value"));
    assertThat(jedis.xgroupCreate(k + "x", "group", new StreamEntryID("0-0"), false))
        .isEqualTo("OK");
    assertThat(jedis.eval("return {KEYS[1], ARGV[1]}", List.of(k + "e"), List.of("arg")))
        .isEqualTo(List.of(k + "e", "arg"));
    assertThat(jedis.mset(k + "m1", "1", k + "m2", "2", k + "m3", "3")).isEqualTo("OK");
    assertThat(jedis.mget(k + "m3", k + "m0", k + "m1", k + "m3"))
        .containsExactly("3", null, "1", "3");
    assertThat(jedis.exists(k + "m1", k + "m2", k + "m1", k + "m0")).isEqualTo(3);
    assertThatThrownBy(() -> jedis.lpush(k + "m1", "x"))
        .isInstanceOf(JedisDataException.class)
        .hasMessageStartingWith("WRONGTYPE ");
    assertThatThrownBy(() -> jedis.rename(k + "m1", k + "m2"))
        .isInstanceOf(JedisDataException.class)
        .hasMessageStartingWith("CROSSSLOT ");
  }

  @ParameterizedTest
  @EnumSource(
      value = RedisProtocol.class,
      names = {"RESP2", "RESP3"})
  void jedisPipelinesAThousandDeep(RedisProtocol protocol) {
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
  void lettuceWorksWithEveryDataType(ProtocolVersion protocol) {
    RedisClient client = lettuce(protocol);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisCommands<String, String> redis = connection.sync();
      String k = "lettuce:" + protocol + ":";
      assertThat(redis.ping()).isEqualTo("PONG");
      assertThat(redis.clientGetname()).isEqualTo("lettuce-test");
      assertThat(redis.set(k + "s", "äöü")).isEqualTo("OK");
      assertThat(redis.get(k + "s")).isEqualTo("äöü");
      assertThat(redis.incr(k + "n")).isEqualTo(1);
      assertThat(redis.hset(k + "h", Map.of("a", "1", "b", "2"))).isEqualTo(2);
      assertThat(redis.hgetall(k + "h")).isEqualTo(Map.of("a", "1", "b", "2"));
      assertThat(redis.rpush(k + "l", "a", "b")).isEqualTo(2);
      assertThat(redis.lrange(k + "l", 0, -1)).containsExactly("a", "b");
      assertThat(redis.sadd(k + "set", "a", "b")).isEqualTo(2);
      assertThat(redis.smembers(k + "set")).containsExactlyInAnyOrder("a", "b");
      assertThat(redis.zadd(k + "z", 1.5, "a")).isEqualTo(1);
      assertThat(redis.zrangeWithScores(k + "z", 0, -1))
          .containsExactly(ScoredValue.just(1.5, "a"));
      assertThat(redis.xadd(k + "x", Map.of("f", "v"))).contains("-");
      assertThat(redis.xrange(k + "x", io.lettuce.core.Range.unbounded()))
          .singleElement()
          .satisfies(message -> assertThat(message.getBody()).isEqualTo(Map.of("f", "v")));
      assertThat(redis.mset(Map.of(k + "1", "one", k + "2", "two"))).isEqualTo("OK");
      assertThat(redis.mget(k + "2", k + "0", k + "1"))
          .containsExactly(
              KeyValue.just(k + "2", "two"),
              KeyValue.empty(k + "0"),
              KeyValue.just(k + "1", "one"));
      assertThat(redis.del(k + "1", k + "2", k + "0")).isEqualTo(2);
      assertThatThrownBy(() -> redis.lpush(k + "s", "x")).hasMessageStartingWith("WRONGTYPE ");
    } finally {
      stop(client);
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
  void valuesOfAnySizeComeBackByteForByte(int size) {
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
