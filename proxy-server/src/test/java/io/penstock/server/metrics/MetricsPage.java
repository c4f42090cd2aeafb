package io.penstock.server.metrics;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.server.GeneratedTables;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The tables of {@code docs/reference/metrics.md}, made of {@link Metric}. A block of the page
 * names the beginnings of the names of its metrics.
 */
final class MetricsPage {

  static final Path FILE = Path.of("../docs/reference/metrics.md");

  private static final String LABELS = "labels";

  private MetricsPage() {}

  /** Returns the metrics of all blocks of the page. */
  static List<Metric> documented() throws IOException {
    return GeneratedTables.contents(FILE).stream()
        .filter(content -> !content.equals(LABELS))
        .flatMap(prefixes -> metrics(prefixes).stream())
        .toList();
  }

  /** Returns the table of a block. */
  static String table(String content) {
    return content.equals(LABELS) ? labels() : metricsTable(content);
  }

  private static List<Metric> metrics(String prefixes) {
    List<String> all = List.of(prefixes.split("\\s+"));
    List<Metric> metrics =
        Arrays.stream(Metric.values())
            .filter(metric -> all.stream().anyMatch(metric.exportedName()::startsWith))
            .toList();
    if (metrics.isEmpty()) {
      throw new IllegalStateException("no metric begins with " + prefixes);
    }
    return metrics;
  }

  private static String metricsTable(String prefixes) {
    return metrics(prefixes).stream()
        .map(metric ->
            "| `%s` | %s | %s | %s | %s |\n"
                .formatted(
                    metric.exportedName(),
                    metric.type().name().toLowerCase(Locale.ROOT),
                    unit(metric),
                    metric.labels().stream()
                        .map(label -> "`" + label + "`")
                        .collect(Collectors.joining(", ")),
                    metric.help()))
        .collect(
            Collectors.joining(
                "", "| Name | Type | Unit | Labels | Meaning |\n|---|---|---|---|---|\n", ""));
  }

  private static String unit(Metric metric) {
    String name = metric.baseName();
    return name.endsWith("_seconds") ? "seconds" : name.endsWith("_bytes") ? "bytes" : "";
  }

  private static String labels() {
    StringBuilder text =
        new StringBuilder("| Metric | Label | Value | Meaning |\n|---|---|---|---|\n");
    Set<String> seen = new HashSet<>();
    for (Metric metric : Metric.values()) {
      for (String label : metric.labels()) {
        long metrics =
            Arrays.stream(Metric.values()).filter(other -> same(other, metric, label)).count();
        if (metrics == 1 || seen.add(label)) {
          String name = metrics == 1 ? "`" + metric.exportedName() + "`" : "all with this label";
          values(metric, label)
              .forEach((value, meaning) ->
                  text.append("| %s | `%s` | %s | %s |\n".formatted(name, label, value, meaning)));
        }
      }
      if (metric.type() == Metric.Type.HISTOGRAM) {
        text.append("| `%s` | `le` | %s |\n".formatted(metric.exportedName(), buckets()));
      }
    }
    return text.toString();
  }

  /** Returns whether a label means the same for two metrics. */
  private static boolean same(Metric one, Metric other, String label) {
    return one.labels().contains(label) && values(one, label).equals(values(other, label));
  }

  private static String buckets() {
    long[] bounds = DurationBuckets.upperBounds();
    return "a number | Upper bound of the bucket in seconds: %s, then each twice the previous one, up to %s, and `+Inf`"
        .formatted(seconds(bounds[0]), seconds(bounds[bounds.length - 1]));
  }

  private static String seconds(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  /** Returns the values of a label, in back quotes if they are literal, and their meanings. */
  static Map<String, String> values(Metric metric, String label) {
    return switch (label) {
      case "command" ->
          Map.of(
              "a command", "Its name in upper case. The series exists once the command was used");
      case "listener" -> Map.of("a name", "The listener; `default` if there are no others");
      case "upstream" -> Map.of("a name", "The upstream; `default` if there are no others");
      case "bundle" -> Map.of("a name", "The SSL bundle that a listener or an upstream uses");
      case "state" ->
          switch (metric) {
            case SENTINELS ->
                of(
                    "known", "All, as far as those that answer tell",
                    "answering", "Those that answer",
                    "agreeing", "Those that name the master that Penstock uses");
            case MIRROR_RESYNC_STATE, MIRROR_COMPARE_STATE -> jobStates();
            default -> replicaStates();
          };
      case "users" ->
          Map.of("a key", "The section of the configuration with the users: `penstock.users`");
      case "user" ->
          Map.of("a name", "The user; `(other users)` for all but the first 100 of the section");
      case "limit" ->
          of(
              "rate", "`rate-limit`",
              "connections", "`max-connections`",
              "bytes_in_flight", "`max-bytes-in-flight`");
      case "copy" -> Map.of("a name", "The upstream that is the copy");
      case "node" -> Map.of("an address", "`host:port` of the node, or its Unix socket");
      case "server" -> Map.of("an address", "`host:port` of the TCP server, or its Unix socket");
      case "loop" -> Map.of("a number", "Index of the event loop, from 0");
      case "role" -> of("master", "Master", "replica", "Replica");
      case "kind" -> of("channel", "Channels", "pattern", "Patterns", "shard", "Shard channels");
      case "prefix" -> of(ErrorPrefix.class, ErrorPrefix::label, MetricsPage::meaning);
      case "type" -> of(RetryablePrefix.class, MetricsPage::lower, MetricsPage::meaning);
      case "trigger" -> of(RefreshTrigger.class, MetricsPage::lower, MetricsPage::meaning);
      case "outcome" -> outcomes(metric);
      case "reason" ->
          switch (metric) {
            case MANAGEMENT_REQUESTS_REJECTED -> managementReasons();
            case SHADOW_SKIPPED -> of(Skipped.class, Skipped::label, MetricsPage::meaning);
            default -> of(CloseReason.class, MetricsPage::lower, MetricsPage::meaning);
          };
      case "side" -> of("upstream", "The upstream that clients read", "shadow", "Its shadow");
      case "error" -> shadowErrors();
      default -> throw new IllegalStateException(metric + " has the unknown label " + label);
    };
  }

  private static Map<String, String> jobStates() {
    Map<String, String> states = new LinkedHashMap<>();
    for (CopyJobStatus.State state : CopyJobStatus.State.values()) {
      String meaning =
          switch (state) {
            case RUNNING -> "It runs, or waits for a copy that does not keep up";
            case PAUSED -> "A node of either side does not answer; it goes on by itself";
            case STOPPED -> "It was stopped; a resync goes on when it is asked to";
            case ENDED -> "All keys were walked";
            case FAILED -> "It cannot go on";
          };
      states.put("`" + lower(state) + "`", meaning);
    }
    return states;
  }

  private static Map<String, String> replicaStates() {
    Map<String, String> states = new LinkedHashMap<>();
    for (ReplicaState state : ReplicaState.values()) {
      states.put("`" + state.label() + "`", "The replica " + state.description());
    }
    return states;
  }

  private static Map<String, String> outcomes(Metric metric) {
    return switch (metric) {
      case COMMANDS -> of(Outcome.class, MetricsPage::lower, MetricsPage::meaning);
      case FAILOVER_HOLD_OUTCOMES ->
          of(HeldOutcome.class, MetricsPage::lower, MetricsPage::meaning);
      case CONFIGURATION_RELOADS ->
          of(
              "applied", "What had changed is in force",
              "unchanged", "Nothing had changed, or only what needs a restart",
              "refused", "The configuration could not be used; the earlier one stays in force");
      case TLS_BUNDLE_RELOADS ->
          of(
              "applied",
              "New connections use the new content",
              "rejected",
              "The new content cannot be used, and the earlier one stays");
      default ->
          of("ok", "The refresh succeeded", "error", "No node gave a usable view of the topology");
    };
  }

  private static <E extends Enum<E>> Map<String, String> of(
      Class<E> type, Function<E, String> label, Function<E, String> meaning) {
    Map<String, String> values = new LinkedHashMap<>();
    for (E constant : type.getEnumConstants()) {
      values.put("`" + label.apply(constant) + "`", meaning.apply(constant));
    }
    return values;
  }

  private static Map<String, String> of(String... valuesAndMeanings) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < valuesAndMeanings.length; i += 2) {
      values.put("`" + valuesAndMeanings[i] + "`", valuesAndMeanings[i + 1]);
    }
    return values;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, String> shadowErrors() {
    Map<String, String> errors = new LinkedHashMap<>();
    errors.put("a word", "The first word of its error, such as `NOPERM`; `other` for unusual ones");
    errors.put("`timeout`", "No reply came in the `command-timeout` of the shadow");
    errors.put("`connlost`", "The connection was lost before the reply");
    errors.put("`unavailable`", "No node of the shadow could be reached, or none has the slot");
    errors.put("`overloaded`", "A limit of the connections to the shadow was reached");
    return errors;
  }

  private static String meaning(Skipped reason) {
    return switch (reason) {
      case DATABASE -> "The client has selected another database";
      case CROSS_SLOT -> "The keys are in several slots or partitions of the shadow";
      case LARGE -> "The request has more than 16 KiB";
      case FULL -> "128 reads of the event loop were under way, or the node did not keep up";
      case UNANSWERED -> "The upstream itself did not answer, or with an error";
      case NOT_REPEATED -> "The replies differed, and 64 others were being read again";
      case CHANGING -> "The replies differed, and the value changed each time it was read again";
    };
  }

  private static String meaning(Outcome outcome) {
    return switch (outcome) {
      case OK -> "The reply is not an error";
      case ERROR -> "The reply is an error of the node";
      case REJECTED ->
          "Penstock rejected the command without sending it, for example for a wrong number of"
              + " arguments, `NOAUTH`, `CROSSSLOT`, or a request that is too long by itself";
      case TIMEOUT -> "The client got `-TIMEOUT`";
      case UNAVAILABLE -> "The client got `-UNAVAILABLE` or `-CLUSTERDOWN` of Penstock";
      case CONNLOST -> "The client got `-CONNLOST`";
      case OVERLOADED ->
          "The client got `-OVERLOADED`: too many requests are in flight or held, or no connection"
              + " was free";
    };
  }

  private static String meaning(CloseReason reason) {
    return switch (reason) {
      case OUTPUT_HARD_LIMIT -> "`client-output-buffer-limit.*.hard-limit`";
      case OUTPUT_SOFT_LIMIT -> "`client-output-buffer-limit.*.soft-limit` and `soft-seconds`";
      case MEMORY -> "`maxmemory-clients`, or a third of the heap";
      case IDLE -> "`client-timeout.idle`";
      case AUTHENTICATION -> "`client-timeout.authentication`";
      case REQUEST -> "`client-timeout.request`";
      case REPLY -> "`client-timeout.reply`";
      case PROTOCOL -> "The client sent bytes that are no request, or a request that is too long";
      case PROXY_PROTOCOL ->
          "The connection did not begin with a valid PROXY protocol header in time, or its address"
              + " is not in `proxy-protocol.from`";
      case TLS -> "The TLS handshake failed, or took longer than `tls.handshake-timeout`";
    };
  }

  private static String meaning(HeldOutcome outcome) {
    return switch (outcome) {
      case SERVED -> "A node accepted the request, or it was answered";
      case FAILED ->
          "The request waited for `failover-hold`, or Penstock stopped; the client got an error";
      case DISCONNECTED -> "The client disconnected";
      case REJECTED -> "`failover-hold-requests` was reached, and the client got `-OVERLOADED`";
    };
  }

  private static String meaning(RefreshTrigger trigger) {
    return switch (trigger) {
      case STARTUP -> "Penstock starts";
      case PERIODIC -> "`topology.refresh-period` has passed";
      case MOVED -> "A node replied `-MOVED`";
      case ASK -> "A node replied `-ASK`";
      case RECONNECT -> "A connection to a node was lost";
      case UNCOVERED_SLOT -> "A request needs a slot that no master serves";
      case UNKNOWN_NODE -> "A redirect names no usable node";
      case READONLY -> "A node replied `-READONLY`";
      case SENTINEL -> "A sentinel reported a new master or a change of a replica";
      case HELD -> "Requests wait in a failover hold";
      case NO_REPLY -> "A node has not answered a command in time";
    };
  }

  private static String meaning(ErrorPrefix prefix) {
    return switch (prefix) {
      case ERR -> "Errors without a word of their own, such as a wrong number of arguments";
      case WRONGTYPE -> "The key has another type than the command is for";
      case OOM -> "`maxmemory` is reached, and the node may not evict enough keys";
      case MISCONF -> "The node cannot save its data, and rejects writes because of that";
      case READONLY -> "The node is a replica";
      case NOREPLICAS -> "The node has fewer replicas than `min-replicas-to-write`";
      case CLUSTERDOWN -> "The cluster does not serve the slot, or serves none";
      case MASTERDOWN -> "The node is a replica without its master";
      case LOADING -> "The node loads its data";
      case BUSY -> "The node runs a script";
      case NOAUTH -> "The node requires a password";
      case WRONGPASS -> "The node rejects Penstock's user or password";
      case NOPERM -> "Penstock's user has no permission for the command, key or channel";
      case MOVED -> "The slot is on another node";
      case ASK -> "The key is on the node that the slot moves to";
      case TRYAGAIN -> "Some keys of the command have moved, others have not";
      case CROSSSLOT -> "The keys of a script or of a transaction are in several slots";
      case NOSCRIPT -> "The node does not have the script of an `EVALSHA`";
      case EXECABORT -> "A queued command of the transaction was rejected";
      case OTHER -> "Any other word, such as that of a script";
    };
  }

  private static String meaning(RetryablePrefix type) {
    return switch (type) {
      case MOVED -> "`-MOVED`: the slot is on another node";
      case ASK -> "`-ASK`: the key is on the node that the slot moves to";
      case TRYAGAIN -> "`-TRYAGAIN`: some keys of the command have moved, others have not";
      case CLUSTERDOWN -> "`-CLUSTERDOWN`: the cluster does not serve the slot";
      case LOADING -> "`-LOADING`: the node loads its data";
      case READONLY -> "`-READONLY`: the node is a replica";
      case MASTERDOWN -> "`-MASTERDOWN`: the node is a replica without its master";
      case NOSCRIPT -> "`-NOSCRIPT`: the node does not have the script of an `EVALSHA`";
    };
  }

  /** The values are those that the management port exports; a test compares them. */
  private static Map<String, String> managementReasons() {
    return of(
        "connections",
            "The oldest connection was closed because of `server.tomcat.max-connections`",
        "timeout", "The request did not arrive, or its reply was not read, in time",
        "body", "The endpoint reads no body, or not one of that size (413)",
        "length", "The request has a body without `Content-Length` (411)",
        "path", "The path contains `..`, `//`, `;` or similar (400)",
        "token", "The request would change something, and does not have the token (401)",
        "tokens",
            "The request would change something, and its address has tried many wrong tokens (429)",
        "not_local", "The request would change something, and may come from another machine (403)",
        "method", "The endpoint does not support the method (405)",
        "failed", "The endpoint failed (500)",
        "busy", "Too many requests at the same time (503)");
  }
}
