package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.server.it.Writers.CreateAndDelete;
import io.penstock.server.it.Writers.Multi;
import io.penstock.server.it.Writers.Pairs;
import io.penstock.server.it.Writers.Sequence;
import io.penstock.server.it.Writers.SharedCounter;
import io.penstock.server.it.Writers.TwinCounters;
import io.penstock.server.it.Writers.Writer;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SlotMigration;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A slot moves from one master to another and back while clients use it; no client gets an error.
 */
@ExtendWith(SteadyCluster.class)
class MigrationIT {

  private static final int ROUNDS = 6;
  private static final int SLOT = 137;
  private static final String TAG = Keys.tag(SLOT);

  private final List<Writer> writers = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  private Load load = new Load();

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    // Long, because the machine may be busy; deadlines are not tested here.
    proxy = ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(5)).startReady();
    try (RespClient wire = proxy.connect()) {
      for (int i = 0; i < 40; i++) {
        wire.call("SET", TAG + "filler:" + i, "x");
      }
    }
  }

  @AfterEach
  void stop() {
    load.close();
    writers.forEach(Writer::close);
    proxy.close();
    cluster.masterOf(SLOT).text("EVAL", "return redis.call('FLUSHALL')", "1", TAG);
  }

  @Test
  void singleKeyCommandsNeverFailAndRunOnceInOrder() {
    for (int depth : new int[] {1, 1, 10, 50}) {
      begin(new Sequence(connect(), TAG + writers.size(), depth));
    }
    for (int i = 0; i < 4; i++) {
      begin(new SharedCounter(connect(), TAG + "shared"));
    }
    begin(new CreateAndDelete(connect(), TAG + "a"));
    begin(new CreateAndDelete(connect(), TAG + "b"));

    migrateToAndFro();
    load.stop();

    long acknowledged = 0;
    try (RespClient fresh = proxy.connect()) {
      for (Writer writer : writers) {
        writer.verify(fresh);
        acknowledged += writer instanceof SharedCounter counter ? counter.acknowledged() : 0;
      }
      assertThat(fresh.call("GET", TAG + "shared"))
          .isEqualTo(Wire.bulk(Long.toString(acknowledged)));
    }
    assertThat(redirects()).containsKeys(RetryablePrefix.MOVED, RetryablePrefix.ASK);
    assertThat(redirects().get(RetryablePrefix.ASK)).isPositive();
  }

  @Test
  void multiKeyCommandsWaitUntilTheirKeysAreOnOneNode() {
    begin(new SharedCounter(connect(), TAG + "steady"));
    begin(new Multi(connect(), List.of(TAG + "m1", TAG + "m2", TAG + "m3")));
    begin(new Multi(connect(), List.of(TAG + "n1", TAG + "n2")));
    List<String> everywhere = new ArrayList<>(List.of(TAG + "e1"));
    for (String tag : Keys.tagsOfMasters(cluster)) {
      everywhere.add(tag + "e");
    }
    everywhere.add(TAG + "e2");
    begin(new Multi(connect(), everywhere));

    migrateToAndFro();
    load.stop();

    assertThat(redirects().get(RetryablePrefix.TRYAGAIN)).isPositive();
  }

  /** Otherwise, commands after a retried multi-key command would run before it. */
  @Test
  void pipelinesOfMultiKeyAndSingleKeyCommandsGetNoError() {
    for (int i = 0; i < 4; i++) {
      begin(new Pairs(connect(), TAG + "pairs:" + i));
    }
    begin(new SharedCounter(connect(), TAG + "steady"));

    migrateToAndFro();
    load.stop();

    try (RespClient fresh = proxy.connect()) {
      writers.forEach(writer -> writer.verify(fresh));
    }
    assertThat(redirects().get(RetryablePrefix.TRYAGAIN)).isPositive();
  }

  @Test
  void aDeepPipelineOnOneKeyStaysInOrder() {
    begin(new Sequence(connect(), TAG + "deep", 1_000));
    begin(new Sequence(connect(), TAG + "deeper", 2_000));

    migrateToAndFro();
    load.stop();

    try (RespClient fresh = proxy.connect()) {
      writers.forEach(writer -> writer.verify(fresh));
    }
  }

  @Test
  void transactionsRunCompletelyAndOnce() {
    for (int i = 0; i < 4; i++) {
      begin(new TwinCounters(connect(), TAG + "twins:" + i, false));
    }
    begin(new Sequence(connect(), TAG, 10));
    cluster.masters().forEach(master -> master.text("SCRIPT", "FLUSH"));

    migrateToAndFro();
    load.stop();

    try (RespClient fresh = proxy.connect()) {
      writers.forEach(writer -> writer.verify(fresh));
    }
    assertThat(redirects().get(RetryablePrefix.ASK)).isPositive();
  }

  private Map<RetryablePrefix, Long> redirects() {
    Map<RetryablePrefix, Long> redirects = proxy.stats().redirects();
    System.out.println("redirects: " + redirects + ", steps: " + load.steps());
    return redirects;
  }

  /** Opens a connection; every second one uses RESP3. */
  private RespClient connect() {
    RespClient wire = proxy.connect();
    if (writers.size() % 2 == 1) {
      assertThat(wire.call("HELLO", "3")).startsWith("%7\r\n");
    }
    return wire;
  }

  private void begin(Writer writer) {
    writers.add(writer);
    load.add(writer.name + " " + writers.size(), writer);
  }

  /**
   * Between two migrations, all requests sent during the last one are answered first. An ASK
   * followed one migration too late creates the key a second time, with or without a proxy.
   */
  private void migrateToAndFro() {
    Member home = cluster.masterOf(SLOT);
    Member guest = cluster.masters().stream().filter(m -> m != home).findFirst().orElseThrow();
    for (int round = 0; round < ROUNDS; round++) {
      load.awaitFullSteps();
      Member from = round % 2 == 0 ? home : guest;
      Member to = round % 2 == 0 ? guest : home;
      SlotMigration migration = cluster.beginMigration(SLOT, from, to);
      load.awaitSteps(1);
      while (migration.moveKeys(5) > 0) {
        load.check();
      }
      load.awaitSteps(1);
      migration.finish();
    }
    load.awaitFullSteps();
  }
}
