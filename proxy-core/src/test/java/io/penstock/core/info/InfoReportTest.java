package io.penstock.core.info;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMaps;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InfoReportTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Endpoint NODE = new Endpoint("10.0.0.1", 7000);

  private static InfoFigures figures(boolean cluster) {
    long[] buckets = new long[DurationBuckets.BOUNDED + 1];
    buckets[0] = 90;
    buckets[3] = 10;
    var get =
        new CommandStats(
            "CLIENT NO-EVICT",
            Map.of(Outcome.OK, 8L, Outcome.ERROR, 2L, Outcome.REJECTED, 4L),
            buckets,
            20_000);
    var stats =
        new ProxyStats(
            List.of(get),
            3,
            7,
            1,
            0,
            List.of(new NodeStats(NODE, 2, 0, 5, 100, 200, 1, 4, Map.of())),
            Map.of(RetryablePrefix.MOVED, 6L),
            List.of(),
            ProxyStats.PubSubStats.NONE,
            new Traffic(1_000, 2_000, 50, 2_048, 4_096, 1),
            Map.of("WRONGTYPE", 2L, "ERR", 1L),
            ProxyStats.HeldStats.NONE,
            new ProxyStats.Pressure(
                77, 0, 0, Map.of(CloseReason.MEMORY, 3L, CloseReason.OUTPUT_HARD_LIMIT, 4L), 6, 7),
            ReadCounts.NONE,
            new ProxyStats.CrossSlotStats(
                Map.of("RENAME", 3L, "SUNION", 1L), Map.of("RENAME", 2L), 4_096, 5),
            new ShadowStats(
                9,
                4,
                1,
                Map.of("GET", 2L),
                Map.of(ShadowStats.Skipped.FULL, 3L),
                Map.of("timeout", 1L, "NOPERM", 1L),
                ShadowStats.Durations.NONE,
                ShadowStats.Durations.NONE),
            new MirrorStats(
                List.of(
                    new MirrorStats.Copy(
                        "far",
                        1,
                        2,
                        3_000_000,
                        4,
                        5,
                        6,
                        Map.of("GET", 7L),
                        9,
                        8,
                        START,
                        "it was added")),
                10,
                20));
    var facts =
        new ProxyFacts(
            "1.2.3", "a".repeat(40), "b".repeat(40), START, "java", "epoll", 4, 9, cluster);
    NodeInfo nodes = NodeInfo.sum(Arrays.asList("keyspace_hits:9\r\ndb0:keys=1,expires=0\r\n"));
    return new InfoFigures(
        facts,
        "7.0.15",
        null,
        6380,
        stats,
        new BlockingKeys(8, 2),
        nodes,
        SlotMaps.oneMaster(NODE),
        16_000,
        START.plusSeconds(90_000));
  }

  private static String report(String... words) {
    return InfoReport.write(
        InfoSection.named(List.of(words)), figures(false), START.plusSeconds(90_060));
  }

  private static List<String> titles(String text) {
    return text.lines().filter(line -> line.startsWith("# ")).map(l -> l.substring(2)).toList();
  }

  @Test
  void sectionsAreInRedisOrderForAnyOrderOfArguments() {
    assertThat(titles(report()))
        .containsExactly(
            "Server",
            "Clients",
            "Memory",
            "Persistence",
            "Stats",
            "Replication",
            "CPU",
            "Modules",
            "Errorstats",
            "Cluster",
            "Keyspace",
            "Penstock",
            "CrossSlot",
            "Shadow",
            "Mirror");
    assertThat(titles(report("cpu", "SERVER"))).containsExactly("Server", "CPU");
    assertThat(titles(report("all")))
        .contains("Commandstats", "Latencystats")
        .doesNotContain("Modules");
    assertThat(titles(report("everything"))).hasSize(InfoSection.values().length);
    assertThat(titles(report("default", "commandstats"))).hasSize(16);
    assertThat(report("nonsense")).isEmpty();
  }

  @Test
  void everyLineIsATitleAFieldOrBlank() {
    assertThat(report("everything").split("\r\n", -1))
        .allMatch(
            line -> line.isEmpty() || line.matches("# [A-Za-z]+|[a-z0-9_A-Z|.-]+:[^\\r\\n]*"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "server; redis_version:7.0.15",
        "server; redis_mode:standalone",
        "server; tcp_port:6380",
        "server; uptime_in_seconds:90060",
        "server; uptime_in_days:1",
        "server; penstock_version:1.2.3",
        "clients; connected_clients:3",
        "clients; blocked_clients:1",
        "clients; total_blocking_keys:8",
        "clients; total_blocking_keys_on_nokey:2",
        "clients; maxclients:9",
        "memory; maxmemory_human:0B",
        "persistence; loading:0",
        "stats; total_connections_received:7",
        "stats; total_commands_processed:10",
        "stats; instantaneous_ops_per_sec:50",
        "stats; instantaneous_input_kbps:2.00",
        "stats; rejected_connections:1",
        "stats; evicted_clients:3",
        "stats; client_output_buffer_limit_disconnections:4",
        "memory; mem_clients_normal:77",
        "stats; keyspace_hits:9",
        "stats; total_error_replies:3",
        "stats; acl_access_denied_auth:6",
        "replication; role:master",
        "commandstats; cmdstat_client|no-evict:calls=10,usec=20,usec_per_call=2.00,rejected_calls=4,failed_calls=2",
        "errorstats; errorstat_WRONGTYPE:count=2",
        "latencystats; latency_percentiles_usec_client|no-evict:p50=16.384,p99=131.072,p99.9=131.072",
        "cluster; cluster_enabled:0",
        "keyspace; db0:keys=1,expires=0",
        "penstock; slots_covered:16000",
        "penstock; topology_age_seconds:60",
        "penstock; node_commands_in_flight:5",
        "penstock; redirects_moved:6",
        "crossslot; crossslot_commands:4",
        "crossslot; crossslot_rejected:2",
        "crossslot; crossslot_bytes_moved:4096",
        "crossslot; crossslot_retries:5",
        "crossslot; crossslotstat_rename:calls=3,rejected_calls=2",
        "crossslot; crossslotstat_sunion:calls=1,rejected_calls=0",
        "shadow; shadow_requests:9",
        "shadow; shadow_same:4",
        "shadow; shadow_settled:1",
        "shadow; shadow_differing:2",
        "shadow; shadow_errors:2",
        "shadow; shadow_skipped:3",
        "shadow; shadowstat_get:differing=2",
        "mirror; mirror_copies:1",
        "mirror; mirror_behind:1",
        "mirror; copy_far:behind=1,queued=1,queued_bytes=2,lag_ms=3,done=4,dropped=5,unknown=6,differing=7,keys_to_copy=9,copied_again=8"
      })
  void aSectionHasTheFieldsThatToolsRead(String section, String line) {
    assertThat(report(section).lines()).contains(line);
  }

  @Test
  void aClusterFacadeIsReportedAsACluster() {
    String text =
        InfoReport.write(InfoSection.named(List.of("server", "cluster")), figures(true), START);

    assertThat(text.lines()).contains("redis_mode:cluster", "cluster_enabled:1");
  }

  @ParameterizedTest
  @CsvSource({"0, 0B", "1023, 1023B", "1024, 1.00K", "1113672, 1.06M", "25276510208, 23.54G"})
  void sizesAreFormattedAsInRedis(long bytes, String text) {
    assertThat(InfoText.human(bytes)).isEqualTo(text);
  }

  @Test
  void databasesAndCountersAreSummedAndMeansAreWeighted() {
    NodeInfo sum =
        NodeInfo.sum(
            Arrays.asList(
                "hits:1\r\nname:x\r\ndb0:keys=1,expires=1,avg_ttl=10,subexpiry=1\r\ndb3:keys=9\r\n",
                null,
                "hits:2\r\ndb0:keys=2,expires=3,avg_ttl=50,subexpiry=2\r\n"));

    assertThat(sum.queried()).isEqualTo(3);
    assertThat(sum.answered()).isEqualTo(2);
    assertThat(sum.counter("hits")).isEqualTo(3);
    assertThat(sum.onlyDatabase(0).databases().toString())
        .isEqualTo("{0={keys=3, expires=4, avg_ttl=40, subexpiry=3}}");
    assertThat(sum.onlyDatabase(3).databases()).containsOnlyKeys(3);
    assertThat(sum.onlyDatabase(1).databases()).isEmpty();
  }
}
