package io.penstock.server.config;

import static java.util.Objects.requireNonNullElse;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.layout.Distribution;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.tcp.TcpBalance;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.server.change.Change;
import io.penstock.server.change.Effect;
import io.penstock.server.change.ReloadMode;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.Delimiter;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The configuration below {@code penstock}. Each {@code @param} text is the description of its key
 * in {@code docs/reference/configuration.md}, which is generated, and in IDEs: one or two short
 * sentences, with units. {@link Between}, {@link DefaultValue} and {@link Change} are shown there
 * too.
 *
 * @param port TCP port that clients connect to. `0` selects a free port; the log shows it.
 * @param bind Addresses to listen on: one or a list. `0.0.0.0` is every address of this machine,
 *     IPv4 and IPv6; `127.0.0.1` accepts clients of this machine only.
 * @param path Unix socket that clients connect to, in place of `port` and `bind`: an absolute path,
 *     or `@name` for an abstract name of Linux.
 * @param mode Permissions of the file of `path`, as octal text in quotes such as `"0660"`; clients
 *     need the write permission. If not set, the umask decides.
 * @param owner Owner and group of the file of `path`: `user`, `user:group` or `:group`, as names or
 *     numbers. If not set, those of the process.
 * @param dispatch How commands reach the nodes. With `async`, clients share connections; with
 *     `sync`, each client has a thread, and a connection of its own while a command runs.
 * @param sync Settings of `dispatch: sync`.
 * @param transport Netty transport. `auto` selects the best one that works on this machine; the log
 *     shows which.
 * @param eventLoops Number of event loops. If not set, one for each processor.
 * @param eventLoopTimeSlice Time slice that event loops request from Linux 6.12 or newer where they
 *     share processors with other threads. `0` keeps the default of the kernel.
 * @param maxClients Maximum number of clients. Further connections are rejected as in Redis. A low
 *     `ulimit -n` lowers it; the log says so.
 * @param maxConnectionRate Maximum number of connections accepted in a second. Further ones wait.
 *     `0` is no limit.
 * @param tcpKeepalive Idle time after which TCP keepalive probes a client, as in Redis. `0`
 *     disables the probes. macOS uses its own time.
 * @param password Password of user `default`, which clients must send with `AUTH`. If not set,
 *     clients need no authentication.
 * @param passwordFile File whose first line is the password, instead of `password`.
 * @param passwordOverlap Time during which the earlier password of clients is valid too after a
 *     change. `0` ends it at once.
 * @param users Who may connect, and what each may do: in place of `password`.
 * @param proxyProtocol PROXY protocol of a load balancer before Penstock.
 * @param tls TLS of clients.
 * @param protoMaxBulkLen Maximum size of one argument of a command, as in Redis.
 * @param clientOutputBufferLimit Limits of the replies that one client leaves unread, as in Redis.
 * @param maxmemoryClients Maximum memory of all clients together, as in Redis: above it, the client
 *     that uses the most is closed. If not set, half of the direct memory. `0` is no limit.
 * @param clientTimeout Times after which a client is closed.
 * @param maxInFlight Limits of requests that are not answered yet.
 * @param maxPatterns Maximum number of patterns that one client may be subscribed to. A request
 *     with more gets `-ERR max number of patterns reached`.
 * @param crossSlot Commands over several slots that cannot be divided: `reject` gives `-CROSSSLOT`,
 *     `report` too, but counts and logs those that `emulate` would carry out; `emulate` carries
 *     them out in steps.
 * @param crossSlotMaxBytes Maximum size of the values that one such command may collect. Above it,
 *     the client gets `-OVERLOADED`.
 * @param crossSlotMaxKeys Maximum number of keys of one such command.
 * @param crossSlotScripts Whether scripts that only read (`EVAL_RO`, `EVALSHA_RO`, `FCALL_RO`) are
 *     carried out on copies of their keys.
 * @param crossSlotPoll Time between two looks at keys of several slots that a client waits for.
 * @param drainTimeout Time that clients have to end what they have begun, after a change of the
 *     configuration without their listener or with other servers for it, and when it is drained.
 * @param backend Connections to the nodes.
 * @param topology How Penstock keeps its view of the nodes up to date.
 * @param reads Which nodes serve commands that only read.
 * @param commands Which commands clients may use.
 * @param readiness Slots that masters must serve before the readiness probe succeeds: none, at
 *     least one, or all.
 * @param reload What makes Penstock read its configuration again: `on-signal`, SIGHUP and a request
 *     to the management port; `on-change`, also a change of one of its files.
 * @param managementToken Token that requests to the management port which change something must
 *     have. If not set, such requests are accepted from this machine only.
 * @param managementTokenFile File whose first line is the token, instead of `management-token`.
 * @param transpond Where commands are sent to.
 * @param clusterFacade The Redis Cluster that Penstock presents to clients.
 * @param listeners The listeners, by name. If there are none, `port` and `bind` or `path`,
 *     `password` and `cluster-facade` describe the only one, `default`.
 * @param upstreams The upstreams, by name: a section, or only a URL. `transpond` is the upstream
 *     `default`.
 */
@ConfigurationProperties(PropertiesReader.PREFIX)
@Validated
public record PenstockProperties(
    @Change(Effect.LIVE) @DefaultValue("6380") @Between(min = "0", max = "65535") int port,
    @Change(Effect.LIVE) @DefaultValue("0.0.0.0") List<String> bind,
    @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty") @Nullable String path,
    @Change(Effect.RESTART) @Nullable String mode,
    @Change(Effect.RESTART) @Size(min = 1, message = "must not be empty") @Nullable String owner,
    @Change(Effect.RESTART) @DefaultValue("async") Dispatch dispatch,
    @Change(Effect.RESTART) @DefaultValue @Valid Sync sync,
    @Change(Effect.RESTART) @DefaultValue("auto") Transport transport,
    @Change(Effect.RESTART) @Between(min = "1", max = "1024") @Nullable Integer eventLoops,
    @Change(Effect.RESTART) @DefaultValue("5ms") @Between(min = "1ms", max = "100ms", orZero = true)
        Duration eventLoopTimeSlice,
    @Change(Effect.LIVE) @DefaultValue("10000") @Between(min = "1") int maxClients,
    @Change(Effect.LIVE) @DefaultValue("0") @Between(min = "0", max = "1000000")
        int maxConnectionRate,
    @Change(Effect.LIVE) @DefaultValue("300s") @Between(min = "1s", max = "9h", orZero = true)
        Duration tcpKeepalive,
    @Change(Effect.LIVE)
        @Size(min = 1, message = "must not be empty: that would admit every client")
        @Nullable String password,
    @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty")
        @Nullable String passwordFile,
    @Change(Effect.LIVE) @DefaultValue("5m") @Between(min = "0", max = "24h")
        Duration passwordOverlap,
    @Change(Effect.LIVE) @Valid @Nullable Users users,
    @Change(Effect.LIVE) @DefaultValue @Valid ProxyProtocol proxyProtocol,
    @Change(Effect.LIVE) @DefaultValue @Valid ClientTls tls,
    @Change(Effect.LIVE) @DefaultValue("512MB") @Between(min = "1MB", max = "2047MB")
        DataSize protoMaxBulkLen,
    @Change(Effect.LIVE) @DefaultValue @Valid ClientOutputBufferLimit clientOutputBufferLimit,
    @Change(Effect.LIVE) @Between(min = "0") @Nullable DataSize maxmemoryClients,
    @Change(Effect.LIVE) @DefaultValue @Valid ClientTimeout clientTimeout,
    @Change(Effect.LIVE) @DefaultValue @Valid MaxInFlight maxInFlight,
    @Change(Effect.LIVE) @DefaultValue("10000") @Between(min = "0", max = "1000000")
        int maxPatterns,
    @Change(Effect.LIVE) @DefaultValue("reject") CrossSlot crossSlot,
    @Change(Effect.LIVE) @DefaultValue("64MB") @Between(min = "1KB", max = "2047MB")
        DataSize crossSlotMaxBytes,
    @Change(Effect.LIVE) @DefaultValue("1024") @Between(min = "2", max = "1000000")
        int crossSlotMaxKeys,
    @Change(Effect.LIVE) @DefaultValue("false") boolean crossSlotScripts,
    @Change(Effect.LIVE) @DefaultValue("20ms") @Between(min = "1ms", max = "10s")
        Duration crossSlotPoll,
    @Change(Effect.LIVE) @DefaultValue("30s") @Between(min = "0", max = "24h")
        Duration drainTimeout,
    @Change(Effect.LIVE) @DefaultValue @Valid Backend backend,
    @Change(Effect.LIVE) @DefaultValue @Valid Topology topology,
    @Change(Effect.LIVE) @DefaultValue @Valid Reads reads,
    @Change(Effect.LIVE) @DefaultValue Commands commands,
    @Change(Effect.LIVE) @DefaultValue("any-slot") Readiness readiness,
    @Change(Effect.LIVE) @DefaultValue("on-signal") ReloadMode reload,
    @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty: any request would have it")
        @Nullable String managementToken,
    @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty")
        @Nullable String managementTokenFile,
    @Change(Effect.DRAINS) @DefaultValue @Valid Transpond transpond,
    @Change(Effect.LIVE) @DefaultValue @Valid ClusterFacade clusterFacade,
    @Change(Effect.LIVE) @DefaultValue Map<String, @Valid Listener> listeners,
    @Change(Effect.LIVE) @DefaultValue Map<String, @Valid Upstream> upstreams) {

  public PenstockProperties {
    bind = List.copyOf(bind);
    listeners = Collections.unmodifiableMap(new LinkedHashMap<>(listeners)); // keeps the order
    upstreams = Collections.unmodifiableMap(new LinkedHashMap<>(upstreams));
  }

  /** Returns the listener that the keys outside of {@code listeners} describe. */
  public Listener defaultListener() {
    return new Listener(
        path == null ? port : null,
        bind,
        path,
        mode,
        owner,
        null,
        password,
        passwordFile,
        passwordOverlap,
        users,
        maxClients,
        maxConnectionRate,
        tcpKeepalive,
        proxyProtocol,
        tls,
        protoMaxBulkLen,
        clientOutputBufferLimit,
        maxmemoryClients,
        clientTimeout,
        maxInFlight,
        maxPatterns,
        crossSlot,
        clusterFacade);
  }

  /** Returns the upstream that {@code transpond} describes. */
  public Upstream defaultUpstream() {
    Local local = transpond.local();
    return upstreamOf(local.resource(), local.passwordFile(), local.sentinelPasswordFile());
  }

  private static final int COPY_QUEUE_REQUESTS = 100_000; // as by default; without copies
  private static final DataSize COPY_QUEUE_BYTES = DataSize.ofMegabytes(64);

  /** Returns the upstream with this resource that has no keys of its own. */
  public Upstream upstreamOf(String resource) {
    return upstreamOf(resource, null, null);
  }

  private Upstream upstreamOf(
      @Nullable String resource, @Nullable String password, @Nullable String sentinelPassword) {
    return new Upstream(
        resource,
        password,
        sentinelPassword,
        null,
        null,
        List.of(),
        null,
        List.of(),
        null,
        null,
        List.of(),
        null,
        COPY_QUEUE_REQUESTS,
        COPY_QUEUE_BYTES,
        null,
        transpond.local().tls(),
        transpond.local().proxyProtocol(),
        reads,
        transpond.local().shadow(),
        backend,
        topology,
        crossSlot);
  }

  @Override
  public String toString() {
    return "PenstockProperties[bind=" + bind + ", port=" + port + "]"; // no password, no URL
  }

  /** How commands reach the nodes. */
  public enum Dispatch {
    /** On event loops, over shared connections: no thread waits for a reply. */
    ASYNC,
    /** One thread per client, which waits for each reply on its own connection. */
    SYNC
  }

  /**
   * Settings of {@code dispatch: sync}.
   *
   * @param maxConnectionsPerNode Maximum number of connections to one node. Event loops share it
   *     evenly, so it must not be less than `penstock.event-loops`.
   */
  public record Sync(
      @DefaultValue("256") @Between(min = "1", max = "65536") int maxConnectionsPerNode) {}

  /**
   * PROXY protocol of a load balancer before Penstock.
   *
   * @param from Addresses and ranges of the load balancers, such as `10.0.0.0/8`. Only they may
   *     connect then, and each connection must begin with a header. If not set, there is none.
   * @param timeout Time from the connect to the end of the header.
   */
  public record ProxyProtocol(
      @DefaultValue List<String> from,
      @DefaultValue("5s") @Between(min = "100ms", max = "1m") Duration timeout) {

    public ProxyProtocol {
      from = List.copyOf(from);
    }
  }

  /**
   * TLS of clients.
   *
   * @param bundle Name of the bundle below `spring.ssl.bundle` with the key and certificate that
   *     clients see. If not set, clients connect without TLS.
   * @param clientAuth Whether clients present a certificate that the bundle's trust store accepts:
   *     `none`, `want` or `need`.
   * @param users Certificates that authenticate their clients, which need no password then. The
   *     first that matches decides.
   * @param handshakeTimeout Time from the connect, or from the end of the PROXY protocol header, to
   *     the end of the handshake.
   */
  public record ClientTls(
      @Size(min = 1, message = "must not be empty") @Nullable String bundle,
      @DefaultValue("none") ClientAuth clientAuth,
      @DefaultValue List<@Valid CertificateUser> users,
      @DefaultValue("10s") @Between(min = "100ms", max = "1m") Duration handshakeTimeout) {

    public ClientTls {
      users = List.copyOf(users);
    }
  }

  /**
   * Certificates that authenticate their clients. One of `cn`, `dns` and `uri` must be set.
   *
   * @param cn Common name (CN) of the certificate's subject. `*` stands for any characters.
   * @param dns DNS name among the subject's alternative names. `*` stands for any characters.
   * @param uri URI among the subject's alternative names, such as a SPIFFE ID. `*` stands for any
   *     characters.
   * @param user Name of the user. If not set, what `cn`, `dns` or `uri` has matched.
   */
  public record CertificateUser(
      @Size(min = 1, message = "must not be empty") @Nullable String cn,
      @Size(min = 1, message = "must not be empty") @Nullable String dns,
      @Size(min = 1, message = "must not be empty") @Nullable String uri,
      @Size(min = 1, message = "must not be empty") @Nullable String user) {}

  /**
   * Who may connect, and what each may do.
   *
   * @param rules Users in Redis's ACL language, one text each, such as `user app on >secret ~app:*
   *     +@all -@dangerous`.
   * @param aclFile File with users in the format of Redis's ACL file, in place of `rules`. `ACL
   *     SAVE` writes it.
   * @param passwordSelectsUser Whether `AUTH` with a password only selects the user that has it, if
   *     one enabled user alone has it. Otherwise it is for user `default`, as in Redis.
   * @param settings Limits and more of users, by the user's name. A name with dots or colons is
   *     written in brackets, such as `"[team:app]"`.
   */
  public record Users(
      @DefaultValue List<String> rules,
      @Size(min = 1, message = "must not be empty") @Nullable String aclFile,
      @DefaultValue("false") boolean passwordSelectsUser,
      @DefaultValue Map<String, @Valid UserOptions> settings) {

    public Users {
      rules = List.copyOf(rules);
      settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    @Override
    public String toString() {
      return "Users"; // rules may have passwords
    }
  }

  /**
   * What Redis's rules do not say about a user.
   *
   * @param passwordFiles Files whose first line is a password of the user, beside those of `rules`.
   *     All are valid.
   * @param rateLimit Maximum number of requests, such as `5000/s` or `300/m`, over all clients of
   *     the user. If not set, there is no limit.
   * @param burst Maximum number of requests at once after a time with fewer. If not set, as many as
   *     in one second.
   * @param excess What happens to requests above `rate-limit`: with `reject`, they get
   *     `-OVERLOADED`; with `wait`, they are executed later.
   * @param maxConnections Maximum number of clients of the user. `0` is no limit.
   * @param maxBytesInFlight Maximum size of the requests of the user that have no reply yet. Above
   *     it, they get `-OVERLOADED`. `0` is no limit.
   * @param upstream Not supported yet, and rejected: the user's clients use the upstream of their
   *     listener.
   * @param keyPrefix What is put in front of each key, and taken off the keys of replies.
   * @param keyPrefixChannels Whether `key-prefix` is put in front of Pub/Sub channels too.
   * @param keyPrefixScripts Whether the user may run scripts, which can reach keys without the
   *     prefix.
   * @param keyPrefixDbsize Whether `DBSIZE` counts the keys with the prefix, which reads all keys.
   *     Otherwise it is rejected.
   * @param passThrough Whether requests are sent over connections to nodes on which the user itself
   *     is authenticated, with the password that the client gave, so that nodes check what it may
   *     do, also in scripts. The user must exist there with the same password.
   */
  public record UserOptions(
      @DefaultValue List<String> passwordFiles,
      @Size(min = 1, message = "must not be empty") @Nullable String rateLimit,
      @Between(min = "1", max = "1000000000") @Nullable Integer burst,
      @DefaultValue("reject") Excess excess,
      @DefaultValue("0") @Between(min = "0", max = "1000000") int maxConnections,
      @DefaultValue("0") @Between(min = "0") DataSize maxBytesInFlight,
      @Size(min = 1, message = "must not be empty") @Nullable String upstream,
      @Size(min = 1, max = 1024, message = "must have 1 to 1024 characters")
          @Nullable String keyPrefix,
      @DefaultValue("false") boolean keyPrefixChannels,
      @DefaultValue("false") boolean keyPrefixScripts,
      @DefaultValue("false") boolean keyPrefixDbsize,
      @DefaultValue("false") boolean passThrough) {

    public UserOptions {
      passwordFiles = List.copyOf(passwordFiles);
    }
  }

  /** What happens to the requests above a user's rate. */
  public enum Excess {
    REJECT,
    WAIT
  }

  /**
   * TLS of the connections to nodes.
   *
   * @param bundle Name of the bundle below `spring.ssl.bundle` with the certificates to trust, and
   *     the own key and certificate if nodes want one. If not set, the JDK's trusted certificates.
   * @param verify What is verified of a node's certificate: `full`, that it is trusted and is for
   *     the node's host name or IP address; `ca`, that it is trusted; `none`.
   * @param serverName Name that the certificates of all nodes are for, instead of each node's own
   *     host. It is sent as SNI too.
   */
  public record NodeTls(
      @Size(min = 1, message = "must not be empty") @Nullable String bundle,
      @DefaultValue("full") Verify verify,
      @Size(min = 1, message = "must not be empty") @Nullable String serverName) {}

  /**
   * Limits of the replies that one client leaves unread.
   *
   * @param normal For clients that are not subscribed.
   * @param pubsub For clients that are subscribed.
   */
  public record ClientOutputBufferLimit(
      @DefaultValue @Valid OutputBufferLimit normal,
      @DefaultValue @Valid OutputBufferLimit pubsub) {

    public ClientOutputBufferLimit {
      normal = normal.completed(OutputLimit.NONE);
      pubsub = pubsub.completed(OutputLimit.SUBSCRIBERS);
    }
  }

  /**
   * Limits of the bytes that one client leaves unread. What is not set is as in Redis: no limit for
   * {@code normal}; 32MB, 8MB and 60 for {@code pubsub}.
   *
   * @param hardLimit A client with more unread bytes is closed at once. `0` is no limit.
   * @param softLimit A client with more unread bytes for longer than `soft-seconds` is closed. `0`
   *     is no limit.
   * @param softSeconds Time in seconds that a client may stay above `soft-limit`.
   */
  public record OutputBufferLimit(
      @Between(min = "0") @Nullable DataSize hardLimit,
      @Between(min = "0") @Nullable DataSize softLimit,
      @Between(min = "0", max = "86400") @Nullable Integer softSeconds) {

    private OutputBufferLimit completed(OutputLimit otherwise) {
      return new OutputBufferLimit(
          requireNonNullElse(hardLimit, DataSize.ofBytes(otherwise.hardBytes())),
          requireNonNullElse(softLimit, DataSize.ofBytes(otherwise.softBytes())),
          requireNonNullElse(softSeconds, (int) otherwise.softTime().toSeconds()));
    }
  }

  /**
   * Times after which a client is closed.
   *
   * @param idle Time without a request, as `timeout` in Redis. Clients that are subscribed or
   *     blocked are not closed. `0` is no limit.
   * @param authentication Time from the connect to the password, if one is needed. `0` is no limit.
   * @param request Time from the first byte of a request to its last, plus one second for each KiB
   *     received. `0` is no limit.
   * @param reply Time during which a client reads nothing of the replies that wait for it. `0` is
   *     no limit.
   */
  public record ClientTimeout(
      @DefaultValue("0") @Between(min = "0", max = "24h") Duration idle,
      @DefaultValue("60s") @Between(min = "0", max = "24h") Duration authentication,
      @DefaultValue("30s") @Between(min = "0", max = "24h") Duration request,
      @DefaultValue("5m") @Between(min = "0", max = "24h") Duration reply) {}

  /**
   * Limits of requests that are not answered yet.
   *
   * @param perClient Unanswered requests of one client, above which Penstock stops reading from it.
   *     Fewer where its replies are large.
   * @param total Unanswered requests of all clients, above which further ones get `-OVERLOADED`.
   *     Event loops share it evenly.
   */
  public record MaxInFlight(
      @DefaultValue("4096") @Between(min = "1", max = "1000000") int perClient,
      @DefaultValue("1048576") @Between(min = "1000", max = "1000000000") int total) {}

  /**
   * Connections to the nodes.
   *
   * @param connectTimeout Maximum time of each step of connecting to a node: TCP connect, TLS
   *     handshake, replies to `AUTH` or `HELLO`.
   * @param commandTimeout Maximum time from sending a command to its reply. After it, the client
   *     gets `-TIMEOUT`.
   * @param connectionsPerLoop Shared connections from one event loop to one node. As many more once
   *     there are RESP3 clients.
   * @param exclusiveConnectionsPerLoop Maximum number of connections from one event loop to one
   *     node that serve one client at a time, for blocking commands, `WATCH` and `WAIT`. Above it,
   *     clients get `-OVERLOADED`.
   * @param failoverHold Maximum time that a request waits while no node accepts it, from its
   *     arrival. A value below `command-timeout`, such as `0`, counts as `command-timeout`.
   * @param failoverHoldRequests Maximum number of requests that wait so in one event loop. Further
   *     ones get `-OVERLOADED`.
   * @param maxInFlightPerConnection Unanswered commands on one shared connection, above which
   *     Penstock stops reading from clients that use the node. At 16 times as many, commands get
   *     `-OVERLOADED`.
   * @param maxUnsent Bytes on one connection that the node has not received yet, above which
   *     commands for it get `-OVERLOADED`.
   */
  public record Backend(
      @DefaultValue("1s") @Between(min = "1ms", max = "1h") Duration connectTimeout,
      @DefaultValue("2s") @Between(min = "1ms", max = "1h") Duration commandTimeout,
      @DefaultValue("1") @Between(min = "1", max = "64") int connectionsPerLoop,
      @DefaultValue("2048") @Between(min = "1", max = "65536") int exclusiveConnectionsPerLoop,
      @DefaultValue("10s") @Between(min = "0", max = "1h") Duration failoverHold,
      @DefaultValue("10000") @Between(min = "1", max = "1000000") int failoverHoldRequests,
      @DefaultValue("4096") @Between(min = "1", max = "1000000") int maxInFlightPerConnection,
      @DefaultValue("64MB") @Between(min = "1B") DataSize maxUnsent) {}

  /**
   * How Penstock keeps its view of the nodes up to date.
   *
   * @param refreshPeriod Time between two periodic refreshes of the topology.
   * @param minRefreshInterval Minimum time between two refreshes that redirects, lost connections
   *     or uncovered slots trigger.
   */
  public record Topology(
      @DefaultValue("30s") @Between(min = "100ms", max = "24h") Duration refreshPeriod,
      @DefaultValue("1s") @Between(min = "1ms", max = "1h") Duration minRefreshInterval) {}

  /**
   * Which commands clients may use: names as in docs/reference/commands.md ({@code config|set}) and
   * ACL categories ({@code @dangerous}). A name takes precedence over a category, deny over allow.
   *
   * @param allow Commands and ACL categories that are allowed although Penstock rejects them by
   *     default.
   * @param deny Commands and ACL categories that are rejected.
   */
  public record Commands(@DefaultValue List<String> allow, @DefaultValue List<String> deny) {

    public Commands {
      allow = List.copyOf(allow);
      deny = List.copyOf(deny);
    }
  }

  /**
   * Where commands are sent to.
   *
   * @param type Source of the route. `local`, this configuration, is the only one so far.
   * @param local The route.
   * @param redisConf Further settings of a resource table.
   */
  public record Transpond(
      @Change(Effect.RESTART) @DefaultValue("local") String type,
      @DefaultValue @Valid Local local,
      @DefaultValue @Valid RedisConf redisConf) {}

  /**
   * Settings of a resource table that are not in its file.
   *
   * @param shardingFunc Class of camellia-redis-proxy that computes the bucket of a key:
   *     `DefaultShardingFunc`, `DefaultHashTagShardingFunc` or `CRC16HashTagShardingFunc`, with or
   *     without its package. If not set, the first.
   * @param shadingFunc Earlier name of `sharding-func`.
   * @param multiWriteMode When clients get the reply to a write, if there are several resources for
   *     writes: `FIRST_RESOURCE_ONLY` or 1, which is the default, or `ALL_RESOURCES_CHECK_ERROR` or
   *     3.
   */
  public record RedisConf(
      @Change(Effect.DRAINS) @Size(min = 1, message = "must not be empty")
          @Nullable String shardingFunc,
      @Change(Effect.DRAINS) @Size(min = 1, message = "must not be empty")
          @Nullable String shadingFunc,
      @Change(Effect.LIVE) @Nullable String multiWriteMode) {}

  /**
   * The route.
   *
   * @param type Kind of the route: `simple`, one resource, or `complex`, a resource table of
   *     camellia-redis-proxy.
   * @param resource URL of the servers of upstream `default`. Must be set unless there are other
   *     upstreams.
   * @param jsonFile File with the resource table of type `complex`: on the class path, or else a
   *     path, relative to the working directory.
   * @param dynamic Whether a change of `json-file` reloads the configuration, whatever `reload` is.
   * @param checkIntervalMillis Accepted, and without an effect: a changed file is in force about
   *     two seconds after the change.
   * @param passwordFile File whose first line is the password of the nodes. What precedes the `@`
   *     of the URL is then the user.
   * @param sentinelPasswordFile File whose first line is the password of the sentinels.
   * @param tls TLS of the connections to the nodes of upstream `default`. For URLs that begin with
   *     `rediss`.
   * @param proxyProtocol Version of the PROXY protocol header that begins each connection to the
   *     nodes of upstream `default`: `v1` or `v2`. For nodes behind a load balancer that expects
   *     it.
   * @param shadow Another upstream that a share of the reads of upstream `default` goes to, too.
   *     Clients get no reply of it.
   */
  public record Local(
      @DefaultValue("simple") String type,
      @Nullable String resource,
      @Size(min = 1, message = "must not be empty") @Nullable String jsonFile,
      @Change(Effect.LIVE) @DefaultValue("false") boolean dynamic,
      @Change(Effect.LIVE) @DefaultValue("5000") @Between(min = "1") int checkIntervalMillis,
      @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty")
          @Nullable String passwordFile,
      @Change(Effect.LIVE) @Size(min = 1, message = "must not be empty")
          @Nullable String sentinelPasswordFile,
      @Change(Effect.DRAINS) @DefaultValue @Valid NodeTls tls,
      @Change(Effect.DRAINS) @Nullable HAProxyProtocolVersion proxyProtocol,
      @Change(Effect.LIVE) @Valid @Nullable Shadow shadow) {

    @Override
    public String toString() {
      return "Local[type=" + type + "]"; // the resource may hold a password
    }
  }

  /**
   * The Redis Cluster that Penstock presents to clients.
   *
   * @param enabled Whether `CLUSTER SLOTS` and similar commands present Penstock's instances as a
   *     Redis Cluster.
   * @param nodes `host:port` of each instance as clients reach it; the same list on each instance.
   *     If not set, this instance alone.
   * @param announceHost Host at which clients reach this instance. Required if `nodes` lists
   *     several instances. If not set, the address that the client has connected to.
   * @param announcePort Port at which clients reach this instance. If not set, `penstock.port`.
   */
  public record ClusterFacade(
      @DefaultValue("false") boolean enabled,
      @DefaultValue List<String> nodes,
      @Size(min = 1, message = "must not be empty") @Nullable String announceHost,
      @Between(min = "1", max = "65535") @Nullable Integer announcePort) {

    public ClusterFacade {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Which nodes serve commands that only read.
   *
   * @param from Nodes that serve reads. With `lowest-latency` and `any`, the master is one of them.
   * @param balance How clients are distributed over the nodes that may serve their reads.
   * @param zone Zone of this instance. Nodes of this zone serve its reads while there are any.
   * @param zones Zones of nodes, each as `host:port=zone`. The zone of other nodes is the one that
   *     the server reports (Valkey's `availability-zone`).
   * @param maxReplicaLag Bytes of the replication stream that a replica may lack and still serve
   *     reads. If not set, there is no limit.
   * @param readYourWrites Time after the reply to a write during which the master serves the reads
   *     of the same client connection. `0` disables it.
   */
  public record Reads(
      @DefaultValue("master") ReadFrom from,
      @DefaultValue("round-robin") Balance balance,
      @Size(min = 1, message = "must not be empty") @Nullable String zone,
      @DefaultValue List<String> zones,
      @Between(min = "0") @Nullable DataSize maxReplicaLag,
      @DefaultValue("1s") @Between(min = "0", max = "1h") Duration readYourWrites) {

    public Reads {
      zones = List.copyOf(zones);
    }
  }

  /**
   * One listener. What it does not set is as outside of {@code listeners}; {@code port}, {@code
   * bind}, {@code path}, {@code mode}, {@code owner}, the password, {@code tls} and {@code
   * cluster-facade} are its own.
   *
   * @param port TCP port that clients connect to. Must be set unless there is `path`. `0` selects a
   *     free port; the log shows it.
   * @param bind Addresses to listen on: one or a list. `0.0.0.0` is every address of this machine,
   *     IPv4 and IPv6; `127.0.0.1` accepts clients of this machine only.
   * @param path Unix socket that clients connect to: an absolute path, or `@name` for an abstract
   *     name of Linux.
   * @param mode Permissions of the file of `path`, as octal text in quotes such as `"0660"`.
   * @param owner Owner and group of the file of `path`: `user`, `user:group` or `:group`.
   * @param upstream Name of the upstream that commands are sent to. If not set, `default`, or the
   *     only one.
   * @param password Password of user `default`, which clients must send with `AUTH`. If not set,
   *     clients need no authentication.
   * @param passwordFile File whose first line is the password, instead of `password`.
   * @param passwordOverlap Time during which the earlier password is valid too after a change.
   * @param users Who may connect to this listener. If not set, as outside.
   * @param maxClients Maximum number of clients of this listener.
   * @param maxConnectionRate Maximum number of connections that this listener accepts in a second.
   * @param tcpKeepalive Idle time after which TCP keepalive probes a client.
   * @param proxyProtocol PROXY protocol of a load balancer before this listener.
   * @param tls TLS of the clients of this listener.
   * @param protoMaxBulkLen Maximum size of one argument of a command.
   * @param clientOutputBufferLimit Limits of the replies that one client leaves unread.
   * @param maxmemoryClients Maximum memory of the clients of this listener together.
   * @param clientTimeout Times after which a client is closed.
   * @param maxInFlight Limits of requests that are not answered yet.
   * @param maxPatterns Maximum number of patterns that one client may be subscribed to.
   * @param crossSlot What becomes of commands over several slots. If not set, as at the upstream.
   * @param clusterFacade The Redis Cluster that this listener presents to clients.
   */
  public record Listener(
      @Between(min = "0", max = "65535") @Nullable Integer port,
      @DefaultValue("0.0.0.0") List<String> bind,
      @Size(min = 1, message = "must not be empty") @Nullable String path,
      @Change(Effect.RESTART) @Nullable String mode,
      @Change(Effect.RESTART) @Size(min = 1, message = "must not be empty") @Nullable String owner,
      @Change(Effect.DRAINS) @Size(min = 1, message = "must not be empty")
          @Nullable String upstream,
      @Size(min = 1, message = "must not be empty: that would admit every client")
          @Nullable String password,
      @Size(min = 1, message = "must not be empty") @Nullable String passwordFile,
      @DefaultValue("5m") @Between(min = "0", max = "24h") Duration passwordOverlap,
      @Valid @Nullable Users users,
      @DefaultValue("10000") @Between(min = "1") int maxClients,
      @DefaultValue("0") @Between(min = "0", max = "1000000") int maxConnectionRate,
      @DefaultValue("300s") @Between(min = "1s", max = "9h", orZero = true) Duration tcpKeepalive,
      @DefaultValue @Valid ProxyProtocol proxyProtocol,
      @DefaultValue @Valid ClientTls tls,
      @DefaultValue("512MB") @Between(min = "1MB", max = "2047MB") DataSize protoMaxBulkLen,
      @DefaultValue @Valid ClientOutputBufferLimit clientOutputBufferLimit,
      @Between(min = "0") @Nullable DataSize maxmemoryClients,
      @DefaultValue @Valid ClientTimeout clientTimeout,
      @DefaultValue @Valid MaxInFlight maxInFlight,
      @DefaultValue("10000") @Between(min = "0", max = "1000000") int maxPatterns,
      @DefaultValue("reject") CrossSlot crossSlot,
      @DefaultValue @Valid ClusterFacade clusterFacade) {

    public Listener {
      bind = List.copyOf(bind);
    }

    @Override
    public String toString() {
      return "Listener[bind=" + bind + ", port=" + port + ", path=" + path + "]"; // no password
    }
  }

  /**
   * One upstream. What it does not set is as outside of {@code upstreams}.
   *
   * @param resource URL of the servers. Must be set unless the upstream consists of others.
   * @param passwordFile File whose first line is the password of the nodes. What precedes the `@`
   *     of the URL is then the user. With `shards`, the password of each server by its URL.
   * @param sentinelPasswordFile File whose first line is the password of the sentinels.
   * @param shards Servers and other upstreams that share the keys.
   * @param split Another upstream for writes, and others for reads.
   * @param byPrefix Other upstreams, each with the keys that begin with its prefix; the longest
   *     prefix of a key decides. The key keeps it.
   * @param otherwise Name of the upstream with the keys that begin with no prefix of `by-prefix`.
   * @param weighted Other upstreams, each with a share of the keys or of the clients.
   * @param by What `weighted` shares out: `key`, or `client`, so that each client connection uses
   *     one of the upstreams for all keys. If not set, `key`.
   * @param primary Name of the upstream that this one has the servers of. Writes of clients are
   *     sent to `copies` too. The other upstream keeps its own connections.
   * @param copies Names of the upstreams that do what the primary did. A copy that a reload adds is
   *     behind until `resync`.
   * @param reply When clients get the reply to a write: `primary`, at once; `all`, when each copy
   *     has done it, else an error; `quorum`, when more than half of all have, the primary
   *     included, or cannot any more; `safe-quorum`, the same, else an error. With the last two,
   *     copies answer reads too. If not set, `primary`.
   * @param copyQueueMaxRequests Maximum number of writes that wait for one copy, those in flight
   *     included. Above it, writes are dropped, and the copy is behind until `resync`.
   * @param copyQueueMaxBytes Maximum memory of the writes that wait for one copy. Above it, the
   *     same. All copies together take the sum, outside of the heap's other limits.
   * @param tcp Any servers, over plain TCP: each client has one of them for itself, and Penstock
   *     reads no commands.
   * @param tls TLS of the connections to the nodes. For URLs that begin with `rediss`, and for
   *     `tcp.tls`.
   * @param proxyProtocol Version of the PROXY protocol header that begins each connection to the
   *     nodes: `v1` or `v2`. For nodes behind a load balancer that expects it. With `tcp`, it names
   *     the client.
   * @param reads Which nodes serve commands that only read.
   * @param shadow Another upstream that a share of the reads goes to, too. Clients get no reply of
   *     it.
   * @param backend Connections to the nodes.
   * @param topology How Penstock keeps its view of the nodes up to date.
   * @param crossSlot What becomes of commands over several slots.
   */
  public record Upstream(
      @Change(Effect.DRAINS) @Nullable String resource,
      @Size(min = 1, message = "must not be empty") @Nullable String passwordFile,
      @Size(min = 1, message = "must not be empty") @Nullable String sentinelPasswordFile,
      @Change(Effect.DRAINS) @Valid @Nullable Shards shards,
      @Change(Effect.DRAINS) @Valid @Nullable Split split,
      @Change(Effect.DRAINS) @DefaultValue List<@Valid PrefixedUpstream> byPrefix,
      @Change(Effect.DRAINS) @Nullable String otherwise,
      @Change(Effect.DRAINS) @DefaultValue List<@Valid WeightedUpstream> weighted,
      @Change(Effect.DRAINS) @Nullable WeightedBy by,
      @Change(Effect.DRAINS) @Nullable String primary,
      @DefaultValue List<String> copies,
      @Nullable ReplyPolicy reply,
      @DefaultValue("100000") @Between(min = "1", max = "10000000") int copyQueueMaxRequests,
      @DefaultValue("64MB") @Between(min = "64KB") DataSize copyQueueMaxBytes,
      @Change(Effect.DRAINS) @Valid @Nullable Tcp tcp,
      @Change(Effect.DRAINS) @DefaultValue @Valid NodeTls tls,
      @Change(Effect.DRAINS) @Nullable HAProxyProtocolVersion proxyProtocol,
      @DefaultValue @Valid Reads reads,
      @Valid @Nullable Shadow shadow,
      @DefaultValue @Valid Backend backend,
      @DefaultValue @Valid Topology topology,
      @DefaultValue("reject") CrossSlot crossSlot) {

    public Upstream {
      byPrefix = List.copyOf(byPrefix);
      weighted = List.copyOf(weighted);
      copies = List.copyOf(copies);
    }

    @Override
    public String toString() {
      return "Upstream"; // the resource may hold a password
    }
  }

  /**
   * Another upstream that a share of the reads goes to, too.
   *
   * @param upstream Name of the other upstream. Must be set.
   * @param share Percentage of the reads. 0 for none.
   */
  public record Shadow(
      @Nullable String upstream,
      @DefaultValue("1") @Between(min = "0.01", max = "100", orZero = true) double share) {}

  /**
   * Upstreams for writes and for reads.
   *
   * @param write Name of the upstream for what may write, and for all that is no read. Must be set.
   * @param read Names of the upstreams that reads go to. Must be set.
   */
  public record Split(
      @Change(Effect.DRAINS) @Nullable String write,
      @Change(Effect.DRAINS) @DefaultValue List<String> read) {

    public Split {
      read = List.copyOf(read);
    }
  }

  /**
   * The keys that begin with a prefix.
   *
   * @param prefix What the keys begin with. Must be set.
   * @param upstream Name of the upstream that has them. Must be set.
   */
  public record PrefixedUpstream(@Nullable String prefix, @Nullable String upstream) {}

  /**
   * Servers over plain TCP.
   *
   * @param servers Servers, each as nginx writes it: `host:port`, `[IPv6]:port` or `unix:/path`,
   *     and parameters: `weight=`, `max-conns=`, `max-fails=`, `fail-timeout=`, `slow-start=`,
   *     `backup`, `down`. Must be set.
   * @param balance How a server is chosen for a new client. The two hashes are of the client's IP
   *     address.
   * @param connectTimeout Time for one connect to a server, with TLS's handshake.
   * @param nextServer Whether another server is tried if a connect fails.
   * @param nextServerTries Maximum number of servers that are tried for one client. `0` is no
   *     limit.
   * @param nextServerTimeout Time from the first connect after which no other server is tried. `0`
   *     is no limit.
   * @param idleTimeout Time without a byte in either direction after which both connections are
   *     closed. `0` disables it.
   * @param bufferSize Bytes that may wait to be written in each direction of a client. Above it,
   *     the other side is not read.
   * @param tls Whether the connections to the servers have TLS, with the keys `tls` of the
   *     upstream.
   * @param healthCheck Connects to each server again and again, and takes out those that fail. If
   *     not set, only failed connects of clients take a server out.
   */
  public record Tcp(
      @DefaultValue List<String> servers,
      @Change(Effect.LIVE) @DefaultValue("round-robin") TcpBalance balance,
      @Change(Effect.LIVE) @DefaultValue("5s") @Between(min = "1ms", max = "10m")
          Duration connectTimeout,
      @Change(Effect.LIVE) @DefaultValue("true") boolean nextServer,
      @Change(Effect.LIVE) @DefaultValue("0") @Between(min = "0", max = "65535")
          int nextServerTries,
      @Change(Effect.LIVE) @DefaultValue("0") @Between(min = "0", max = "1h")
          Duration nextServerTimeout,
      @Change(Effect.LIVE) @DefaultValue("10m") @Between(min = "1ms", max = "365d", orZero = true)
          Duration idleTimeout,
      @Change(Effect.LIVE) @DefaultValue("64KB") @Between(min = "1KB", max = "64MB")
          DataSize bufferSize,
      @Change(Effect.LIVE) @DefaultValue("false") boolean tls,
      @Change(Effect.LIVE) @Valid @Nullable HealthCheck healthCheck) {

    public Tcp {
      servers = List.copyOf(servers);
    }
  }

  /**
   * The active health check of TCP servers.
   *
   * @param interval Time between two checks of a server.
   * @param timeout Time for the connect, and for the answer.
   * @param fails Failed checks in a row after which a server gets no clients.
   * @param passes Successful checks in a row after which it gets clients again.
   * @param send Text that is sent when the server is connected, such as `"PING\r\n"`. If not set,
   *     nothing.
   * @param expect Text that the answer must contain, such as `+PONG`. If not set, a connect is
   *     enough.
   */
  public record HealthCheck(
      @DefaultValue("5s") @Between(min = "10ms", max = "1h") Duration interval,
      @DefaultValue("5s") @Between(min = "10ms", max = "10m") Duration timeout,
      @DefaultValue("1") @Between(min = "1", max = "1000") int fails,
      @DefaultValue("1") @Between(min = "1", max = "1000") int passes,
      @Nullable String send,
      @Nullable String expect) {}

  /** When clients get the reply to a write that goes to copies too. */
  public enum ReplyPolicy {
    PRIMARY,
    ALL,
    QUORUM,
    SAFE_QUORUM
  }

  /** What is shared out by weight. */
  public enum WeightedBy {
    KEY,
    CLIENT
  }

  /**
   * A share of the keys, or of the clients.
   *
   * @param upstream Name of the upstream that has them. Must be set.
   * @param weight Share compared to the others; 0 for none. If not set, 1.
   */
  public record WeightedUpstream(
      @Nullable String upstream,
      @DefaultValue("1") @Between(min = "0", max = "1000000") int weight) {}

  /**
   * Servers and other upstreams that share the keys.
   *
   * @param distribution How keys are distributed, as another proxy does it. Must be set.
   * @param hash Hash function, by its name in that proxy. If not set, the default of the
   *     distribution.
   * @param hashTag The two characters around the part of a key that is hashed. If not set, the rule
   *     of the distribution.
   * @param autoEject When a server that fails leaves the layout, so that its keys belong to others.
   *     Only for caches. If not set, never.
   * @param hold Whether requests for a server that does not answer wait in the failover hold,
   *     though no replica can take over. Otherwise they fail after `command-timeout`.
   * @param servers The shards, unless `distribution` needs `slots`: for each a URL, which may have
   *     `weight`, `name` and `token` as parameters, the name of another upstream, or a section.
   * @param slots The slots of `codis`, or the buckets of `camellia`, of each shard.
   */
  public record Shards(
      @Nullable Distribution distribution,
      @Nullable String hash,
      @Nullable String hashTag,
      @Valid @Nullable AutoEject autoEject,
      @DefaultValue("false") boolean hold,
      @DefaultValue List<@Valid ShardServer> servers,
      @DefaultValue List<@Valid ShardSlots> slots) {

    public Shards {
      servers = List.copyOf(servers);
      slots = List.copyOf(slots);
    }

    @Override
    public String toString() {
      return "Shards"; // a URL may hold a password
    }
  }

  /**
   * When a server that fails leaves the layout.
   *
   * @param failures Failures in a row after which the server leaves the layout.
   * @param retry Time after which the server is in the layout again, without a check.
   */
  public record AutoEject(
      @DefaultValue("2") @Between(min = "1", max = "1000000") int failures,
      @DefaultValue("30s") @Between(min = "100ms", max = "24h") Duration retry) {}

  /**
   * One shard of a layout of servers.
   *
   * @param to URL, name of another upstream, or list of the URLs of a master and its replicas. Must
   *     be set.
   * @param name Name from which the place in the layout is computed. If not set, the address or the
   *     name of the upstream.
   * @param weight Share of the keys compared to the others. If not set, 1.
   * @param token With `dynomite`, the tokens of the server.
   */
  public record ShardServer(
      @Delimiter(Delimiter.NONE) @DefaultValue List<String> to,
      @Size(min = 1, message = "must not be empty") @Nullable String name,
      @Between(min = "1", max = "1000000") @Nullable Integer weight,
      @DefaultValue List<Long> token) {

    public ShardServer {
      to = List.copyOf(to);
      token = List.copyOf(token);
    }

    /** A shard that is only a text; the binder calls it. */
    public static ShardServer of(String text) {
      return new ShardServer(List.of(text), null, null, List.of());
    }

    @Override
    public String toString() {
      return "ShardServer"; // a URL may hold a password
    }
  }

  /**
   * Slots or buckets of one shard. A shard may have several of these.
   *
   * @param range First and last number, such as `0-511`.
   * @param list Numbers, such as `[0, 2, 4]`. Either `range` or `list` must be set.
   * @param to URL, name of another upstream, or list of the URLs of a master and its replicas. Must
   *     be set.
   */
  public record ShardSlots(
      @Nullable String range,
      @DefaultValue List<Integer> list,
      @Delimiter(Delimiter.NONE) @DefaultValue List<String> to) {

    public ShardSlots {
      list = List.copyOf(list);
      to = List.copyOf(to);
    }

    @Override
    public String toString() {
      return "ShardSlots"; // a URL may hold a password
    }
  }
}
