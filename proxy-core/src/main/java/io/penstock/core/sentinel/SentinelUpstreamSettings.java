package io.penstock.core.sentinel;

import io.penstock.core.tls.NodeTls;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A master with replicas that Redis Sentinel manages.
 *
 * @param sentinels the sentinels to query first, at least one; others are discovered
 * @param masterName the name under which the sentinels monitor the master
 * @param credentials for the master and its replicas, or null
 * @param database selected on each connection to them; 0 sends no {@code SELECT}
 * @param sentinelCredentials for the sentinels, or null
 * @param transport of the connections to the master and its replicas
 * @param sentinelTls of the sentinels, or null. They are sent no PROXY protocol header
 */
public record SentinelUpstreamSettings(
    List<Endpoint> sentinels,
    String masterName,
    @Nullable Credentials credentials,
    int database,
    @Nullable Credentials sentinelCredentials,
    NodeTransport transport,
    @Nullable NodeTls sentinelTls)
    implements UpstreamSettings {

  public SentinelUpstreamSettings {
    sentinels = List.copyOf(sentinels);
    if (sentinels.isEmpty() || masterName.isEmpty()) {
      throw new IllegalArgumentException("at least one sentinel and a master's name are required");
    }
  }

  /** Without TLS. */
  public SentinelUpstreamSettings(
      List<Endpoint> sentinels,
      String masterName,
      @Nullable Credentials credentials,
      int database,
      @Nullable Credentials sentinelCredentials) {
    this(
        sentinels,
        masterName,
        credentials,
        database,
        sentinelCredentials,
        NodeTransport.PLAIN,
        null);
  }

  @Override
  public SentinelUpstreamSettings with(NodeTransport other) {
    return new SentinelUpstreamSettings(
        sentinels, masterName, credentials, database, sentinelCredentials, other, sentinelTls);
  }

  /** Returns it with this TLS of the sentinels. */
  public SentinelUpstreamSettings withSentinelTls(@Nullable NodeTls other) {
    return new SentinelUpstreamSettings(
        sentinels, masterName, credentials, database, sentinelCredentials, transport, other);
  }

  @Override
  public Upstream create(Context context) {
    Access sentinelAccess = new Access(sentinelCredentials, 0, NodeTransport.of(sentinelTls));
    var settings =
        new SentinelSettings(
            sentinels.stream().map(sentinel -> sentinel.with(sentinelAccess)).toList(),
            masterName,
            context.connectTimeout(),
            context.period(),
            context.minRefreshInterval(),
            context.logPrefix());
    return SentinelTopology.create(settings, access(), context.control(), context.events());
  }

  @Override
  public Access access() {
    return new Access(credentials, database, transport);
  }

  @Override
  public List<Credentials> allCredentials() {
    return Stream.of(credentials, sentinelCredentials)
        .<Credentials>mapMulti((each, present) -> {
          if (each != null) {
            present.accept(each);
          }
        })
        .toList();
  }

  /** {@inheritDoc} These are the sentinels. */
  @Override
  public List<Endpoint> addresses() {
    return sentinels;
  }

  @Override
  public boolean hasFixedNodes() {
    return false;
  }

  @Override
  public String description() {
    return "the master "
        + masterName
        + " of the sentinels "
        + sentinels.stream().map(Endpoint::toString).collect(Collectors.joining(", "))
        + (database == 0 ? "" : ", database " + database);
  }
}
