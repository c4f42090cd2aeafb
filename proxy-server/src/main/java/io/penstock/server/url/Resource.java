package io.penstock.server.url;

import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;

/**
 * What a resource URL says.
 *
 * @param upstream the kind of upstream and its addresses
 * @param use which commands it serves
 * @param tls whether its nodes are reached with TLS
 * @param sentinelTls whether its sentinels are
 */
public record Resource(UpstreamSettings upstream, Use use, boolean tls, boolean sentinelTls) {

  /** Without TLS. */
  public Resource(UpstreamSettings upstream, Use use) {
    this(upstream, use, false, false);
  }

  /** Which commands a resource serves, and which of its nodes. */
  public enum Use {
    /** All commands. Configuration keys decide which nodes serve reads. */
    READ_AND_WRITE,
    /** Commands that only read, from replicas. Others are rejected. */
    READ_REPLICAS,
    /** Commands that only read, from replicas and the master. Others are rejected. */
    READ_ALL
  }

  /** Returns a resource for all commands. */
  public static Resource of(UpstreamSettings upstream) {
    return new Resource(upstream, Use.READ_AND_WRITE);
  }

  /** Returns the same resource with this transport; with TLS only where its URL says so. */
  public Resource with(NodeTransport wanted) {
    UpstreamSettings changed = upstream.with(tls ? wanted : wanted.withoutTls());
    if (sentinelTls && changed instanceof SentinelUpstreamSettings sentinel) {
      changed = sentinel.withSentinelTls(wanted.tls());
    }
    return new Resource(changed, use, tls, sentinelTls);
  }

  /** Returns it with TLS as its URL says. */
  Resource saying(boolean nodes, boolean sentinels) {
    return new Resource(upstream, use, nodes, sentinels);
  }

  /** Returns a resource for reads, as URLs that end in {@code -slaves} name it. */
  static Resource forReads(UpstreamSettings upstream, boolean withMaster) {
    return new Resource(upstream, withMaster ? Use.READ_ALL : Use.READ_REPLICAS);
  }
}
