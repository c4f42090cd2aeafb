package io.penstock.server.url;

import io.penstock.core.topology.UpstreamSettings;

/**
 * What a resource URL says.
 *
 * @param upstream the kind of upstream and its addresses
 * @param use which commands it serves
 */
public record Resource(UpstreamSettings upstream, Use use) {

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

  /** Returns a resource for reads, as URLs that end in {@code -slaves} name it. */
  static Resource forReads(UpstreamSettings upstream, boolean withMaster) {
    return new Resource(upstream, withMaster ? Use.READ_ALL : Use.READ_REPLICAS);
  }
}
