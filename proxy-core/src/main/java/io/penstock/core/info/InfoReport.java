package io.penstock.core.info;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CrossSlotStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.ShadowStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Writes the sections of {@code INFO}. */
public final class InfoReport {

  private static final String NO_ID = "0".repeat(40);
  private static final double KILO = 1024;

  private final InfoFigures figures;
  private final ProxyStats stats;
  private final Instant now;
  private final InfoText text = new InfoText();

  private InfoReport(InfoFigures figures, Instant now) {
    this.figures = figures;
    this.stats = figures.stats();
    this.now = now;
  }

  /** Returns the requested sections, in Redis's order. */
  public static String write(Set<InfoSection> sections, InfoFigures figures, Instant now) {
    var report = new InfoReport(figures, now);
    for (InfoSection section : InfoSection.values()) {
      if (sections.contains(section)) {
        report.text.section(section);
        report.write(section);
      }
    }
    return report.text.toString();
  }

  private void write(InfoSection section) {
    switch (section) {
      case SERVER -> server();
      case CLIENTS -> clients();
      case MEMORY -> memory();
      case PERSISTENCE -> persistence();
      case STATS -> stats();
      case REPLICATION -> replication();
      case CPU -> cpu();
      case MODULES -> {} // nodes may have modules; Penstock has none
      case COMMANDSTATS -> new CommandLines(text).calls(stats.commands());
      case ERRORSTATS -> new CommandLines(text).errors(stats.errors());
      case LATENCYSTATS -> new CommandLines(text).latencies(stats.commands());
      case CLUSTER -> text.line("cluster_enabled", figures.facts().cluster() ? 1 : 0);
      case KEYSPACE -> keyspace();
      case PENSTOCK -> penstock();
      case CROSSSLOT -> crossSlot();
      case SHADOW -> shadow();
      case MIRROR -> mirror();
    }
  }

  private void server() {
    ProxyFacts facts = figures.facts();
    Duration up = Duration.between(facts.startedAt(), now);
    text.line("redis_version", figures.serverVersion());
    if (figures.valkeyVersion() != null) {
      text.line("server_name", "valkey").line("valkey_version", figures.valkeyVersion());
    }
    text.line("redis_git_sha1", "00000000")
        .line("redis_git_dirty", 0)
        .line("redis_build_id", "0")
        .line("redis_mode", facts.cluster() ? "cluster" : "standalone")
        .line("os", property("os.name") + " " + property("os.version") + " " + property("os.arch"))
        .line("arch_bits", 64)
        .line("multiplexing_api", facts.transport())
        .line("process_id", ProcessHandle.current().pid())
        .line("run_id", facts.runId())
        .line("tcp_port", figures.port())
        .line("server_time_usec", now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000)
        .line("uptime_in_seconds", up.toSeconds())
        .line("uptime_in_days", up.toDays())
        .lines(10, "hz", "configured_hz")
        .line("executable", facts.executable())
        .line("config_file", "")
        .line("penstock_version", facts.version());
  }

  private static String property(String name) {
    return System.getProperty(name, "unknown");
  }

  private void clients() {
    text.line("connected_clients", stats.clientsNow())
        .line("cluster_connections", 0)
        .line("maxclients", figures.facts().maxClients())
        .line("blocked_clients", stats.traffic().blockedClients())
        .lines(0, "tracking_clients", "clients_in_timeout_table")
        .line("total_blocking_keys", figures.blocking().all())
        .line("total_blocking_keys_on_nokey", figures.blocking().onNoKey());
  }

  private void memory() {
    ProcessUsage process = ProcessUsage.now();
    long used = process.used();
    long peak = process.peak();
    text.size("used_memory", used)
        .size("used_memory_rss", process.committed())
        .size("used_memory_peak", peak)
        .line("used_memory_peak_perc", InfoText.decimal(100.0 * used / peak) + "%")
        .line("used_memory_overhead", used)
        .lines(0, "used_memory_startup", "used_memory_dataset")
        .line("used_memory_dataset_perc", "0.00%")
        .size("total_system_memory", process.total())
        .size("used_memory_lua", 0)
        .size("maxmemory", 0)
        .line("maxmemory_policy", "noeviction")
        .line("mem_fragmentation_ratio", InfoText.decimal((double) process.committed() / used))
        .line("mem_fragmentation_bytes", process.committed() - used)
        .line("mem_clients_normal", stats.pressure().memory())
        .lines(0, "mem_clients_slaves", "mem_aof_buffer")
        .line("mem_allocator", "netty")
        .lines(0, "active_defrag_running", "lazyfree_pending_objects")
        .line("penstock_heap_bytes", process.heap())
        .line("penstock_direct_bytes", process.direct());
  }

  /** Writes the values of a server without persistence: Penstock stores no data. */
  private void persistence() {
    text.lines(0, "loading", "async_loading", "rdb_changes_since_last_save")
        .line("rdb_bgsave_in_progress", 0)
        .line("rdb_last_save_time", figures.facts().startedAt().getEpochSecond())
        .line("rdb_last_bgsave_status", "ok")
        .lines(-1, "rdb_last_bgsave_time_sec", "rdb_current_bgsave_time_sec")
        .lines(0, "aof_enabled", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
        .lines(-1, "aof_last_rewrite_time_sec", "aof_current_rewrite_time_sec")
        .lines("ok", "aof_last_bgrewrite_status", "aof_last_write_status");
  }

  private long closed(CloseReason reason) {
    return stats.pressure().closed().getOrDefault(reason, 0L);
  }

  private void stats() {
    Traffic traffic = stats.traffic();
    long errors = stats.errors().values().stream().mapToLong(Long::longValue).sum();
    text.line("total_connections_received", stats.clientsTotal())
        .line("total_commands_processed", CommandLines.processed(stats.commands()))
        .line("instantaneous_ops_per_sec", traffic.commandsPerSecond())
        .line("total_net_input_bytes", traffic.bytesReceived())
        .line("total_net_output_bytes", traffic.bytesSent())
        .line("instantaneous_input_kbps", InfoText.decimal(traffic.bytesReceivedPerSecond() / KILO))
        .line("instantaneous_output_kbps", InfoText.decimal(traffic.bytesSentPerSecond() / KILO))
        .line("rejected_connections", stats.clientsRejected())
        .line("evicted_clients", closed(CloseReason.MEMORY))
        .line(
            "client_output_buffer_limit_disconnections",
            closed(CloseReason.OUTPUT_HARD_LIMIT) + closed(CloseReason.OUTPUT_SOFT_LIMIT))
        .lines(0, "sync_full", "sync_partial_ok", "sync_partial_err");
    for (String summed :
        new String[] {"expired_keys", "evicted_keys", "keyspace_hits", "keyspace_misses"}) {
      text.line(summed, figures.nodes().counter(summed));
    }
    text.line("pubsub_channels", stats.pubSub().channels())
        .line("pubsub_patterns", stats.pubSub().patterns())
        .line("pubsubshard_channels", stats.pubSub().shardChannels())
        .lines(0, "latest_fork_usec", "total_forks", "migrate_cached_sockets")
        .lines(0, "slave_expires_tracked_keys", "tracking_total_keys", "tracking_total_items")
        .lines(0, "tracking_total_prefixes", "unexpected_error_replies")
        .line("total_error_replies", errors)
        .line("acl_access_denied_auth", stats.pressure().authenticationFailures());
  }

  private void replication() {
    text.line("role", "master")
        .line("connected_slaves", 0)
        .line("master_failover_state", "no-failover")
        .line("master_replid", figures.facts().replicationId())
        .line("master_replid2", NO_ID)
        .line("master_repl_offset", 0)
        .line("second_repl_offset", -1)
        .lines(0, "repl_backlog_active", "repl_backlog_size")
        .lines(0, "repl_backlog_first_byte_offset", "repl_backlog_histlen");
  }

  /** Writes the CPU time: the JVM reports the sum only, which is shown as user time. */
  private void cpu() {
    String seconds = String.format(Locale.ROOT, "%.6f", ProcessUsage.now().cpuSeconds());
    text.line("used_cpu_sys", "0.000000")
        .line("used_cpu_user", seconds)
        .lines("0.000000", "used_cpu_sys_children", "used_cpu_user_children");
  }

  private void keyspace() {
    figures
        .nodes()
        .databases()
        .forEach((number, fields) ->
            text.line(
                "db" + number,
                fields.entrySet().stream()
                    .map(field -> field.getKey() + "=" + field.getValue())
                    .collect(Collectors.joining(","))));
  }

  private void penstock() {
    ProxyFacts facts = figures.facts();
    Instant asOf = figures.topologyAsOf();
    text.line("version", facts.version())
        .line("transport", facts.transport())
        .line("event_loops", facts.eventLoops())
        .line("masters", figures.topology().shards().size())
        .line("slots_covered", figures.coveredSlots())
        .line("topology_age_seconds", asOf == null ? -1 : Duration.between(asOf, now).toSeconds())
        .line("node_connections", sum(NodeStats::connections))
        .line("node_commands_in_flight", sum(NodeStats::inFlight))
        .line("node_bytes_sent", sum(NodeStats::bytesSent))
        .line("node_bytes_received", sum(NodeStats::bytesReceived))
        .line("node_reconnects", sum(NodeStats::reconnects))
        .line("node_errors", sum(NodeStats::errors));
    stats.redirects().forEach((kind, count) -> text.line("redirects_" + lower(kind.name()), count));
    text.line("info_masters_asked", figures.nodes().queried())
        .line("info_masters_answered", figures.nodes().answered());
  }

  private void crossSlot() {
    CrossSlotStats crossSlot = stats.crossSlot();
    text.line("crossslot_commands", sum(crossSlot.commands()))
        .line("crossslot_rejected", sum(crossSlot.rejected()))
        .line("crossslot_bytes_moved", crossSlot.bytes())
        .line("crossslot_retries", crossSlot.retries());
    new CommandLines(text).crossSlot(crossSlot);
  }

  private void shadow() {
    ShadowStats shadow = stats.shadow();
    text.line("shadow_requests", shadow.requests())
        .line("shadow_same", shadow.same())
        .line("shadow_settled", shadow.settled())
        .line("shadow_differing", shadow.allDiffering())
        .line("shadow_errors", shadow.allErrors())
        .line("shadow_skipped", shadow.allSkipped());
    new CommandLines(text).shadow(shadow);
  }

  private void mirror() {
    List<MirrorStats.Copy> copies = stats.mirror().copies();
    text.line("mirror_copies", copies.size())
        .line("mirror_behind", copies.stream().filter(MirrorStats.Copy::isBehind).count());
    new CommandLines(text).copies(copies);
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private long sum(ToLongFunction<NodeStats> figure) {
    return stats.nodes().stream().mapToLong(figure).sum();
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
