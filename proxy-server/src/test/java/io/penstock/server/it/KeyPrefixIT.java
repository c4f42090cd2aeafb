package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user with a key prefix, at servers that have keys and channels of others. */
class KeyPrefixIT {

  /** What the keys and channels of others are called. */
  private static final String SECRET = "secret";

  /** What the keys of others hold, and some are called: no client with a prefix sends it. */
  private static final String HIDDEN = "hidden";

  /** These end the connection or its replies, or make it or others wait; failed logins do. */
  private static final Set<LocalCommand> DISTURBING =
      Set.of(
          LocalCommand.AUTH,
          LocalCommand.QUIT,
          LocalCommand.MULTI,
          LocalCommand.CLIENT_REPLY,
          LocalCommand.CLIENT_PAUSE,
          LocalCommand.CLIENT_KILL,
          LocalCommand.WAIT,
          LocalCommand.WAITAOF);

  private static final String APP = "app";
  private static final String ALL = "all";
  private static final String COUNTS = "counts";
  private static final String SCRIPTS = "scripts";

  private static final UsersSettings USERS =
      PrefixedUsers.of(
          Map.of(
              APP, new Prefix("app:", false, false, false),
              ALL, new Prefix("app:", true, false, true),
              COUNTS, new Prefix("app:", false, false, true),
              SCRIPTS, new Prefix("{app}:", false, true, false)));

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture ofCluster;

  @SuppressWarnings("NullAway.Init")
  private static RespClient direct;

  @BeforeAll
  static void start() {
    server = ServerProcess.builder().option("notify-keyspace-events", "KEA").start();
    cluster = EmbeddedCluster.builder().masters(3).start();
    proxy =
        ProxyFixture.of(server)
            .commands(
                CommandRules.of(
                    List.of("acl", "config", "debug", "migrate", "module", "pfdebug", "save"),
                    List.of()))
            .users(USERS)
            .startReady();
    ofCluster = ProxyFixture.of(cluster).users(USERS).startReady();
    direct = server.connect();
  }

  @AfterAll
  static void stop() {
    direct.close();
    proxy.close();
    ofCluster.close();
    server.close();
    cluster.close();
  }

  @BeforeEach
  void clean() {
    direct.call("FLUSHALL");
    for (String type : List.of("SET", "RPUSH", "SADD")) {
      direct.call(type, SECRET + "-" + type, HIDDEN);
      direct.call(type, HIDDEN + "-" + type, HIDDEN);
    }
    direct.call("XADD", SECRET + "-stream", "1-1", HIDDEN, HIDDEN);
    direct.call("ZADD", SECRET + "-zset", "1", HIDDEN);
    direct.call("HSET", SECRET + "-hash", HIDDEN, HIDDEN);
    direct.call(
        "FUNCTION",
        "LOAD",
        "REPLACE",
        "#!lua name=hidden\nredis.register_function('f', function() return 1 end)");
  }

  private static RespClient client(String user) {
    return PrefixedUsers.connect(proxy, user, 2);
  }

  private static void awaitBlocked(int clients) {
    await().until(() -> direct.text("INFO", "clients").contains("blocked_clients:" + clients));
  }

  private static Set<String> texts(String reply) {
    return new TreeSet<>(Reply.parse(reply).elements().stream().map(Reply::text).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void blockedCallsNameTheirKeyWithoutThePrefix(int protocol) {
    try (RespClient client = PrefixedUsers.connect(proxy, APP, protocol);
        RespClient pusher = client(APP)) {
      client.send("BLPOP", "a", "b", "0");
      awaitBlocked(1);
      pusher.call("RPUSH", "a", "app:x");
      assertThat(client.read()).isEqualTo("*2\r\n" + Wire.bulk("a") + Wire.bulk("app:x"));

      client.send("BZMPOP", "0", "2", "y", "z", "MIN");
      awaitBlocked(1);
      pusher.call("ZADD", "z", "1", "m");
      assertThat(client.read()).startsWith("*2\r\n" + Wire.bulk("z") + "*1\r\n*2\r\n");

      client.send("XREAD", "BLOCK", "0", "STREAMS", "s", "t", "$", "$");
      awaitBlocked(1);
      pusher.call("XADD", "t", "1-1", "f", "v");
      String entries =
          "*1\r\n*2\r\n" + Wire.bulk("1-1") + "*2\r\n" + Wire.bulk("f") + Wire.bulk("v");
      assertThat(client.read())
          .isEqualTo((protocol == 2 ? "*1\r\n*2\r\n" : "%1\r\n") + Wire.bulk("t") + entries);
    }
  }

  @Test
  void aBlockedClientThatLeavesLosesNoElement() {
    try (RespClient pusher = client(APP)) {
      RespClient client = client(APP);
      client.send("BLPOP", "k", "0");
      awaitBlocked(1);
      client.close();
      awaitBlocked(0);
      pusher.call("RPUSH", "k", "x");
      assertThat(pusher.call("LRANGE", "k", "0", "-1")).isEqualTo("*1\r\n" + Wire.bulk("x"));
    }
    assertThat(direct.call("LLEN", "app:k")).isEqualTo(":1\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void transactionsHaveAllKindsOfReplies(int protocol) {
    try (RespClient client = PrefixedUsers.connect(proxy, ALL, protocol)) {
      client.call("WATCH", "w");
      client.call("MULTI");
      client.call("RPUSH", "l", "app:e");
      client.call("CLIENT", "GETNAME");
      client.call("LMPOP", "1", "l", "LEFT");
      client.call("DBSIZE");
      client.call("SET", "k", "v");
      client.call("KEYS", "*");
      client.call("SELECT", "0");
      client.call("DBSIZE");
      client.call("XREADGROUP", "GROUP", "app:g", "c", "STREAMS", "none", ">");
      String nil = protocol == 2 ? "$-1\r\n" : "_\r\n";
      assertThat(client.call("EXEC"))
          .isEqualTo(
              "*9\r\n:1\r\n"
                  + nil
                  + "*2\r\n"
                  + Wire.bulk("l")
                  + "*1\r\n"
                  + Wire.bulk("app:e")
                  + ":0\r\n+OK\r\n*1\r\n"
                  + Wire.bulk("k")
                  + "+OK\r\n:1\r\n-NOGROUP No such key 'none' or consumer group 'app:g' in"
                  + " XREADGROUP with GROUP option\r\n");
    }
  }

  @Test
  void aWatchedKeyOfAnotherUserDoesNotMatter() {
    try (RespClient client = client(APP)) {
      client.call("WATCH", "k");
      direct.call("SET", "k", "1");
      client.call("MULTI");
      client.call("GET", "k");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n$-1\r\n");

      client.call("WATCH", "k");
      direct.call("SET", "app:k", "1");
      client.call("MULTI");
      client.call("GET", "k");
      assertThat(client.call("EXEC")).isEqualTo("*-1\r\n");
    }
  }

  @Test
  void aRejectedCommandAbortsTheTransaction() {
    try (RespClient client = client(APP)) {
      client.call("MULTI");
      assertThat(client.call("FLUSHALL")).startsWith("-NOPERM FLUSHALL is not permitted to users");
      assertThat(client.call("EXEC")).startsWith("-EXECABORT ");
    }
  }

  @Test
  void errorsQuoteKeysWithoutThePrefix() {
    try (RespClient client = client(APP)) {
      assertThat(client.call("XPENDING", "s", "app:g"))
          .isEqualTo("-NOGROUP No such key 's' or consumer group 'app:g'\r\n");
      client.call("XADD", "s", "1-1", "f", "v");
      assertThat(client.call("XINFO", "CONSUMERS", "s", "app:g"))
          .isEqualTo("-NOGROUP No such consumer group 'app:g' for key name 's'\r\n");
      assertThat(client.call("XGROUP", "SETID", "s", "app:g", "0"))
          .isEqualTo("-NOGROUP No such consumer group 'app:g' for key name 's'\r\n");
    }
  }

  @Test
  void everyDatabaseHasThePrefix() {
    try (RespClient client = client(APP)) {
      client.call("SELECT", "3");
      client.call("SET", "k", "v");
      assertThat(client.call("MOVE", "k", "4")).isEqualTo(":1\r\n");
      client.call("SELECT", "4");
      assertThat(client.call("COPY", "k", "c", "DB", "5")).isEqualTo(":1\r\n");
    }
    direct.call("SELECT", "5");
    assertThat(direct.call("GET", "app:c")).isEqualTo(Wire.bulk("v"));
    direct.call("SELECT", "0");
  }

  @Test
  void scanOfAClusterFindsTheKeysOfAllShards() {
    try (RespClient client = PrefixedUsers.connect(ofCluster, COUNTS, 2);
        RespClient others = ofCluster.connect()) {
      Set<String> expected = new TreeSet<>();
      for (int i = 0; i < 300; i++) {
        client.call("SET", "k" + i, "v");
        others.call("SET", SECRET + i, "v");
        expected.add("k" + i);
      }
      Set<String> found = new TreeSet<>();
      String cursor = "0";
      do {
        Reply page = Reply.parse(client.call("SCAN", cursor, "COUNT", "50"));
        cursor = page.elements().get(0).text();
        page.elements().get(1).elements().forEach(key -> found.add(key.text()));
      } while (!cursor.equals("0"));
      assertThat(found).isEqualTo(expected);
      assertThat(texts(client.call("KEYS", "*"))).isEqualTo(expected);
      assertThat(client.call("DBSIZE")).isEqualTo(":300\r\n");
      assertThat(client.call("MGET", "k1", "k2", SECRET + "1"))
          .isEqualTo("*3\r\n" + Wire.bulk("v") + Wire.bulk("v") + "$-1\r\n");
    }
  }

  @Test
  void aHashTagPutsAllKeysIntoOneSlot() {
    try (RespClient client = PrefixedUsers.connect(ofCluster, SCRIPTS, 2)) {
      assertThat(client.call("MSETNX", "a", "1", "b", "2")).isEqualTo(":1\r\n");
      client.call("MULTI");
      client.call("INCR", "a");
      client.call("INCR", "b");
      assertThat(client.call("EXEC")).isEqualTo("*2\r\n:2\r\n:3\r\n");
      assertThat(client.call("EVAL", "return redis.call('GET', KEYS[1])..KEYS[2]", "2", "a", "b"))
          .isEqualTo(Wire.bulk("2{app}:b"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void channelsHaveThePrefixToo(int protocol) {
    String push = protocol == 2 ? "*" : ">";
    try (RespClient client = PrefixedUsers.connect(proxy, ALL, protocol);
        RespClient publisher = client(ALL);
        RespClient others = proxy.connect()) {
      assertThat(client.call("SUBSCRIBE", "news"))
          .isEqualTo(push + "3\r\n" + Wire.bulk("subscribe") + Wire.bulk("news") + ":1\r\n");
      assertThat(client.call("PSUBSCRIBE", "n*"))
          .isEqualTo(push + "3\r\n" + Wire.bulk("psubscribe") + Wire.bulk("n*") + ":2\r\n");
      assertThat(others.call("PUBLISH", "news", SECRET)).isEqualTo(":0\r\n");
      assertThat(publisher.call("PUBLISH", "news", "app:m")).isEqualTo(":2\r\n");
      assertThat(client.read())
          .isEqualTo(
              push + "3\r\n" + Wire.bulk("message") + Wire.bulk("news") + Wire.bulk("app:m"));
      assertThat(client.read())
          .isEqualTo(
              push
                  + "4\r\n"
                  + Wire.bulk("pmessage")
                  + Wire.bulk("n*")
                  + Wire.bulk("news")
                  + Wire.bulk("app:m"));
      assertThat(publisher.call("PUBSUB", "CHANNELS")).isEqualTo("*1\r\n" + Wire.bulk("news"));
      assertThat(publisher.call("PUBSUB", "NUMSUB", "news", "none"))
          .isEqualTo("*4\r\n" + Wire.bulk("news") + ":1\r\n" + Wire.bulk("none") + ":0\r\n");
      assertThat(client.call("UNSUBSCRIBE"))
          .isEqualTo(push + "3\r\n" + Wire.bulk("unsubscribe") + Wire.bulk("news") + ":1\r\n");
      assertThat(client.call("PUNSUBSCRIBE", "n*"))
          .isEqualTo(push + "3\r\n" + Wire.bulk("punsubscribe") + Wire.bulk("n*") + ":0\r\n");
    }
  }

  @Test
  void subscriptionsInATransactionHaveNoPrefix() {
    try (RespClient client = client(ALL)) {
      client.call("MULTI");
      client.call("SUBSCRIBE", "a", "b");
      client.call("SET", "k", "v");
      client.call("KEYS", "*");
      String confirmation = "*3\r\n" + Wire.bulk("subscribe");
      assertThat(client.call("EXEC")) // EXEC does not count the second confirmation
          .isEqualTo(
              "*3\r\n"
                  + (confirmation + Wire.bulk("a") + ":1\r\n")
                  + (confirmation + Wire.bulk("b") + ":2\r\n")
                  + "+OK\r\n");
      assertThat(client.read()).isEqualTo("*1\r\n" + Wire.bulk("k"));
    }
  }

  @Test
  void keyspaceNotificationsDoNotTellOfOthers() {
    try (RespClient client = client(ALL);
        RespClient shared = client(APP)) {
      client.call("PSUBSCRIBE", "*");
      direct.call("SET", SECRET, "1");
      assertThat(shared.call("PSUBSCRIBE", "*")).startsWith("-NOPERM ");
      assertThat(shared.call("SUBSCRIBE", "__keyevent@0__:set")).startsWith("-NOPERM ");
      try (RespClient publisher = client(ALL)) {
        publisher.call("PUBLISH", "end", "x");
      }
      assertThat(client.read()).contains("end").doesNotContain(SECRET);
    }
  }

  @Test
  void aClientThatChangesTheProtocolKeepsItsPrefix() {
    try (RespClient client = client(APP)) {
      client.call("HELLO", "3");
      assertThat(client.call("GET", SECRET + "-SET")).isEqualTo("_\r\n");
      client.write("get " + SECRET + "-SET\r\n").flush();
      assertThat(client.read()).isEqualTo("_\r\n");
      assertThat(client.call("gEt", HIDDEN + "-SET")).isEqualTo("_\r\n");
    }
  }

  /** Each command with its arguments replaced by names of others, and options of all kinds. */
  @Test
  void noCommandFindsAKeyOfOthers() {
    List<String> names = List.of(SECRET + "-SET", SECRET + "-RPUSH", SECRET + "-stream");
    String before = data();
    for (CommandSpec spec : CommandTable.load().specs()) {
      if (endsConnection(spec) || spec.isContainer()) {
        continue;
      }
      try (RespClient client = client(APP)) {
        for (String name : names) {
          for (List<String> arguments : arguments(spec, name)) {
            List<String> request = new ArrayList<>(List.of(spec.wireName().split("\\|")));
            request.addAll(arguments);
            String reply = client.call(request.toArray(new String[0]));
            assertThat(reply).as(request.toString()).doesNotContain(HIDDEN);
          }
        }
      }
    }
    assertThat(data()).isEqualTo(before);
  }

  private static String data() {
    Set<String> data = new TreeSet<>();
    for (String key : texts(direct.call("KEYS", "*"))) {
      if (!key.startsWith("app:")) {
        data.add(key + " " + direct.call("DUMP", key) + direct.call("PEXPIRETIME", key));
      }
    }
    return data.toString();
  }

  private static boolean endsConnection(CommandSpec spec) {
    if (spec.handling() instanceof Handling.Local(LocalCommand which)) {
      return which.area() == LocalCommand.Area.SUBSCRIPTION || DISTURBING.contains(which);
    }
    return spec.name().contains("shutdown");
  }

  private static List<List<String>> arguments(CommandSpec spec, String name) {
    int least = Math.abs(spec.arity()) - spec.name().split("\\|").length;
    List<List<String>> all = new ArrayList<>();
    List<String> base = new ArrayList<>();
    for (int i = 0; i < least; i++) {
      base.add(name);
    }
    all.add(base);
    all.add(with(base, name));
    boolean blocks = spec.has(CommandFlag.BLOCKING);
    for (String number : blocks ? List.of("0.01") : List.of("1", "0", "2")) {
      for (int at = 0; at < least; at++) {
        List<String> changed = new ArrayList<>(base);
        changed.set(at, number);
        all.add(changed);
        all.add(with(changed, name));
        all.add(with(changed, "0.01"));
        all.add(with(changed, "MIN"));
        all.add(with(changed, "LEFT"));
      }
    }
    for (List<String> options :
        List.of(
            List.of("0.01", "1", name, "LEFT"),
            List.of("0.01", "1", name, "MIN"),
            List.of(name, "0.01"),
            List.of(name, name, "LEFT", "LEFT", "0.01"),
            List.of("STREAMS", name, "0"),
            List.of("COUNT", "1", "STREAMS", name, "0"),
            List.of("BY", "*", "GET", name, "GET", "*"),
            List.of("STORE", name),
            List.of("STORE", "by", "STORE", name),
            List.of("STOREDIST", name),
            List.of("MATCH", "*", "COUNT", "1000"),
            List.of("COUNT", "1000"))) {
      all.add(with(base, options.toArray(new String[0])));
      all.add(options);
    }
    if (spec.handling() instanceof Handling.Blocking) {
      all.removeIf(request -> isLong(request.getFirst()) || isLong(request.getLast()));
    }
    return all;
  }

  /** Whether a call with this timeout would block for long. */
  private static boolean isLong(String timeout) {
    return timeout.matches("\\d+");
  }

  private static List<String> with(List<String> base, String... more) {
    List<String> all = new ArrayList<>(base);
    all.addAll(List.of(more));
    return all;
  }

  @Test
  void wordsMayBeInAnyCase() {
    try (RespClient client = client(APP)) {
      for (String name : List.of("flushall", "FlushDB", "RANDOMkey", "eval")) {
        assertThat(client.call(name, "x", "0").toUpperCase(Locale.ROOT))
            .satisfiesAnyOf(
                reply -> assertThat(reply).startsWith("-NOPERM "),
                reply -> assertThat(reply).startsWith("-ERR WRONG NUMBER"));
      }
      assertThat(client.call("xReAd", "sTrEaMs", SECRET + "-stream", "0")).isEqualTo("*-1\r\n");
    }
  }
}
