package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.Slot;
import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients read from replicas of real servers. */
@ExtendWith(SharedCluster.class)
class ReplicaReadsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Pattern GETS = Pattern.compile("cmdstat_get:calls=(\\d+)");
  private static final int READS = 200;
  private static final int ROUNDS = 20;
  private static final int KEYS = 600;
  private static final String LIBRARY =
      """
      #!lua name=reads
      redis.register_function{
        function_name = 'size',
        callback = function(keys) return redis.call('STRLEN', keys[1]) end,
        flags = {'no-writes'}
      }
      """;

  private final EmbeddedCluster cluster;
  private final List<ProxyFixture> proxies = new ArrayList<>();
  private String tag = "";

  @SuppressWarnings("NullAway.Init")
  private ShardUnderTest shard;

  @SuppressWarnings("NullAway.Init")
  private Member master;

  @SuppressWarnings("NullAway.Init")
  private Member replica;

  ReplicaReadsIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void choose() {
    shard = ShardUnderTest.next(cluster);
    tag = shard.tag();
    master = shard.master();
    replica = shard.replica();
  }

  @AfterEach
  void stop() {
    proxies.forEach(ProxyFixture::close);
    shard.close();
  }

  private ProxyFixture start(ProxyFixture.Builder builder, ReadFrom from) {
    ProxyFixture proxy = builder.reads(ReadSettings.of(from)).startReady();
    proxies.add(proxy);
    return proxy;
  }

  /**
   * Starts a proxy, and waits until it reads a key's value, written at the master, from replicas.
   */
  private ProxyFixture startReading(ReadFrom from) {
    ProxyFixture proxy = start(ProxyFixture.of(cluster), from);
    master.text("SET", tag, "0");
    awaitReads(proxy);
    return proxy;
  }

  private void awaitReads(ProxyFixture proxy) {
    await("reads from the replica")
        .atMost(PATIENCE)
        .until(() -> {
          long before = gets(replica.text("INFO", "commandstats"));
          try (RespClient client = proxy.connect()) {
            boolean same = client.call("GET", tag).equals("$1\r\n0\r\n");
            return same && gets(replica.text("INFO", "commandstats")) > before;
          }
        });
  }

  private static long gets(String info) {
    Matcher calls = GETS.matcher(info);
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  /** Returns how many {@code GET} calls of each server {@code work} causes. */
  private static <T> Map<T, Long> count(
      List<T> servers, Function<T, String> statistics, Runnable work) {
    ToLongFunction<T> count = server -> gets(statistics.apply(server));
    Map<T, Long> before = servers.stream().collect(Collectors.toMap(s -> s, count::applyAsLong));
    work.run();
    return servers.stream()
        .collect(Collectors.toMap(s -> s, s -> count.applyAsLong(s) - before.getOrDefault(s, 0L)));
  }

  @Test
  void readsGoToReplicasAndWritesToMasters() {
    ProxyFixture proxy = startReading(ReadFrom.REPLICA);

    Map<Member, Long> gets =
        count(
            List.of(master, replica),
            member -> member.text("INFO", "commandstats"),
            () -> {
              try (RespClient client = proxy.connect()) {
                for (int i = 0; i < READS; i++) {
                  assertThat(client.call("GET", tag)).isEqualTo("$1\r\n0\r\n");
                }
                assertThat(client.call("SET", tag, "1")).isEqualTo("+OK\r\n");
              }
            });

    assertThat(gets).containsEntry(master, 0L).containsEntry(replica, (long) READS);
  }

  private void awaitReplicas(ProxyFixture proxy) {
    await("a readable replica of each shard")
        .atMost(PATIENCE)
        .until(() -> {
          List<ReplicaStatus> known = proxy.proxy().upstreamStatus().replicas();
          return known.size() == cluster.masters().size()
              && known.stream().allMatch(each -> each.state() == ReplicaState.READABLE);
        });
  }

  private static long calls(Member member, String command) {
    Matcher calls =
        Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
            .matcher(member.text("INFO", "commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  @Test
  void vectorSetsAreReadFromReplicasExceptWhatDiffersThere() {
    ReferenceServer.assumeAtLeast(8, 0, "VADD");
    ProxyFixture proxy = startReading(ReadFrom.REPLICA);
    String key = tag + "v";
    master.text("VADD", key, "VALUES", "2", "1", "0", "east");
    await().atMost(PATIENCE).until(() -> replica.text("DBSIZE").equals(master.text("DBSIZE")));
    cluster.members().forEach(member -> member.text("CONFIG", "RESETSTAT"));
    try (RespClient client = proxy.connect()) {
      assertThat(client.call("VCARD", key)).isEqualTo(":1\r\n");
      assertThat(client.call("VSIM", key, "ELE", "east")).contains("east");
      assertThat(client.call("VRANDMEMBER", key)).contains("east");
      assertThat(client.call("VLINKS", key, "east")).startsWith("*");
      assertThat(client.call("VREM", key, "west")).isEqualTo(":0\r\n");
    }
    for (String command : List.of("VCARD", "VSIM", "VRANDMEMBER")) {
      assertThat(calls(replica, command)).as(command).isOne();
    }
    for (String command : List.of("VLINKS", "VREM")) {
      assertThat(calls(master, command)).as(command).isOne();
    }
  }

  @Test
  void splitReadsAndReadOnlyScriptsAreServedByReplicas() {
    ReferenceServer.assumeAtLeast(7, 0, "FCALL_RO");
    List<Integer> slots = Keys.slotsOfMasters(cluster);
    try {
      slots.forEach(this::writeTwoKeys);
      ProxyFixture proxy = start(ProxyFixture.of(cluster), ReadFrom.REPLICA);
      awaitReplicas(proxy);
      cluster.members().forEach(member -> member.text("CONFIG", "RESETSTAT"));
      try (RespClient client = proxy.connect()) {
        for (int i = 0; i < ROUNDS; i++) {
          readAll(client, slots.stream().map(Keys::tag).toList());
        }
      }
      for (String command : List.of("mget", "exists", "eval_ro", "fcall_ro")) {
        assertThat(cluster.masters()).allSatisfy(m -> assertThat(calls(m, command)).isZero());
        assertThat(cluster.replicas())
            .hasSize(3)
            .allSatisfy(r -> assertThat(calls(r, command)).as(command).isEqualTo(ROUNDS));
      }
    } finally {
      cluster.masters().forEach(member -> member.text("FUNCTION", "FLUSH"));
      slots.forEach(each -> Keys.empty(cluster, each));
    }
  }

  /** Writes at the master, and waits until its replica has it. */
  private void writeTwoKeys(int where) {
    Member owner = cluster.masterOf(where);
    String prefix = Keys.tag(where);
    try (RespClient client = RespClient.open(owner.host(), owner.port())) {
      client.value("FUNCTION", "LOAD", "REPLACE", LIBRARY);
      client.value("MSET", prefix + "a", "a of " + where, prefix + "b", prefix);
      assertThat(client.value("WAIT", "1", "10000")).isEqualTo(1L);
    }
  }

  private void readAll(RespClient client, List<String> tags) {
    List<String> mget = new ArrayList<>(List.of("MGET"));
    List<String> exists = new ArrayList<>(List.of("EXISTS"));
    StringBuilder values = new StringBuilder("*" + 3 * tags.size() + "\r\n");
    for (String key : List.of("b", "none", "a")) {
      for (int i = 0; i < tags.size(); i++) {
        mget.add(tags.get(i) + key);
        exists.add(tags.get(i) + key);
        values.append(valueOf(key, tags.get(i)));
      }
    }
    assertThat(client.call(mget.toArray(String[]::new))).isEqualTo(values.toString());
    assertThat(client.call(exists.toArray(String[]::new)))
        .isEqualTo(":" + 2 * tags.size() + "\r\n");
    for (String each : tags) {
      String size = ":" + each.length() + "\r\n";
      assertThat(client.call("EVAL_RO", "return redis.call('STRLEN', KEYS[1])", "1", each + "b"))
          .isEqualTo(size);
      assertThat(client.call("FCALL_RO", "size", "1", each + "b")).isEqualTo(size);
    }
  }

  private static String valueOf(String key, String hashTag) {
    return switch (key) {
      case "a" -> Wire.bulk("a of " + Slot.of(Wire.bytes(hashTag)));
      case "b" -> Wire.bulk(hashTag);
      default -> "$-1\r\n";
    };
  }

  /** A cursor is valid at one node only, so a scan stays at masters. Any connection may go on. */
  @Test
  void aScanFindsEveryKeyAndStaysAtOneNodeOfAShard() {
    ProxyFixture proxy = start(ProxyFixture.of(cluster), ReadFrom.REPLICA);
    awaitReplicas(proxy);
    Set<String> keys = new HashSet<>();
    try (RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      for (int i = 0; i < KEYS; i++) {
        keys.add("scan:" + i);
        assertThat(one.call("SET", "scan:" + i, "v")).isEqualTo("+OK\r\n");
      }
      List<String> found = new ArrayList<>();
      List<Member> nodes = new ArrayList<>(); // that served the steps, without repetitions
      Map<Member, Long> before = scans();
      String cursor = "0";
      int steps = 0;
      do {
        RespClient client = steps++ % 2 == 0 ? one : two;
        Reply page = Reply.parse(client.call("SCAN", cursor, "MATCH", "scan:*", "COUNT", "20"));
        cursor = page.elements().get(0).payload();
        page.elements().get(1).elements().forEach(key -> found.add(key.payload()));
        Map<Member, Long> now = scans();
        now.forEach((member, calls) -> {
          if (!calls.equals(before.put(member, calls))
              && (nodes.isEmpty() || nodes.getLast() != member)) {
            nodes.add(member);
          }
        });
      } while (!cursor.equals("0"));

      assertThat(found).containsExactlyInAnyOrderElementsOf(keys);
      assertThat(nodes).containsExactlyInAnyOrderElementsOf(cluster.masters());
    } finally {
      Keys.slotsOfMasters(cluster).forEach(each -> Keys.empty(cluster, each));
    }
  }

  private Map<Member, Long> scans() {
    return cluster.members().stream()
        .collect(Collectors.toMap(member -> member, member -> calls(member, "scan")));
  }

  @Test
  void readsAreSpreadEvenly() {
    ProxyFixture proxy = startReading(ReadFrom.ANY);
    int clients = 40;

    Map<Member, Long> gets =
        count(
            List.of(master, replica),
            member -> member.text("INFO", "commandstats"),
            () -> {
              for (int i = 0; i < clients; i++) {
                try (RespClient client = proxy.connect()) {
                  for (int j = 0; j < READS; j++) {
                    client.call("GET", tag);
                  }
                }
              }
            });

    long each = (long) clients * READS / 2;
    assertThat(gets.values())
        .hasSize(2)
        .allSatisfy(calls -> assertThat(calls).isBetween(each * 95 / 100, each * 105 / 100));
  }

  @Test
  void aClientReadsItsOwnWritesInOrder() {
    ProxyFixture proxy = startReading(ReadFrom.REPLICA_PREFERRED);
    try (RespClient client = proxy.connect()) {
      String key = tag + "own";
      client.call("SET", key, "0");
      for (int i = 1; i <= READS; i++) {
        String before = Integer.toString(i - 1);
        String now = Integer.toString(i);
        client.write(
            Wire.request("GET", key) + Wire.request("SET", key, now) + Wire.request("GET", key));
        client.flush();
        assertThat(client.read() + client.read() + client.read())
            .isEqualTo(Wire.bulk(before) + "+OK\r\n" + Wire.bulk(now));
      }
    }
  }

  @Test
  void noReadSeesAWriteThatFollowsIt() {
    ProxyFixture proxy =
        start(
            ProxyFixture.of(cluster),
            new ReadSettings(
                ReadFrom.REPLICA_PREFERRED,
                ReadSettings.MASTER_ONLY.balance(),
                ReadSettings.MASTER_ONLY.zones(),
                ReadSettings.NO_LAG_LIMIT,
                Duration.ZERO,
                false));
    master.text("SET", tag, "0");
    awaitReads(proxy);
    try (RespClient client = proxy.connect()) {
      for (int i = 1; i <= READS; i++) {
        int seen = i;
        client.write(Wire.request("GET", tag) + Wire.request("SET", tag, Integer.toString(i)));
        client.flush();
        String read = client.read().split("\r\n", -1)[1];
        client.read();
        assertThat(Integer.parseInt(read)).isLessThan(seen);
      }
    }
  }

  private ProxyFixture start(ProxyFixture.Builder builder, ReadSettings reads) {
    ProxyFixture proxy = builder.reads(reads).startReady();
    proxies.add(proxy);
    return proxy;
  }

  /** Reads with several clients while {@code event} happens; none gets an error. */
  private void readDuring(ProxyFixture proxy, Runnable event) {
    var stop = new AtomicBoolean();
    var wrong = new AtomicInteger();
    List<String> errors = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      readers.add(
          CompletableFuture.runAsync(
              () -> {
                try (RespClient client = proxy.connect()) {
                  while (!stop.get()) {
                    String reply = client.call("GET", tag);
                    if (!reply.equals("$1\r\n0\r\n") && wrong.incrementAndGet() == 1) {
                      errors.add(reply);
                    }
                  }
                }
              },
              Thread.ofPlatform()::start));
    }
    try {
      event.run();
    } finally {
      stop.set(true);
      CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void aKilledReplicaCausesNoErrorAndIsReadAgain() {
    ProxyFixture proxy = startReading(ReadFrom.REPLICA_PREFERRED);

    readDuring(
        proxy,
        () -> {
          replica.kill();
          awaitGetsOf(master);
          replica.restart();
          awaitReads(proxy);
        });
  }

  @Test
  void aFrozenReplicaCausesNoErrorAndIsReadAgain() {
    ProxyFixture proxy = startReading(ReadFrom.REPLICA_PREFERRED);

    readDuring(
        proxy,
        () -> {
          replica.pause();
          awaitGetsOf(master);
          replica.resume();
          awaitReads(proxy);
        });
  }

  @Test
  void readsGoOnWhenTheReplicaIsPromoted() {
    ProxyFixture proxy = startReading(ReadFrom.REPLICA_PREFERRED);

    readDuring(
        proxy,
        () -> {
          cluster.failover(replica);
          awaitGetsOf(master); // a replica now
        });
  }

  private static void awaitGetsOf(Member member) {
    long before = gets(member.text("INFO", "commandstats"));
    await("reads from " + member)
        .atMost(PATIENCE)
        .until(() -> gets(member.text("INFO", "commandstats")) > before + READS);
  }
}
