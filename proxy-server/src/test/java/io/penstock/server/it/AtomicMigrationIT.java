package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.server.it.Writers.CreateAndDelete;
import io.penstock.server.it.Writers.Multi;
import io.penstock.server.it.Writers.Pairs;
import io.penstock.server.it.Writers.Sequence;
import io.penstock.server.it.Writers.TwinCounters;
import io.penstock.server.it.Writers.Writer;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.SlotMigration;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Newer servers move ranges of slots as a whole, and a cluster of Valkey 9 has databases. No client
 * gets an error or a wrong reply, and no write is lost or runs twice, while slots move, also one
 * key at a time, and masters hand over to replicas.
 */
class AtomicMigrationIT {

  private static final ServerBinary SERVER = ServerBinary.find();
  private static final boolean DATABASES = SERVER.valkey() && SERVER.major() >= 9;

  private static final String NO_DATABASES = "a cluster has databases since Valkey 9";

  private static final int ROUNDS = 4;

  /** The slots that move; clients use the first and the last, and other keys are in between. */
  private static final int FIRST = 100;

  private static final int LAST = 599;
  private static final List<String> TAGS = List.of(Keys.tag(FIRST), Keys.tag(LAST));

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  private final Load load = new Load();

  /** With the database that each one uses. */
  private final Map<Writer, Integer> writers = new LinkedHashMap<>();

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  /** The node timeout is longer than any stall of a loaded machine: no node is taken for dead. */
  @BeforeAll
  static void startCluster() {
    ReferenceServer.assume(
        EmbeddedCluster.movesSlotsAtomically(SERVER),
        "atomic migration of slots came with Redis 8.4 and Valkey 9");
    var builder =
        EmbeddedCluster.builder().masters(3).replicas(1).nodeTimeout(Duration.ofSeconds(5));
    cluster = (DATABASES ? builder.option("cluster-databases", "16") : builder).start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void start() {
    // Longer than a master delays commands while it hands over.
    proxy = ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(6)).startReady();
    load.pauseBetweenSteps(Duration.ofMillis(2));
  }

  @AfterEach
  void stop() {
    load.close();
    writers.keySet().forEach(Writer::close);
    proxy.close();
    Keys.slotsOfMasters(cluster).forEach(slot -> Keys.empty(cluster, slot));
  }

  @Test
  void slotsThatMoveAsAWholeCauseNoErrors() {
    fill(0);
    beginAll(0);
    for (int round = 0; round < ROUNDS; round++) {
      moveAtomically();
    }
    verifyAll();
  }

  /**
   * One database only: if clients write to several while slots move as a whole, Valkey 9.1.2 runs
   * some of their commands in another one, also without a proxy.
   */
  @Test
  void slotsThatMoveAsAWholeCauseNoErrorsInAnotherDatabase() {
    ReferenceServer.assume(DATABASES, NO_DATABASES);
    fill(3);
    beginAll(3);
    for (int round = 0; round < ROUNDS; round++) {
      moveAtomically();
    }
    verifyAll();
  }

  /** Moves one key at a time and hands a master over. */
  @Test
  void clientsOfSeveralDatabasesOfAClusterGetNoErrors() {
    ReferenceServer.assume(DATABASES, NO_DATABASES);
    for (int database : new int[] {0, 3, 15}) {
      fill(database);
      beginAll(database);
    }
    Member from = cluster.masterOf(FIRST);
    Member to = otherThan(from);
    for (int round = 0; round < ROUNDS; round++) {
      load.awaitFullSteps();
      boolean back = round % 2 == 1;
      SlotMigration migration = cluster.beginMigration(FIRST, back ? to : from, back ? from : to);
      load.awaitSteps(1);
      while (migration.moveKeys(2) > 0) {
        load.check();
      }
      load.awaitSteps(1);
      migration.finish();
    }
    load.awaitFullSteps();
    cluster.failover(cluster.replicasOf(from).getFirst());
    load.awaitFullSteps();
    verifyAll();
    assertThat(proxy.stats().redirects().get(RetryablePrefix.ASK)).isPositive();
  }

  private void moveAtomically() {
    load.awaitFullSteps();
    Member from = cluster.masterOf(FIRST);
    cluster.migrateAtomically(FIRST, LAST, from, otherThan(from));
    load.awaitFullSteps();
  }

  private static Member otherThan(Member master) {
    return cluster.masters().stream().filter(m -> m != master).findFirst().orElseThrow();
  }

  /** Writes keys that move too. */
  private void fill(int database) {
    try (RespClient wire = connect(database)) {
      for (int slot = FIRST; slot <= LAST; slot += 10) {
        assertThat(wire.call("SET", Keys.tag(slot) + "filler", "of " + database))
            .isEqualTo("+OK\r\n");
      }
    }
  }

  private void beginAll(int database) {
    for (String tag : TAGS) {
      begin(database, new Sequence(connect(database), tag, 1));
      begin(database, new Sequence(connect(database), tag, 50));
      begin(database, new CreateAndDelete(connect(database), tag));
      begin(database, new Multi(connect(database), List.of(tag + "m1", tag + "m2")));
      begin(database, new Pairs(connect(database), tag + "pairs"));
      begin(database, new TwinCounters(connect(database), tag + "twins", false));
      begin(database, new HandedOver(connect(database), connect(database), tag + "queue"));
    }
    List<String> divided = new ArrayList<>();
    TAGS.forEach(tag -> divided.add(tag + "e"));
    Keys.tagsOfMasters(cluster).forEach(tag -> divided.add(tag + "f"));
    begin(database, new Multi(connect(database), divided));
  }

  private void begin(int database, Writer writer) {
    writers.put(writer, database);
    load.add(writer.name + " in database " + database, writer);
  }

  /** Opens a connection; every second one uses RESP3. */
  private RespClient connect(int database) {
    RespClient wire = proxy.connect();
    if (writers.size() % 2 == 1) {
      assertThat(wire.call("HELLO", "3")).startsWith("%");
    }
    if (database > 0) {
      assertThat(wire.call("SELECT", Integer.toString(database))).isEqualTo("+OK\r\n");
    }
    return wire;
  }

  private void verifyAll() {
    load.stop();
    System.out.printf(
        "%s: %,d steps of %d clients, redirects %s%n",
        SERVER, load.steps(), writers.size(), proxy.stats().redirects());
    writers.forEach((writer, database) -> {
      try (RespClient fresh = connect(database)) {
        writer.verify(fresh);
        for (int slot = FIRST; slot <= LAST; slot += 10) {
          assertThat(fresh.call("GET", Keys.tag(slot) + "filler"))
              .isEqualTo(Wire.bulk("of " + database));
        }
      }
    });
  }

  /** Pushes elements to a list at which another client of its own waits. */
  private static final class HandedOver extends Writer {
    private final RespClient blocked;
    private final String queue;
    private long count;

    HandedOver(RespClient wire, RespClient blocked, String queue) {
      super(wire, "queue");
      this.blocked = blocked;
      this.queue = queue;
    }

    @Override
    public void run() {
      String element = Long.toString(++count);
      blocked.send("BLPOP", queue, "0");
      assertThat(wire.call("RPUSH", queue, element)).isEqualTo(":1\r\n");
      assertThat(blocked.read()).isEqualTo("*2\r\n" + Wire.bulk(queue) + Wire.bulk(element));
    }

    @Override
    void verify(RespClient fresh) {
      blocked.close();
      assertThat(fresh.call("EXISTS", queue)).isEqualTo(":0\r\n");
    }
  }
}
