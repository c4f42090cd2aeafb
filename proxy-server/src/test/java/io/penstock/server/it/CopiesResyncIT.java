package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.resync.CopyJobs;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Resyncs and comparisons of copies while clients write, in front of real servers. */
@ExtendWith(SharedCluster.class)
class CopiesResyncIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int CLIENTS = 2;
  private static final int KEYS = 2_000;

  private final ServerProcess primary = server();
  private final ServerProcess copy = server();
  private final EmbeddedCluster cluster;
  private final ChangingProxy proxy = new ChangingProxy();
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final AtomicBoolean writing = new AtomicBoolean(true);
  private final AtomicBoolean gently = new AtomicBoolean(); // no more than the copy can do
  private final List<Future<?>> writers = new ArrayList<>();

  CopiesResyncIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
    proxy.listener("main", "orders");
    proxy.upstream("orders", primary);
    proxy.upstream("copy", copy);
    copies(List.of("copy"), 100_000);
  }

  private static ServerProcess server() {
    return ServerProcess.builder()
        .option("enable-debug-command", "yes")
        .option("appendonly", "yes")
        .start();
  }

  private void copies(List<String> names, int queue) {
    proxy.mirrors =
        names.isEmpty()
            ? List.of()
            : List.of(
                CopiesFixture.mirror(
                    "orders", names, new MirrorSettings(ReplyPolicy.PRIMARY, queue, 1 << 26)));
  }

  @AfterEach
  void close() {
    writing.set(false);
    threads.shutdownNow();
    proxy.close();
    Stream.of(primary, copy).forEach(ServerProcess::close);
  }

  private CopyJobs jobs() {
    RespUpstream orders = (RespUpstream) proxy.upstream("orders");
    return Objects.requireNonNull(orders.copyJobs().get("copy"));
  }

  private MirrorStats.Copy stats() {
    return CopiesFixture.stats(proxy, "orders").copies().getFirst();
  }

  private CopyJobStatus awaitEnd() {
    return await()
        .atMost(PATIENCE)
        .until(() -> jobs().status().getLast(), each -> !each.state().isActive());
  }

  private void fill() {
    try (RespClient client = proxy.connect("main")) {
      for (int i = 0; i < KEYS; i++) {
        client.text("SET", "key" + i, "v" + i, "EX", "10000");
      }
    }
  }

  private void startWriters() {
    for (int i = 0; i < CLIENTS; i++) {
      int number = i;
      writers.add(threads.submit(() -> write(number)));
    }
  }

  private void write(int number) {
    var random = new Random(number);
    try (RespClient client = proxy.connect("main")) {
      while (writing.get()) {
        if (gently.get()) {
          await().atMost(PATIENCE).until(() -> stats().queued() < 100 || !writing.get());
        }
        var calls = new StringBuilder();
        int replies = 0;
        while (replies == 0) {
          replies += append(calls, random);
        }
        client.write(calls.toString());
        client.flush();
        for (int i = 0; i < replies; i++) {
          client.read();
        }
      }
    }
  }

  /** Appends what other tests write, too, except what deletes all keys. */
  private static int append(StringBuilder calls, Random random) {
    var next = new StringBuilder();
    int replies = CopiesFixture.append(next, random, CopiesFixture.ORDERED);
    if (next.indexOf("FLUSH") >= 0) {
      return 0;
    }
    calls.append(next);
    return replies;
  }

  private void stopWriters() throws Exception {
    writing.set(false);
    for (Future<?> each : writers) {
      each.get(30, TimeUnit.SECONDS);
    }
    await().atMost(PATIENCE).until(() -> stats().queued() == 0);
  }

  private static void assertLevel(CopyJobStatus ended) {
    assertThat(ended.state()).as("%s", ended).isEqualTo(State.ENDED);
    assertThat(ended.reason()).isNull();
    assertThat(ended.level()).isTrue();
  }

  @Test
  void aCopyThatIsAddedIsLevelAfterAResyncUnderLoad() throws Exception {
    copy.text("SET", "extra", "v");
    copy.text("LPUSH", "key1", "other");
    copies(List.of(), 0);
    proxy.start();
    fill();
    startWriters();
    copies(List.of("copy"), 100_000);
    proxy.apply();
    assertThat(stats().behindReason()).contains("run resync");

    jobs().resync(3_000, false).join();
    assertLevel(awaitEnd());
    assertThat(stats().behindSince()).isNull();
    jobs().compare(10_000, 0, false).join();
    CopyJobStatus compared = awaitEnd();
    assertThat(compared.reason()).as("%s", compared).isNull();
    assertThat(compared.count("same")).isGreaterThan(KEYS - 10);
    stopWriters();

    assertThat(CopiesFixture.contents(copy)).isEqualTo(CopiesFixture.contents(primary));
    assertThat(copy.text("EXISTS", "extra")).isEqualTo("0");
  }

  @Test
  void aCopyThatWasAwayIsLevelAfterAResyncUnderLoad() throws Exception {
    copies(List.of("copy"), 500);
    proxy.start();
    fill();
    startWriters();
    copy.kill();
    await().atMost(PATIENCE).until(() -> stats().behindSince() != null);
    gently.set(true);
    jobs().resync(3_000, false).join();
    await().atMost(PATIENCE).until(() -> jobs().status().getLast().state() == State.PAUSED);
    copy.restart();

    CopyJobStatus ended = awaitEnd();
    assertLevel(ended);
    assertThat(stats().behindSince()).isNull();
    stopWriters();
    assertThat(CopiesFixture.contents(copy)).isEqualTo(CopiesFixture.contents(primary));
  }

  @Test
  void aChangeOfTheSettingsDoesNotEndAResync() {
    proxy.start();
    fill();
    jobs().resync(1_000, false).join();
    await().atMost(PATIENCE).until(() -> jobs().status().getLast().keys() > 300);
    Objects.requireNonNull(proxy.upstreams.get("orders")).commandTimeout = Duration.ofSeconds(3);
    Objects.requireNonNull(proxy.upstreams.get("copy")).commandTimeout = Duration.ofSeconds(3);
    proxy.apply();

    assertLevel(awaitEnd());
    assertThat(CopiesFixture.contents(copy)).isEqualTo(CopiesFixture.contents(primary));
  }

  @Test
  void aClusterIsResyncedFromAServer() {
    var seeds =
        cluster.masters().stream().map(each -> new Endpoint(each.host(), each.port())).toList();
    proxy.upstream("copy", new ClusterUpstreamSettings(seeds, null));
    cluster.masters().forEach(each -> each.text("FLUSHALL"));
    copies(List.of(), 0);
    proxy.start();
    fill();
    copies(List.of("copy"), 100_000);
    proxy.apply();

    jobs().resync(100_000, false).join();
    assertLevel(awaitEnd());
    long keys = 0;
    for (var master : cluster.masters()) {
      keys += Long.parseLong(master.text("DBSIZE"));
    }
    assertThat(keys).isEqualTo(KEYS);
    jobs().compare(100_000, 500, false).join();
    assertThat(awaitEnd().reason()).isNull();
  }
}
