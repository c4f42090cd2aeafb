package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.UnixSocket;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.GeoCoordinate;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.GeoUnit;
import redis.clients.jedis.args.ListDirection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.params.GeoSearchParam;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.params.XAddParams;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.params.ZParams;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.resps.Tuple;

/** The scenarios with Jedis. */
final class JedisSuite extends ClientSuite {

  private final JedisSocketFactory sockets;
  private final JedisClientConfig config;
  private final RedisClient jedis;

  /**
   * @param host of the proxy, or the path of its Unix socket
   * @param port of the proxy; 0 for a Unix socket
   */
  JedisSuite(String host, int port, int protocol, @Nullable TestAuthority authority) {
    super("jedis" + protocol + ":");
    config =
        DefaultJedisClientConfig.builder()
            .protocol(protocol == 3 ? RedisProtocol.RESP3 : RedisProtocol.RESP2)
            .clientName("jedis-suite")
            .socketTimeoutMillis(20_000)
            .ssl(authority != null)
            .sslSocketFactory(authority == null ? null : authority.clients().getSocketFactory())
            .build();
    sockets =
        port == 0
            ? () -> unixSocket(host)
            : new DefaultJedisSocketFactory(new HostAndPort(host, port), config);
    jedis =
        RedisClient.builder()
            .clientConfig(config)
            .connectionProvider(
                new PooledConnectionProvider(new ConnectionFactory(sockets, config)))
            .build();
  }

  /** Jedis has no Unix sockets, but takes those of the application. */
  private static Socket unixSocket(String path) {
    try {
      return UnixSocket.connect(Path.of(path));
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }

  @Override
  public void close() {
    jedis.close();
  }

  private Jedis connection() {
    return new Jedis(sockets, config);
  }

  @Override
  void connect() {
    assertThat(jedis.ping()).isEqualTo("PONG");
    try (Jedis connection = connection()) {
      assertThat(connection.clientList()).containsPattern("name=jedis-suite .*lib-name=jedis");
    }
  }

  @Override
  void strings() {
    String k = p + "s";
    assertThat(jedis.set(k, "v", SetParams.setParams().ex(100))).isEqualTo("OK");
    assertThat(jedis.set(k, "w", SetParams.setParams().nx())).isNull();
    assertThat(jedis.setGet(k, "w", SetParams.setParams().xx())).isEqualTo("v");
    assertThat(jedis.get(k)).isEqualTo("w");
    assertThat(jedis.get(p + "none")).isNull();
    assertThat(jedis.setGet(k, "grüße")).isEqualTo("w");
    assertThat(jedis.get(k)).isEqualTo("grüße");
    assertThat(jedis.set(k, "ab")).isEqualTo("OK");
    assertThat(jedis.append(k, "cd")).isEqualTo(4);
    assertThat(jedis.getrange(k, 1, 2)).isEqualTo("bc");
    assertThat(jedis.incrBy(p + "n", 41)).isEqualTo(41);
    assertThat(jedis.incrByFloat(p + "n", 0.5)).isEqualTo(41.5);
    byte[] binary = new byte[256];
    for (int i = 0; i < binary.length; i++) {
      binary[i] = (byte) i;
    }
    byte[] key = (p + "b\0").getBytes(StandardCharsets.ISO_8859_1);
    assertThat(jedis.set(key, binary)).isEqualTo("OK");
    assertThat(jedis.get(key)).isEqualTo(binary);
  }

  @Override
  void keys() {
    String a = p + "{k}a";
    String b = p + "{k}b";
    jedis.set(a, "1");
    assertThat(jedis.exists(a)).isTrue();
    assertThat(jedis.expire(a, 100)).isEqualTo(1);
    assertThat(jedis.ttl(a)).isBetween(1L, 100L);
    assertThat(jedis.persist(a)).isEqualTo(1);
    assertThat(jedis.ttl(a)).isEqualTo(-1);
    assertThat(jedis.type(a)).isEqualTo("string");
    assertThat(jedis.rename(a, b)).isEqualTo("OK");
    assertThat(jedis.unlink(b, a)).isEqualTo(1);
  }

  @Override
  void severalKeys() {
    List<String> names = new ArrayList<>();
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      names.add(p + "m" + i);
      pairs.addAll(List.of(p + "m" + i, p + "m" + i));
    }
    assertThat(jedis.mset(pairs.toArray(new String[0]))).isEqualTo("OK");
    List<String> backwards = names.reversed();
    assertThat(jedis.mget(backwards.toArray(new String[0]))).isEqualTo(backwards);
    assertThat(jedis.mget(p + "none", p + "m7")).containsExactly(null, p + "m7");
    assertThat(jedis.exists(names.toArray(new String[0]))).isEqualTo(100);
    assertThat(jedis.del(names.toArray(new String[0]))).isEqualTo(100);
  }

  @Override
  void hashes() {
    String k = p + "h";
    assertThat(jedis.hset(k, Map.of("a", "1", "b", "2"))).isEqualTo(2);
    assertThat(jedis.hgetAll(k)).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(jedis.hmget(k, "b", "none", "a")).containsExactly("2", null, "1");
    assertThat(jedis.hincrBy(k, "a", 5)).isEqualTo(6);
    assertThat(jedis.hscan(k, "0").getResult())
        .containsExactlyInAnyOrder(Map.entry("a", "6"), Map.entry("b", "2"));
  }

  @Override
  void lists() {
    String a = p + "{l}a";
    assertThat(jedis.rpush(a, "1", "2", "3")).isEqualTo(3);
    assertThat(jedis.lrange(a, 0, -1)).containsExactly("1", "2", "3");
    assertThat(jedis.lpop(a)).isEqualTo("1");
    assertThat(jedis.lpop(a + "none", 2)).isNull();
    assertThat(jedis.lmove(a, p + "{l}b", ListDirection.LEFT, ListDirection.RIGHT)).isEqualTo("2");
  }

  @Override
  void sets() {
    String a = p + "{s}a";
    String b = p + "{s}b";
    assertThat(jedis.sadd(a, "1", "2")).isEqualTo(2);
    assertThat(jedis.sadd(b, "2", "3")).isEqualTo(2);
    assertThat(jedis.smembers(a)).containsExactlyInAnyOrder("1", "2");
    assertThat(jedis.smismember(a, "1", "9")).containsExactly(true, false);
    assertThat(jedis.sinter(a, b)).containsExactly("2");
  }

  @Override
  void zsets() {
    String a = p + "{z}a";
    String b = p + "{z}b";
    assertThat(jedis.zadd(a, Map.of("x", 1.0, "y", 2.5))).isEqualTo(2);
    assertThat(jedis.zscore(a, "y")).isEqualTo(2.5);
    assertThat(jedis.zscore(a, "none")).isNull();
    assertThat(jedis.zrangeWithScores(a, 0, -1))
        .containsExactly(new Tuple("x", 1.0), new Tuple("y", 2.5));
    assertThat(jedis.zincrby(a, 0.5, "x")).isEqualTo(1.5);
    jedis.zadd(b, 1, "x");
    assertThat(jedis.zunionWithScores(new ZParams(), a, b))
        .containsExactly(new Tuple("x", 2.5), new Tuple("y", 2.5));
  }

  @Override
  void streams() {
    String k = p + "x";
    var first = new StreamEntryID("1-1");
    var second = new StreamEntryID("2-1");
    assertThat(jedis.xadd(k, XAddParams.xAddParams().id(first), Map.of("f", "v"))).isEqualTo(first);
    assertThat(jedis.xadd(k, XAddParams.xAddParams().id(second), Map.of("f", "w")))
        .isEqualTo(second);
    assertThat(jedis.xrange(k, "-", "+"))
        .extracting(entry -> entry.getID() + "=" + entry.getFields())
        .containsExactly("1-1={f=v}", "2-1={f=w}");
    assertThat(jedis.xread(XReadParams.xReadParams(), Map.of(k, first)).getFirst().getValue())
        .extracting(entry -> entry.getID())
        .containsExactly(second);
    assertThat(jedis.xgroupCreate(k, "g", new StreamEntryID("0-0"), false)).isEqualTo("OK");
    var unread = Map.of(k, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY);
    var one = XReadGroupParams.xReadGroupParams().count(1);
    assertThat(jedis.xreadGroup("g", "c", one, unread).getFirst().getValue())
        .extracting(entry -> entry.getID())
        .containsExactly(first);
    assertThat(jedis.xpending(k, "g").getTotal()).isEqualTo(1);
    assertThat(jedis.xack(k, "g", first)).isEqualTo(1);
    assertThat(jedis.xinfoStream(k).getLength()).isEqualTo(2);
  }

  @Override
  void bitmaps() {
    String k = p + "bits";
    assertThat(jedis.setbit(k, 7, true)).isFalse();
    assertThat(jedis.getbit(k, 7)).isTrue();
    assertThat(jedis.bitcount(k)).isEqualTo(1);
    assertThat(jedis.bitfield(k, "SET", "u8", "0", "255", "GET", "u8", "0"))
        .containsExactly(1L, 255L);
  }

  @Override
  void geo() {
    String k = p + "geo";
    var palermo = new GeoCoordinate(13.361389, 38.115556);
    var catania = new GeoCoordinate(15.087269, 37.502669);
    assertThat(jedis.geoadd(k, Map.of("Palermo", palermo, "Catania", catania))).isEqualTo(2);
    assertThat(jedis.geodist(k, "Palermo", "Catania", GeoUnit.KM))
        .isCloseTo(166.2742, within(1e-3));
    assertThat(jedis.geopos(k, "none").getFirst()).isNull();
    assertThat(jedis.geopos(k, "Palermo").getFirst().getLongitude())
        .isCloseTo(13.361389, within(1e-4));
    var query = GeoSearchParam.geoSearchParam().fromLonLat(15, 37).byRadius(200, GeoUnit.KM).asc();
    assertThat(jedis.geosearch(k, query))
        .extracting(found -> found.getMemberByString())
        .containsExactly("Catania", "Palermo");
  }

  @Override
  void hyperLogLog() {
    String a = p + "{h}a";
    String b = p + "{h}b";
    assertThat(jedis.pfadd(a, "1", "2")).isEqualTo(1);
    assertThat(jedis.pfadd(b, "2", "3")).isEqualTo(1);
    assertThat(jedis.pfcount(a)).isEqualTo(2);
    assertThat(jedis.pfmerge(a, b)).isEqualTo("OK");
    assertThat(jedis.pfcount(a)).isEqualTo(3);
  }

  @Override
  void pipeline() {
    try (Pipeline pipeline = jedis.pipelined()) {
      List<Response<String>> replies = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        pipeline.set(p + "p" + i, "value " + i);
        replies.add(pipeline.get(p + "p" + i));
      }
      Response<Long> wrong = pipeline.lpush(p + "p0", "x");
      pipeline.sync();
      for (int i = 0; i < 500; i++) {
        assertThat(replies.get(i).get()).isEqualTo("value " + i);
      }
      assertThatThrownBy(wrong::get).hasMessageStartingWith("WRONGTYPE ");
    }
  }

  @Override
  void big() {
    byte[] value = "0123456789abcdef".repeat(BIG / 16).getBytes(StandardCharsets.US_ASCII);
    byte[] key = (p + "big").getBytes(StandardCharsets.US_ASCII);
    assertThat(jedis.set(key, value)).isEqualTo("OK");
    assertThat(jedis.get(key)).isEqualTo(value);
    assertThat(jedis.del(key)).isEqualTo(1);
  }

  @Override
  void errors() {
    jedis.set(p + "e", "v");
    fails("WRONGTYPE ", () -> jedis.lpush(p + "e", "x"));
    try (Jedis connection = connection()) {
      fails(
          "ERR unknown command 'NOSUCH'",
          () -> connection.sendCommand(() -> Wire.bytes("NOSUCH"), "x"));
    }
    fails("ERR mine", () -> jedis.eval("return redis.error_reply('mine')"));
    assertThat(jedis.get(p + "e")).isEqualTo("v");
  }

  private static void fails(String prefix, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(JedisDataException.class)
        .hasMessageStartingWith(prefix);
  }

  @Override
  void scripts() {
    assertThat(jedis.eval("return {KEYS[1], ARGV[1]}", List.of(p + "k"), List.of("a")))
        .isEqualTo(List.of(p + "k", "a"));
    try (Jedis connection = connection()) {
      String sha = connection.scriptLoad("return ARGV[1]");
      for (int i = 0; i < 20; i++) {
        assertThat(jedis.evalsha(sha, List.of(p + "k" + i), List.of("x"))).isEqualTo("x");
      }
      assertThat(connection.scriptExists(sha)).isTrue();
    }
    assertThatThrownBy(() -> jedis.evalsha("0".repeat(40)))
        .isInstanceOf(JedisNoScriptException.class);
  }

  @Override
  void scan() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      names.add(p + "scan:" + i);
      jedis.set(p + "scan:" + i, "");
    }
    Set<String> found = new HashSet<>();
    ScanIteration iteration = jedis.scanIteration(20, p + "scan:*");
    while (!iteration.isIterationCompleted()) {
      found.addAll(iteration.nextBatchList());
    }
    assertThat(found).isEqualTo(names);
    jedis.del(names.toArray(new String[0]));
  }

  @Override
  void server() {
    assertThat(jedis.dbSize()).isPositive();
    assertThat(jedis.info()).contains("redis_version:");
    try (Jedis connection = connection()) {
      assertThat(connection.configGet("maxmemory")).containsKey("maxmemory");
      assertThat(connection.time()).hasSize(2);
      assertThat(connection.commandCount()).isGreaterThan(200);
    }
  }

  @Override
  void transaction() {
    String a = p + "{t}a";
    String b = p + "{t}b";
    try (AbstractTransaction transaction = jedis.multi()) {
      transaction.set(a, "1");
      Response<Long> incremented = transaction.incr(a);
      transaction.hset(b, "f", "v");
      Response<Map<String, String>> all = transaction.hgetAll(b);
      assertThat(transaction.exec()).hasSize(4);
      assertThat(incremented.get()).isEqualTo(2);
      assertThat(all.get()).isEqualTo(new HashMap<>(Map.of("f", "v")));
    }
    try (AbstractTransaction transaction = jedis.multi()) {
      transaction.set(a, "x");
      Response<Long> wrong = transaction.incr(a);
      transaction.exec();
      assertThatThrownBy(wrong::get).isInstanceOf(JedisDataException.class);
    }
  }

  @Override
  void slots() {
    jedis.set(p + "e", "v");
    fails("CROSSSLOT ", () -> jedis.rename(p + "e", p + "f"));
    try (AbstractTransaction transaction = jedis.multi()) {
      transaction.set(p + "one", "1");
      transaction.set(p + "two", "2");
      assertThatThrownBy(transaction::exec).isInstanceOf(JedisDataException.class);
    }
    assertThat(jedis.get(p + "one")).isNull();
  }

  @Override
  void watch() {
    String k = p + "w";
    jedis.set(k, "1");
    try (AbstractTransaction transaction = jedis.transaction(false)) {
      transaction.watch(k);
      jedis.set(k, "2");
      transaction.multi();
      transaction.set(k, "3");
      assertThat(transaction.exec()).isNull();
    }
    try (AbstractTransaction transaction = jedis.transaction(false)) {
      transaction.watch(k);
      transaction.multi();
      transaction.set(k, "4");
      assertThat(transaction.exec()).containsExactly("OK");
    }
    assertThat(jedis.get(k)).isEqualTo("4");
  }

  @Override
  void blocking() throws Exception {
    String k = p + "q";
    CompletableFuture<List<String>> popped =
        CompletableFuture.supplyAsync(() -> jedis.blpop(10, k));
    for (int i = 0; i < 50; i++) {
      assertThat(jedis.get(p + "none")).isNull();
    }
    jedis.rpush(k, "x");
    assertThat(popped.get(15, TimeUnit.SECONDS)).containsExactly(k, "x");
    assertThat(jedis.blpop(0.05, k)).isNull();
  }

  @Override
  void pubsub() throws InterruptedException {
    var listener = new Listener();
    Thread thread = Thread.ofVirtual().start(() -> listen(listener));
    assertThat(next()).isEqualTo("subscribed " + p + "c");
    listener.psubscribe(p + "p*");
    assertThat(next()).isEqualTo("subscribed " + p + "p*");
    assertThat(jedis.publish(p + "c", "hello")).isEqualTo(1);
    assertThat(next()).isEqualTo(p + "c: hello");
    assertThat(jedis.publish(p + "px", "pattern")).isEqualTo(1);
    assertThat(next()).isEqualTo(p + "p* " + p + "px: pattern");
    listener.unsubscribe();
    listener.punsubscribe();
    assertThat(thread.join(Duration.ofSeconds(10))).isTrue();
  }

  private void listen(Listener listener) {
    try (Jedis connection = connection()) {
      connection.subscribe(listener, p + "c");
    }
  }

  private final class Listener extends JedisPubSub {

    @Override
    public void onSubscribe(String channel, int count) {
      onEvent("subscribed " + channel);
    }

    @Override
    public void onPSubscribe(String pattern, int count) {
      onEvent("subscribed " + pattern);
    }

    @Override
    public void onMessage(String channel, String message) {
      onEvent(channel + ": " + message);
    }

    @Override
    public void onPMessage(String pattern, String channel, String message) {
      onEvent(pattern + " " + channel + ": " + message);
    }
  }
}
