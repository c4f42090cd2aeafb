package io.penstock.server.config;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

/**
 * A new value for a key.
 *
 * @param base what kind of configuration has the key
 * @param value the values of the elements of a list are separated by {@code |}
 */
record KeyChange(String base, String value) {

  /** A value that stands for a file with a password. */
  static final String FILE = "FILE";

  /** A value that stands for a file with a resource table. */
  static final String TABLE = "TABLE";

  /** A value that stands for a file with users. */
  static final String ACL = "ACL";

  /** By keys without {@code penstock.} and without what names their listener or upstream. */
  private static final Map<String, KeyChange> CHANGES =
      Map.ofEntries(
          entry("port", in("plain", "77")),
          entry("bind", in("plain", "127.0.0.1")),
          entry("path", in("unix", "/run/o.sock")),
          entry("mode", in("unix", "0600")),
          entry("owner", in("unix", "2")),
          entry("upstream", in("plain", "other")),
          entry("max-clients", in("plain", "77")),
          entry("max-connection-rate", in("plain", "77")),
          entry("tcp-keepalive", in("plain", "7s")),
          entry("password", in("plain", "other")),
          entry("password-file", in("secrets", FILE)),
          entry("password-overlap", in("plain", "7s")),
          entry("users.rules", in("plain", "user default on nopass ~* +@all")),
          entry("users.acl-file", in("plain", ACL)),
          entry("users.password-selects-user", in("users", "true")),
          entry("users.settings.NAME.password-files", in("users", FILE)),
          entry("users.settings.NAME.rate-limit", in("users", "7/s")),
          entry("users.settings.NAME.burst", in("users", "7")),
          entry("users.settings.NAME.excess", in("users", "wait")),
          entry("users.settings.NAME.max-connections", in("users", "7")),
          entry("users.settings.NAME.max-bytes-in-flight", in("users", "7MB")),
          entry("users.settings.NAME.key-prefix", in("users", "b:")),
          entry("users.settings.NAME.key-prefix-channels", in("users", "true")),
          entry("users.settings.NAME.key-prefix-scripts", in("users", "true")),
          entry("users.settings.NAME.key-prefix-dbsize", in("users", "true")),
          entry("proxy-protocol.from", in("plain", "10.0.0.0/8")),
          entry("proxy-protocol.timeout", in("balancer", "7s")),
          entry("tls.bundle", in("tls", "other")),
          entry("tls.client-auth", in("tls", "want")),
          entry("tls.users[].cn", in("tls", "app")),
          entry("tls.users[].dns", in("tls", "app")),
          entry("tls.users[].uri", in("tls", "app")),
          entry("tls.users[].user", in("certificates", "app")),
          entry("tls.handshake-timeout", in("tls", "7s")),
          entry("tls.verify", in("tls", "ca")),
          entry("tls.server-name", in("tls", "other")),
          entry("proto-max-bulk-len", in("plain", "7MB")),
          entry("client-output-buffer-limit.normal.hard-limit", in("plain", "7MB")),
          entry("client-output-buffer-limit.normal.soft-limit", in("soft", "7MB")),
          entry("client-output-buffer-limit.normal.soft-seconds", in("soft", "7")),
          entry("client-output-buffer-limit.pubsub.hard-limit", in("plain", "77MB")),
          entry("client-output-buffer-limit.pubsub.soft-limit", in("plain", "7MB")),
          entry("client-output-buffer-limit.pubsub.soft-seconds", in("plain", "7")),
          entry("maxmemory-clients", in("plain", "77MB")),
          entry("client-timeout.idle", in("plain", "7s")),
          entry("client-timeout.authentication", in("plain", "7s")),
          entry("client-timeout.request", in("plain", "7s")),
          entry("client-timeout.reply", in("plain", "7s")),
          entry("max-in-flight.per-client", in("plain", "77")),
          entry("max-in-flight.total", in("plain", "7777")),
          entry("max-patterns", in("plain", "77")),
          entry("cross-slot", in("plain", "report")),
          entry("cross-slot-max-bytes", in("plain", "7MB")),
          entry("cross-slot-max-keys", in("plain", "77")),
          entry("cross-slot-scripts", in("plain", "true")),
          entry("cross-slot-poll", in("plain", "7ms")),
          entry("cluster-facade.enabled", in("plain", "true")),
          entry("cluster-facade.nodes", in("facade", "10.0.0.1:7001")),
          entry("cluster-facade.announce-host", in("facade", "10.0.0.7")),
          entry("cluster-facade.announce-port", in("facade", "77")),
          entry("dispatch", in("plain", "sync")),
          entry("sync.max-connections-per-node", in("sync", "77")),
          entry("transport", in("plain", "nio")),
          entry("event-loops", in("plain", "3")),
          entry("event-loop-time-slice", in("plain", "7ms")),
          entry("backend.connect-timeout", in("plain", "7s")),
          entry("backend.command-timeout", in("plain", "7s")),
          entry("backend.connections-per-loop", in("plain", "3")),
          entry("backend.exclusive-connections-per-loop", in("plain", "77")),
          entry("backend.failover-hold", in("plain", "7s")),
          entry("backend.failover-hold-requests", in("plain", "77")),
          entry("backend.max-in-flight-per-connection", in("plain", "77")),
          entry("backend.max-unsent", in("plain", "7MB")),
          entry("topology.refresh-period", in("plain", "7s")),
          entry("topology.min-refresh-interval", in("plain", "7ms")),
          entry("readiness", in("plain", "every-slot")),
          entry("drain-timeout", in("plain", "7s")),
          entry("reload", in("plain", "on-change")),
          entry("management-token", in("plain", "other")),
          entry("management-token-file", in("plain", FILE)),
          entry("reads.from", in("replicas", "replica")),
          entry("reads.balance", in("replicas", "least-in-flight")),
          entry("reads.zone", in("replicas", "other")),
          entry("reads.zones", in("replicas", "h:7=other")),
          entry("reads.max-replica-lag", in("replicas", "7MB")),
          entry("reads.read-your-writes", in("replicas", "7s")),
          entry("commands.allow", in("plain", "debug")),
          entry("commands.deny", in("plain", "get")),
          entry("resource", in("plain", "redis-cluster://h:9")),
          entry("json-file", in("table", TABLE)),
          entry("dynamic", in("table", "true")),
          entry("check-interval-millis", in("table", "77")),
          entry("transpond.redis-conf.sharding-func", in("table", "CRC16HashTagShardingFunc")),
          entry("transpond.redis-conf.shading-func", in("earlier table", "DefaultShardingFunc")),
          entry("transpond.redis-conf.multi-write-mode", in("table", "1")),
          entry("sentinel-password-file", in("sentinel", FILE)),
          entry("proxy-protocol", in("plain", "v2")),
          entry("shards.distribution", in("ring", "modula")),
          entry("shards.hash", in("ring", "crc16")),
          entry("shards.hash-tag", in("ring", "{}")),
          entry("shards.auto-eject.failures", in("ejecting", "7")),
          entry("shards.auto-eject.retry", in("ejecting", "7s")),
          entry("shards.hold", in("ring", "true")),
          entry("shards.servers", in("flat", "redis://h:1,redis://h:9")),
          entry("shards.servers[].to", in("ring", "redis://h:9")),
          entry("shards.servers[].name", in("ring", "another")),
          entry("shards.servers[].weight", in("ring", "7")),
          entry("shards.servers[].token", in("tokens", "77")),
          entry("shards.slots[].range", in("codis", "0-255|256-1023")),
          entry("shards.slots[].list", in("listed", "0,1,2")),
          entry("shards.slots[].to", in("codis", "redis://h:9")),
          entry("split.write", in("split", "third")),
          entry("split.read", in("split", "third")),
          entry("by-prefix[].prefix", in("tenants", "b:")),
          entry("by-prefix[].upstream", in("tenants", "third")),
          entry("otherwise", in("tenants", "third")),
          entry("weighted[].upstream", in("canary", "third")),
          entry("weighted[].weight", in("canary", "7")),
          entry("by", in("canary", "client")),
          entry("tcp.servers", in("tcp", "h:9 weight=2")),
          entry("tcp.balance", in("tcp", "hash")),
          entry("tcp.connect-timeout", in("tcp", "7s")),
          entry("tcp.next-server", in("tcp", "false")),
          entry("tcp.next-server-tries", in("tcp", "7")),
          entry("tcp.next-server-timeout", in("tcp", "7s")),
          entry("tcp.idle-timeout", in("tcp", "7s")),
          entry("tcp.buffer-size", in("tcp", "7KB")),
          entry("tcp.tls", in("tcp", "true")),
          entry("tcp.health-check.interval", in("tcp", "7s")),
          entry("tcp.health-check.timeout", in("tcp", "7s")),
          entry("tcp.health-check.fails", in("tcp", "7")),
          entry("tcp.health-check.passes", in("tcp", "7")),
          entry("tcp.health-check.send", in("tcp", "PING")),
          entry("tcp.health-check.expect", in("tcp", "PONG")),
          entry("shadow.upstream", in("shadowed", "copy-too")),
          entry("shadow.share", in("shadowed", "7.5")),
          entry("primary", in("copied", "copy-too")),
          entry("copies", in("copied", "copy-too")),
          entry("reply", in("copied", "all")),
          entry("copy-queue-max-requests", in("copied", "77")),
          entry("copy-queue-max-bytes", in("copied", "77MB")));

  private static KeyChange in(String base, String value) {
    return new KeyChange(base, value);
  }

  /** Returns the change of a key; fails if there is none. */
  static KeyChange of(String key) {
    KeyChange change = CHANGES.get(suffix(key));
    assertThat(change).as("a change of %s", key).isNotNull();
    return Objects.requireNonNull(change);
  }

  /** Returns a key without what names its listener or upstream. */
  static String suffix(String key) {
    return key.replaceFirst(
        "^penstock\\.(transpond\\.local\\.(?!type)|(listeners|upstreams)\\.NAME\\.)?", "");
  }
}
