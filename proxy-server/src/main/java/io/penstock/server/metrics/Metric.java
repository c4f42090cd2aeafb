package io.penstock.server.metrics;

import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.util.List;

/**
 * The metrics that Penstock itself exports, {@code penstock_*}. {@code docs/reference/metrics.md}
 * is generated from this list.
 */
public enum Metric {
  COMMANDS(
      Type.COUNTER,
      "penstock_commands",
      "Number of commands from clients",
      Labels.LISTENER,
      "command",
      "outcome"),
  COMMAND_DURATION(
      Type.HISTOGRAM,
      "penstock_command_duration_seconds",
      "Time in seconds from the last byte of a command to the last byte of the node's reply",
      Labels.LISTENER,
      "command"),

  CROSS_SLOT_COMMANDS(
      Type.COUNTER,
      "penstock_cross_slot_commands",
      "Number of commands over several slots that were carried out in steps (cross-slot: emulate)",
      Labels.LISTENER,
      "command"),
  CROSS_SLOT_REJECTED(
      Type.COUNTER,
      "penstock_cross_slot_rejected",
      "Number of commands over several slots that were rejected, and that cross-slot: emulate would"
          + " carry out; counted with cross-slot: report",
      Labels.LISTENER,
      "command"),
  CROSS_SLOT_MOVED_BYTES(
      Type.COUNTER,
      "penstock_cross_slot_moved_bytes",
      "Number of bytes that were written to other nodes to copy or move values for commands over"
          + " several slots",
      Labels.LISTENER),
  CROSS_SLOT_RETRIES(
      Type.COUNTER,
      "penstock_cross_slot_retries",
      "Number of times that a command over several slots began again because another client had"
          + " changed one of its keys meanwhile",
      Labels.LISTENER),

  CLIENT_CONNECTIONS(
      Type.GAUGE,
      "penstock_client_connections",
      "Number of open client connections",
      Labels.LISTENER),
  CLIENT_CONNECTIONS_ACCEPTED(
      Type.COUNTER,
      "penstock_client_connections_accepted",
      "Number of client connections accepted since the start",
      Labels.LISTENER),
  CLIENT_CONNECTIONS_REJECTED(
      Type.COUNTER,
      "penstock_client_connections_rejected",
      "Number of client connections rejected because max-clients was reached",
      Labels.LISTENER),
  CLIENT_CONNECTIONS_DELAYED(
      Type.COUNTER,
      "penstock_client_connections_delayed",
      "Number of times that new client connections had to wait because of max-connection-rate",
      Labels.LISTENER),
  CLIENT_CONNECTIONS_PAUSED(
      Type.GAUGE,
      "penstock_client_connections_paused",
      "Number of client connections that Penstock does not read now (backpressure)",
      Labels.LISTENER),
  CLIENT_CONNECTIONS_CLOSED_BY_LIMIT(
      Type.COUNTER,
      "penstock_client_connections_closed_by_limit",
      "Number of client connections closed because of a limit",
      Labels.LISTENER,
      "reason"),
  CLIENT_AUTHENTICATION_FAILURES(
      Type.COUNTER,
      "penstock_client_authentication_failures",
      "Number of AUTH and HELLO requests with a wrong user or password",
      Labels.LISTENER),
  CLIENT_AUTHENTICATION_DELAYS(
      Type.COUNTER,
      "penstock_client_authentication_delays",
      "Number of AUTH and HELLO requests that waited because their address had tried many wrong"
          + " passwords",
      Labels.LISTENER),
  CLIENT_MEMORY(
      Type.GAUGE,
      "penstock_client_memory_bytes",
      "Memory that all clients use, in bytes, as maxmemory-clients counts it",
      Labels.LISTENER),
  CLIENT_MEMORY_LIMIT(
      Type.GAUGE,
      "penstock_client_memory_limit_bytes",
      "Memory that all clients may use, in bytes (maxmemory-clients); absent if there is no limit",
      Labels.LISTENER),
  CLIENT_REQUESTS_IN_FLIGHT(
      Type.GAUGE,
      "penstock_client_requests_in_flight",
      "Number of requests accepted from clients and not yet answered",
      Labels.LISTENER),

  NODE_CONNECTIONS(
      Type.GAUGE,
      "penstock_node_connections",
      "Number of open connections to the node",
      Labels.UPSTREAM,
      "node"),
  NODE_EXCLUSIVE_CONNECTIONS(
      Type.GAUGE,
      "penstock_node_exclusive_connections",
      "Number of open connections to the node that serve one client at a time",
      Labels.UPSTREAM,
      "node"),
  NODE_IN_FLIGHT(
      Type.GAUGE,
      "penstock_node_in_flight",
      "Number of commands sent to the node and not yet answered",
      Labels.UPSTREAM,
      "node"),
  NODE_SENT_BYTES(
      Type.COUNTER,
      "penstock_node_sent_bytes",
      "Number of bytes sent to the node",
      Labels.UPSTREAM,
      "node"),
  NODE_RECEIVED_BYTES(
      Type.COUNTER,
      "penstock_node_received_bytes",
      "Number of bytes received from the node",
      Labels.UPSTREAM,
      "node"),
  NODE_RECONNECTS(
      Type.COUNTER,
      "penstock_node_reconnects",
      "Number of connections made to the node after one was lost",
      Labels.UPSTREAM,
      "node"),
  NODE_CONNECTION_ERRORS(
      Type.COUNTER,
      "penstock_node_connection_errors",
      "Number of connections to the node that were lost or could not be made",
      Labels.UPSTREAM,
      "node"),
  NODE_ERROR_REPLIES(
      Type.COUNTER,
      "penstock_node_error_replies",
      "Number of error replies from the node to clients' requests and to those of Penstock on the"
          + " same connections. Errors inside a reply, as of EXEC, are not counted",
      Labels.UPSTREAM,
      "node",
      "prefix"),
  NODE_UP(
      Type.GAUGE,
      "penstock_node_up",
      "1 if the node has answered a PING of the health check within the last 5 seconds, else 0",
      Labels.UPSTREAM,
      "node",
      "role"),
  NODE_EJECTIONS(
      Type.COUNTER,
      "penstock_node_ejections",
      "Number of times that the node was ejected from the shards, so that its keys belong to other"
          + " nodes; only with auto-eject",
      Labels.UPSTREAM,
      "node"),
  NODE_READMISSIONS(
      Type.COUNTER,
      "penstock_node_readmissions",
      "Number of times that the node was back in the shards after it had been ejected; only with"
          + " auto-eject",
      Labels.UPSTREAM,
      "node"),
  RETRYABLE_ERRORS(
      Type.COUNTER,
      "penstock_retryable_errors",
      "Number of error replies from nodes which mean that a command did not run",
      Labels.LISTENER,
      "type"),

  FAILOVER_HOLD_REQUESTS(
      Type.GAUGE,
      "penstock_failover_hold_requests",
      "Number of requests that wait until a node accepts them, as during a failover",
      Labels.UPSTREAM),
  FAILOVER_HOLD_OUTCOMES(
      Type.COUNTER,
      "penstock_failover_hold_outcomes",
      "Number of requests that waited in a failover hold, or were rejected by it",
      Labels.UPSTREAM,
      "outcome"),

  REPLICA_READS(
      Type.COUNTER,
      "penstock_replica_reads",
      "Number of reads that were sent to replicas",
      Labels.UPSTREAM),
  REPLICA_READS_OF_OWN_WRITES(
      Type.COUNTER,
      "penstock_replica_reads_of_own_writes",
      "Number of reads that were sent to the master because their client had written to the"
          + " partition",
      Labels.UPSTREAM),
  REPLICAS(
      Type.GAUGE,
      "penstock_replicas",
      "Number of replicas that reads may go to (state readable), and of those that are left out;"
          + " absent if reads go to masters only",
      Labels.UPSTREAM,
      "state"),
  REPLICA_LEFT_OUT(
      Type.COUNTER,
      "penstock_replica_left_out",
      "Number of times that reads stopped going to the replica because of its state; absent if"
          + " reads go to masters only",
      Labels.UPSTREAM,
      "node"),
  REPLICA_LAG(
      Type.GAUGE,
      "penstock_replica_lag_bytes",
      "Bytes of the replication stream that the replica lacked when it last answered; absent if"
          + " reads go to masters only",
      Labels.UPSTREAM,
      "node"),

  SHADOW_REQUESTS(
      Type.COUNTER,
      "penstock_shadow_requests",
      "Number of reads that were sent to the shadow of the upstream too",
      Labels.UPSTREAM),
  SHADOW_SAME(
      Type.COUNTER,
      "penstock_shadow_same",
      "Number of reads with the same reply of both at once",
      Labels.UPSTREAM),
  SHADOW_SETTLED(
      Type.COUNTER,
      "penstock_shadow_settled",
      "Number of reads with replies that differed, and were the same when both were read again",
      Labels.UPSTREAM),
  SHADOW_DIFFERING(
      Type.COUNTER,
      "penstock_shadow_differing",
      "Number of reads with replies that still differed when both were read again",
      Labels.UPSTREAM,
      "command"),
  SHADOW_SKIPPED(
      Type.COUNTER,
      "penstock_shadow_skipped",
      "Number of reads of the share that were not sent to the shadow, or not compared",
      Labels.UPSTREAM,
      "reason"),
  SHADOW_ERRORS(
      Type.COUNTER,
      "penstock_shadow_errors",
      "Number of reads that the shadow did not answer, or with an error that the upstream did not"
          + " give",
      Labels.UPSTREAM,
      "error"),
  SHADOW_DURATION(
      Type.HISTOGRAM,
      "penstock_shadow_duration_seconds",
      "Time in seconds to the last byte of the reply to a read that was sent to both: of the"
          + " upstream (side upstream), and of its shadow (side shadow)",
      Labels.UPSTREAM,
      "side"),

  MIRROR_QUEUED(
      Type.GAUGE,
      "penstock_mirror_queued",
      "Number of writes that wait for the copy or are in flight to it",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_QUEUED_BYTES(
      Type.GAUGE,
      "penstock_mirror_queued_bytes",
      "Memory of the writes that wait for the copy or are in flight to it",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_QUEUE_LIMIT(
      Type.GAUGE,
      "penstock_mirror_queue_limit",
      "copy-queue-max-requests: number of writes that may wait for each copy of the upstream",
      Labels.UPSTREAM),
  MIRROR_QUEUE_LIMIT_BYTES(
      Type.GAUGE,
      "penstock_mirror_queue_limit_bytes",
      "copy-queue-max-bytes: memory of the writes that may wait for each copy of the upstream",
      Labels.UPSTREAM),
  MIRROR_LAG(
      Type.GAUGE,
      "penstock_mirror_lag_seconds",
      "Time in seconds that the oldest write has waited for the copy; 0 if none waits",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_BEHIND(
      Type.GAUGE,
      "penstock_mirror_behind",
      "1 if the copy lacks something that only resync brings; 0 if not",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_DONE(
      Type.COUNTER,
      "penstock_mirror_done",
      "Number of writes that the copy has done",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_DROPPED(
      Type.COUNTER,
      "penstock_mirror_dropped",
      "Number of writes that the copy did not get",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_UNKNOWN(
      Type.COUNTER,
      "penstock_mirror_unknown",
      "Number of writes that the copy may have done or not; their keys are copied again",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_DIFFERING(
      Type.COUNTER,
      "penstock_mirror_differing",
      "Number of replies of the copy that were not the primary's; the keys are copied again",
      Labels.UPSTREAM,
      "copy",
      "command"),
  MIRROR_COPIED_AGAIN(
      Type.COUNTER,
      "penstock_mirror_copied_again",
      "Number of keys that were copied again whole",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_RESYNC_STATE(
      Type.GAUGE,
      "penstock_mirror_resync_state",
      "1 for the state of the last resync of the copy, 0 for the others; absent if there was none",
      Labels.UPSTREAM,
      "copy",
      "state"),
  MIRROR_RESYNC_KEYS(
      Type.GAUGE,
      "penstock_mirror_resync_keys",
      "Keys that the last resync of the copy is done with",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_RESYNC_ESTIMATE(
      Type.GAUGE,
      "penstock_mirror_resync_estimated_keys",
      "Estimate of all keys that the last resync of the copy has to walk, those of both sides",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_RESYNC_FAILED(
      Type.GAUGE,
      "penstock_mirror_resync_failed_keys",
      "Keys that the last resync could not copy",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_COMPARE_STATE(
      Type.GAUGE,
      "penstock_mirror_compare_state",
      "1 for the state of the last comparison of the copy, 0 for the others; absent if there was"
          + " none",
      Labels.UPSTREAM,
      "copy",
      "state"),
  MIRROR_COMPARE_KEYS(
      Type.GAUGE,
      "penstock_mirror_compare_keys",
      "Keys that the last comparison of the copy is done with",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_COMPARE_ESTIMATE(
      Type.GAUGE,
      "penstock_mirror_compare_estimated_keys",
      "Estimate of all keys that the last comparison of the copy has to walk, those of both sides",
      Labels.UPSTREAM,
      "copy"),
  MIRROR_COMPARE_DIFFERING(
      Type.GAUGE,
      "penstock_mirror_compare_differing_keys",
      "Keys that differ at the copy by the last comparison, also when they were read again",
      Labels.UPSTREAM,
      "copy"),

  USER_CLIENTS(
      Type.GAUGE, "penstock_user_clients", "Number of clients of a user", Labels.USERS, "user"),
  USER_BYTES_IN_FLIGHT(
      Type.GAUGE,
      "penstock_user_bytes_in_flight",
      "Number of bytes of requests of a user that have no reply yet (max-bytes-in-flight)",
      Labels.USERS,
      "user"),
  USER_LOGINS(
      Type.COUNTER,
      "penstock_user_logins",
      "Number of logins of a user, by password or certificate",
      Labels.USERS,
      "user"),
  USER_LOGIN_FAILURES(
      Type.COUNTER,
      "penstock_user_login_failures",
      "Number of failed logins of a user that exists",
      Labels.USERS,
      "user"),
  USER_DENIALS(
      Type.COUNTER,
      "penstock_user_denials",
      "Number of requests that the rules of a user do not permit (-NOPERM)",
      Labels.USERS,
      "user"),
  USER_REJECTED(
      Type.COUNTER,
      "penstock_user_rejected",
      "Number of requests and logins that were rejected because of a limit of a user",
      Labels.USERS,
      "user",
      "limit"),
  USER_DELAYED(
      Type.COUNTER,
      "penstock_user_delayed",
      "Number of requests that waited because of the rate limit of a user (excess: wait)",
      Labels.USERS,
      "user"),

  TOPOLOGY_REFRESHES(
      Type.COUNTER,
      "penstock_topology_refreshes",
      "Number of refreshes of the topology",
      Labels.UPSTREAM,
      "trigger",
      "outcome"),
  TOPOLOGY_LAST_SUCCESS(
      Type.GAUGE,
      "penstock_topology_last_success_timestamp_seconds",
      "Unix time in seconds of the last successful refresh of the topology; absent for redis://"
          + " and redis-proxies://",
      Labels.UPSTREAM),
  SENTINELS(
      Type.GAUGE,
      "penstock_sentinels",
      "Number of sentinels at the last refresh of the topology; absent without Sentinel. Of shards"
          + " with several masters: those of the master that lacks most for a failover",
      Labels.UPSTREAM,
      "state"),
  SLOTS_COVERED(
      Type.GAUGE,
      "penstock_slots_covered",
      "Number of the 16384 slots that a master has served within the last 5 seconds: it has answered"
          + " the health check, and its cluster is not down",
      Labels.UPSTREAM),

  PUBSUB_SUBSCRIPTIONS(
      Type.GAUGE,
      "penstock_pubsub_subscriptions",
      "Number of distinct channels, patterns and shard channels that clients subscribe to",
      Labels.UPSTREAM,
      "kind"),
  PUBSUB_MESSAGES(
      Type.COUNTER,
      "penstock_pubsub_messages",
      "Number of messages delivered to clients; one published message counts once per client",
      Labels.LISTENER),

  TCP_SERVER_UP(
      Type.GAUGE,
      "penstock_tcp_server_up",
      "1 if clients may get the TCP server, 0 if it is down, fails its health check, or its latest"
          + " connect failed",
      Labels.UPSTREAM,
      "server"),
  TCP_CONNECTIONS(
      Type.GAUGE,
      "penstock_tcp_connections",
      "Number of clients that have the TCP server: its open connections, and those that are being"
          + " made",
      Labels.UPSTREAM,
      "server"),
  TCP_CONNECTIONS_OPENED(
      Type.COUNTER,
      "penstock_tcp_connections_opened",
      "Number of connections made to the TCP server",
      Labels.UPSTREAM,
      "server"),
  TCP_CONNECT_FAILURES(
      Type.COUNTER,
      "penstock_tcp_connect_failures",
      "Number of connects to the TCP server that failed or took too long",
      Labels.UPSTREAM,
      "server"),
  TCP_SENT_BYTES(
      Type.COUNTER,
      "penstock_tcp_sent_bytes",
      "Number of bytes from clients to the TCP server",
      Labels.UPSTREAM,
      "server"),
  TCP_RECEIVED_BYTES(
      Type.COUNTER,
      "penstock_tcp_received_bytes",
      "Number of bytes from the TCP server to clients",
      Labels.UPSTREAM,
      "server"),
  TCP_CLIENTS_TURNED_AWAY(
      Type.COUNTER,
      "penstock_tcp_clients_turned_away",
      "Number of clients that were closed because no TCP server could be had",
      Labels.UPSTREAM),

  TLS_BUNDLE_RELOADS(
      Type.COUNTER,
      "penstock_tls_bundle_reloads",
      "Number of times that the files of the SSL bundle changed",
      "bundle",
      "outcome"),
  TLS_BUNDLE_CURRENT(
      Type.GAUGE,
      "penstock_tls_bundle_current",
      "1 if new connections use the latest content of the bundle's files, 0 if it was rejected and"
          + " an earlier one is used",
      "bundle"),

  EVENT_LOOP_LAG(
      Type.GAUGE,
      "penstock_event_loop_lag_seconds",
      "Delay of the event loop's latest tick, in seconds",
      "loop"),
  EVENT_LOOP_LAG_MAX(
      Type.GAUGE,
      "penstock_event_loop_lag_max_seconds",
      "Longest delay of a tick of the event loop since the start, in seconds",
      "loop"),
  STATS_AGE(
      Type.GAUGE,
      "penstock_stats_age_seconds",
      "Age in seconds of the values that event loops report; grows while a loop does not respond"),

  CONFIGURATION_VERSION(
      Type.GAUGE,
      "penstock_configuration_version",
      "Version of the configuration in force: 1 at the start, and one more for each change that was"
          + " applied"),
  CONFIGURATION_HASH(
      Type.GAUGE,
      "penstock_configuration_hash",
      "Hash of the configuration in force, without secrets and SSL bundles: the same on all instances"
          + " of one version of Penstock that follow the same configuration"),
  CONFIGURATION_APPLIED(
      Type.GAUGE,
      "penstock_configuration_applied_timestamp_seconds",
      "Unix time in seconds since when the configuration is in force"),
  CONFIGURATION_RELOADS(
      Type.COUNTER,
      "penstock_configuration_reloads",
      "Number of times that the configuration was read again",
      "outcome"),
  CONFIGURATION_LAST_RELOAD_REFUSED(
      Type.GAUGE,
      "penstock_configuration_last_reload_refused",
      "1 if the last reload was refused, so that the files and the configuration in force differ,"
          + " else 0"),
  CONFIGURATION_RESTART_PENDING(
      Type.GAUGE,
      "penstock_configuration_restart_pending",
      "Number of keys whose values in the files are in force only after a restart"),

  MANAGEMENT_REQUESTS_REJECTED(
      Type.COUNTER,
      "penstock_management_requests_rejected",
      "Number of connections and requests that the management port rejected",
      "reason");

  /** Names of labels that many metrics have. */
  private static final class Labels {
    static final String LISTENER = "listener";
    static final String UPSTREAM = "upstream";
    static final String USERS = "users";
  }

  /** The types that Prometheus knows and Penstock uses. */
  public enum Type {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  private static final String BYTES = "_bytes";

  private final Type type;
  private final String baseName;
  private final String help;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> labels;

  Metric(Type type, String baseName, String help, String... labels) {
    this.type = type;
    this.baseName = baseName;
    this.help = help;
    this.labels = List.of(labels);
  }

  Type type() {
    return type;
  }

  /** Returns the name that Prometheus shows. */
  String exportedName() {
    return type == Type.COUNTER ? baseName + "_total" : baseName;
  }

  /** Returns the name without {@code _total}. */
  String baseName() {
    return baseName;
  }

  public String help() {
    return help;
  }

  /** Returns the names of the labels. */
  List<String> labels() {
    return labels;
  }

  /** Returns the name of the same metric as a meter of Micrometer, which adds a base unit. */
  public String meterName() {
    String name =
        baseName.endsWith(BYTES)
            ? baseName.substring(0, baseName.length() - BYTES.length())
            : baseName;
    return name.replace('_', '.');
  }

  /** Returns an empty family of a counter or a gauge. */
  Family family() {
    return switch (type) {
      case COUNTER -> Family.counter(baseName, help);
      case GAUGE -> Family.gauge(baseName, help);
      case HISTOGRAM -> throw new IllegalStateException(baseName + " is a histogram");
    };
  }

  HistogramSnapshot.Builder histogram() {
    return HistogramSnapshot.builder().name(baseName).help(help);
  }
}
