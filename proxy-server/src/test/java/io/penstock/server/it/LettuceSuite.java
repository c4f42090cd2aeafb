package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.lettuce.core.BitFieldArgs;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.Consumer;
import io.lettuce.core.GeoArgs;
import io.lettuce.core.GeoCoordinates;
import io.lettuce.core.GeoSearch;
import io.lettuce.core.KeyScanArgs;
import io.lettuce.core.KeyValue;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The scenarios with Lettuce. */
final class LettuceSuite extends ClientSuite {

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;

  private static RedisURI.Builder server(String host, int port) {
    return port == 0
        ? RedisURI.Builder.socket(host)
        : RedisURI.builder().withHost(host).withPort(port);
  }

  /**
   * @param host of the proxy, or the path of its Unix socket
   * @param port of the proxy; 0 for a Unix socket
   */
  LettuceSuite(String host, int port, int protocol, @Nullable TestAuthority authority) {
    super("lettuce" + protocol + ":");
    client =
        RedisClient.create(
            server(host, port)
                .withSsl(authority != null)
                .withTimeout(Duration.ofSeconds(20))
                .withClientName("lettuce-suite")
                .build());
    ClientOptions.Builder options =
        ClientOptions.builder()
            .protocolVersion(protocol == 3 ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2);
    if (authority != null) {
      options.sslOptions(
          SslOptions.builder().jdkSslProvider().trustManager(authority.trust()).build());
    }
    client.setOptions(options.build());
    connection = client.connect();
    redis = connection.sync();
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 5, TimeUnit.SECONDS);
  }

  @Override
  void connect() {
    assertThat(redis.ping()).isEqualTo("PONG");
    assertThat(redis.clientList()).containsPattern("name=lettuce-suite .*lib-name=[Ll]ettuce");
  }

  @Override
  void strings() {
    String k = p + "s";
    assertThat(redis.set(k, "v", SetArgs.Builder.ex(100))).isEqualTo("OK");
    assertThat(redis.set(k, "w", SetArgs.Builder.nx())).isNull();
    assertThat(redis.setGet(k, "w", SetArgs.Builder.xx())).isEqualTo("v");
    assertThat(redis.get(k)).isEqualTo("w");
    assertThat(redis.get(p + "none")).isNull();
    assertThat(redis.getset(k, "grüße")).isEqualTo("w");
    assertThat(redis.get(k)).isEqualTo("grüße");
    assertThat(redis.set(k, "ab")).isEqualTo("OK");
    assertThat(redis.append(k, "cd")).isEqualTo(4);
    assertThat(redis.getrange(k, 1, 2)).isEqualTo("bc");
    assertThat(redis.incrby(p + "n", 41)).isEqualTo(41);
    assertThat(redis.incrbyfloat(p + "n", 0.5)).isEqualTo(41.5);
    byte[] binary = new byte[256];
    for (int i = 0; i < binary.length; i++) {
      binary[i] = (byte) i;
    }
    byte[] key = (p + "b\0").getBytes(StandardCharsets.ISO_8859_1);
    try (var bytes = client.connect(ByteArrayCodec.INSTANCE)) {
      assertThat(bytes.sync().set(key, binary)).isEqualTo("OK");
      assertThat(bytes.sync().get(key)).isEqualTo(binary);
    }
  }

  @Override
  void keys() {
    String a = p + "{k}a";
    String b = p + "{k}b";
    redis.set(a, "1");
    assertThat(redis.exists(a)).isEqualTo(1);
    assertThat(redis.expire(a, 100)).isTrue();
    assertThat(redis.ttl(a)).isBetween(1L, 100L);
    assertThat(redis.persist(a)).isTrue();
    assertThat(redis.ttl(a)).isEqualTo(-1);
    assertThat(redis.type(a)).isEqualTo("string");
    assertThat(redis.rename(a, b)).isEqualTo("OK");
    assertThat(redis.unlink(b, a)).isEqualTo(1);
  }

  @Override
  void severalKeys() {
    Map<String, String> values = new HashMap<>();
    List<KeyValue<String, String>> backwards = new ArrayList<>();
    for (int i = 99; i >= 0; i--) {
      values.put(p + "m" + i, "value " + i);
      backwards.add(KeyValue.just(p + "m" + i, "value " + i));
    }
    backwards.add(KeyValue.empty(p + "none"));
    assertThat(redis.mset(values)).isEqualTo("OK");
    String[] names = backwards.stream().map(KeyValue::getKey).toArray(String[]::new);
    assertThat(redis.mget(names)).isEqualTo(backwards);
    assertThat(redis.exists(names)).isEqualTo(100);
    assertThat(redis.del(names)).isEqualTo(100);
  }

  @Override
  void hashes() {
    String k = p + "h";
    assertThat(redis.hset(k, Map.of("a", "1", "b", "2"))).isEqualTo(2);
    assertThat(redis.hgetall(k)).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(redis.hmget(k, "b", "none", "a"))
        .containsExactly(KeyValue.just("b", "2"), KeyValue.empty("none"), KeyValue.just("a", "1"));
    assertThat(redis.hincrby(k, "a", 5)).isEqualTo(6);
    assertThat(redis.hscan(k).getMap()).isEqualTo(Map.of("a", "6", "b", "2"));
  }

  @Override
  void lists() {
    String a = p + "{l}a";
    assertThat(redis.rpush(a, "1", "2", "3")).isEqualTo(3);
    assertThat(redis.lrange(a, 0, -1)).containsExactly("1", "2", "3");
    assertThat(redis.lpop(a)).isEqualTo("1");
    assertThat(redis.lpop(a + "none", 2)).isEmpty();
    assertThat(redis.lmove(a, p + "{l}b", LMoveArgs.Builder.leftRight())).isEqualTo("2");
  }

  @Override
  void sets() {
    String a = p + "{s}a";
    String b = p + "{s}b";
    assertThat(redis.sadd(a, "1", "2")).isEqualTo(2);
    assertThat(redis.sadd(b, "2", "3")).isEqualTo(2);
    assertThat(redis.smembers(a)).containsExactlyInAnyOrder("1", "2");
    assertThat(redis.smismember(a, "1", "9")).containsExactly(true, false);
    assertThat(redis.sinter(a, b)).containsExactly("2");
  }

  @Override
  void zsets() {
    String a = p + "{z}a";
    String b = p + "{z}b";
    assertThat(redis.zadd(a, 1.0, "x", 2.5, "y")).isEqualTo(2);
    assertThat(redis.zscore(a, "y")).isEqualTo(2.5);
    assertThat(redis.zscore(a, "none")).isNull();
    assertThat(redis.zrangeWithScores(a, 0, -1))
        .containsExactly(ScoredValue.just(1, "x"), ScoredValue.just(2.5, "y"));
    assertThat(redis.zincrby(a, 0.5, "x")).isEqualTo(1.5);
    redis.zadd(b, 1, "x");
    assertThat(redis.zunionWithScores(a, b))
        .containsExactly(ScoredValue.just(2.5, "x"), ScoredValue.just(2.5, "y"));
  }

  @SuppressWarnings("unchecked") // varargs of StreamOffset<String>
  @Override
  void streams() {
    String k = p + "x";
    assertThat(redis.xadd(k, new XAddArgs().id("1-1"), Map.of("f", "v"))).isEqualTo("1-1");
    assertThat(redis.xadd(k, new XAddArgs().id("2-1"), Map.of("f", "w"))).isEqualTo("2-1");
    assertThat(redis.xrange(k, Range.unbounded()))
        .extracting(StreamMessage::getBody)
        .containsExactly(Map.of("f", "v"), Map.of("f", "w"));
    assertThat(redis.xread(XReadArgs.StreamOffset.from(k, "1-1")))
        .extracting(StreamMessage::getId)
        .containsExactly("2-1");
    assertThat(redis.xgroupCreate(XReadArgs.StreamOffset.from(k, "0"), "g")).isEqualTo("OK");
    assertThat(
            redis.xreadgroup(
                Consumer.from("g", "c"),
                XReadArgs.Builder.count(1),
                XReadArgs.StreamOffset.lastConsumed(k)))
        .extracting(StreamMessage::getId)
        .containsExactly("1-1");
    assertThat(redis.xpending(k, "g").getCount()).isEqualTo(1);
    assertThat(redis.xack(k, "g", "1-1")).isEqualTo(1);
    assertThat(redis.xinfoStream(k)).contains("last-generated-id");
  }

  @Override
  void bitmaps() {
    String k = p + "bits";
    assertThat(redis.setbit(k, 7, 1)).isZero();
    assertThat(redis.getbit(k, 7)).isEqualTo(1);
    assertThat(redis.bitcount(k)).isEqualTo(1);
    var u8 = BitFieldArgs.unsigned(8);
    assertThat(redis.bitfield(k, BitFieldArgs.Builder.set(u8, 0, 255).get(u8, 0)))
        .containsExactly(1L, 255L);
  }

  @Override
  void geo() {
    String k = p + "geo";
    assertThat(redis.geoadd(k, 13.361389, 38.115556, "Palermo")).isEqualTo(1);
    assertThat(redis.geoadd(k, 15.087269, 37.502669, "Catania")).isEqualTo(1);
    assertThat(redis.geodist(k, "Palermo", "Catania", GeoArgs.Unit.km))
        .isCloseTo(166.2742, within(1e-3));
    List<GeoCoordinates> positions = redis.geopos(k, "none", "Palermo");
    assertThat(positions.getFirst()).isNull();
    assertThat(positions.getLast().getX().doubleValue()).isCloseTo(13.361389, within(1e-4));
    assertThat(
            redis.geosearch(
                k,
                GeoSearch.fromCoordinates(15, 37),
                GeoSearch.byRadius(200, GeoArgs.Unit.km),
                GeoArgs.Builder.distance().asc()))
        .extracting(found -> found.getMember())
        .containsExactly("Catania", "Palermo");
  }

  @Override
  void hyperLogLog() {
    String a = p + "{h}a";
    String b = p + "{h}b";
    assertThat(redis.pfadd(a, "1", "2")).isEqualTo(1);
    assertThat(redis.pfadd(b, "2", "3")).isEqualTo(1);
    assertThat(redis.pfcount(a)).isEqualTo(2);
    assertThat(redis.pfmerge(a, b)).isEqualTo("OK");
    assertThat(redis.pfcount(a)).isEqualTo(3);
  }

  @Override
  void pipeline() throws Exception {
    RedisAsyncCommands<String, String> async = connection.async();
    List<RedisFuture<String>> replies = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      async.set(p + "p" + i, "value " + i);
      replies.add(async.get(p + "p" + i));
    }
    RedisFuture<Long> wrong = async.lpush(p + "p0", "x");
    for (int i = 0; i < 500; i++) {
      assertThat(replies.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("value " + i);
    }
    assertThatThrownBy(() -> wrong.get(20, TimeUnit.SECONDS)).hasMessageContaining("WRONGTYPE ");
  }

  @Override
  void big() {
    String value = "0123456789abcdef".repeat(BIG / 16);
    assertThat(redis.set(p + "big", value)).isEqualTo("OK");
    assertThat(redis.get(p + "big").equals(value)).isTrue();
    assertThat(redis.del(p + "big")).isEqualTo(1);
  }

  @Override
  void errors() {
    redis.set(p + "e", "v");
    fails("WRONGTYPE ", () -> redis.lpush(p + "e", "x"));
    fails("ERR unknown command 'NOSUCH'", this::unknown);
    fails(
        "ERR mine", () -> redis.eval("return redis.error_reply('mine')", ScriptOutputType.STATUS));
    assertThat(redis.get(p + "e")).isEqualTo("v");
  }

  private void unknown() {
    ProtocolKeyword name = () -> Wire.bytes("NOSUCH");
    redis.dispatch(
        name, new StatusOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8).add("x"));
  }

  private static void fails(String prefix, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessageStartingWith(prefix);
  }

  @Override
  void scripts() {
    List<Object> both =
        redis.eval(
            "return {KEYS[1], ARGV[1]}", ScriptOutputType.MULTI, new String[] {p + "k"}, "a");
    assertThat(both).containsExactly(p + "k", "a");
    String sha = redis.scriptLoad("return ARGV[1]");
    for (int i = 0; i < 20; i++) {
      String value = redis.evalsha(sha, ScriptOutputType.VALUE, new String[] {p + "k" + i}, "x");
      assertThat(value).isEqualTo("x");
    }
    assertThat(redis.scriptExists(sha)).containsExactly(true);
    assertThatThrownBy(() -> redis.evalsha("0".repeat(40), ScriptOutputType.VALUE))
        .isInstanceOf(RedisNoScriptException.class);
  }

  @Override
  void scan() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      names.add(p + "scan:" + i);
      redis.set(p + "scan:" + i, "");
    }
    Set<String> found = new HashSet<>();
    ScanIterator.scan(redis, KeyScanArgs.Builder.matches(p + "scan:*").limit(20))
        .forEachRemaining(found::add);
    assertThat(found).isEqualTo(names);
    redis.del(names.toArray(new String[0]));
  }

  @Override
  void server() {
    assertThat(redis.dbsize()).isPositive();
    assertThat(redis.info()).contains("redis_version:");
    assertThat(redis.configGet("maxmemory")).containsKey("maxmemory");
    assertThat(redis.time()).hasSize(2);
    assertThat(redis.commandCount()).isGreaterThan(200);
  }

  @Override
  void transaction() {
    String a = p + "{t}a";
    redis.multi();
    redis.set(a, "1");
    redis.incr(a);
    redis.hset(p + "{t}b", "f", "v");
    redis.hgetall(p + "{t}b");
    TransactionResult result = redis.exec();
    assertThat(result).containsExactly("OK", 2L, true, Map.of("f", "v"));
    redis.multi();
    redis.set(a, "x");
    redis.incr(a);
    Object wrong = redis.exec().get(1);
    assertThat(wrong).isInstanceOf(RedisCommandExecutionException.class);
  }

  @Override
  void slots() {
    redis.set(p + "e", "v");
    fails("CROSSSLOT ", () -> redis.rename(p + "e", p + "f"));
    redis.multi();
    redis.set(p + "one", "1");
    assertThatThrownBy(
            () -> {
              redis.set(p + "two", "2");
              redis.exec();
            })
        .isInstanceOf(RedisCommandExecutionException.class);
    assertThat(redis.get(p + "one")).isNull();
  }

  @Override
  void watch() {
    String k = p + "w";
    redis.set(k, "1");
    try (var own = client.connect()) {
      var watching = own.sync();
      watching.watch(k);
      redis.set(k, "2");
      watching.multi();
      watching.set(k, "3");
      assertThat(watching.exec().wasDiscarded()).isTrue();
      watching.watch(k);
      assertThat(watching.get(k)).isEqualTo("2");
      watching.multi();
      watching.set(k, "4");
      assertThat(watching.exec()).containsExactly("OK");
    }
    assertThat(redis.get(k)).isEqualTo("4");
  }

  @Override
  void blocking() throws Exception {
    String k = p + "q";
    try (var own = client.connect()) {
      RedisFuture<KeyValue<String, String>> popped = own.async().blpop(10, k);
      for (int i = 0; i < 50; i++) {
        assertThat(redis.get(p + "none")).isNull();
      }
      redis.rpush(k, "x");
      assertThat(popped.get(15, TimeUnit.SECONDS)).isEqualTo(KeyValue.just(k, "x"));
      assertThat(own.sync().blpop(0.05, k)).isNull();
    }
  }

  @Override
  void pubsub() throws InterruptedException {
    try (StatefulRedisPubSubConnection<String, String> own = client.connectPubSub()) {
      own.addListener(new Recorder());
      own.sync().subscribe(p + "c");
      own.sync().psubscribe(p + "p*");
      assertThat(next()).isEqualTo("subscribed " + p + "c");
      assertThat(next()).isEqualTo("subscribed " + p + "p*");
      assertThat(redis.publish(p + "c", "hello")).isEqualTo(1);
      assertThat(next()).isEqualTo(p + "c: hello");
      assertThat(redis.publish(p + "px", "pattern")).isEqualTo(1);
      assertThat(next()).isEqualTo(p + "p* " + p + "px: pattern");
      own.sync().unsubscribe(p + "c");
      assertThat(next()).isEqualTo("unsubscribed " + p + "c");
    }
  }

  private final class Recorder extends RedisPubSubAdapter<String, String> {

    @Override
    public void subscribed(String channel, long count) {
      onEvent("subscribed " + channel);
    }

    @Override
    public void psubscribed(String pattern, long count) {
      onEvent("subscribed " + pattern);
    }

    @Override
    public void unsubscribed(String channel, long count) {
      onEvent("unsubscribed " + channel);
    }

    @Override
    public void message(String channel, String message) {
      onEvent(channel + ": " + message);
    }

    @Override
    public void message(String pattern, String channel, String message) {
      onEvent(pattern + " " + channel + ": " + message);
    }
  }
}
