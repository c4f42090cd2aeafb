package io.penstock.core.topology;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Upstream;
import java.time.Duration;
import java.util.List;

/**
 * What a resource URL names: a kind of upstream, and where it is. To add a kind, implement this and
 * {@link Upstream}, and make one where URLs are read. Immutable.
 */
public interface UpstreamSettings {

  /**
   * What all kinds of upstream are made with.
   *
   * @param control reaches servers beside the data path
   * @param connectTimeout for connecting to a server, and as long again for its answers
   * @param period between periodic refreshes
   * @param adaptiveTimeout at least this long between two adaptive refreshes
   * @param events is told of refreshes
   */
  record Parts(
      ControlPlane control,
      Duration connectTimeout,
      Duration period,
      Duration adaptiveTimeout,
      ProxyEvents events) {}

  /** Makes the upstream; nothing is opened before {@link Upstream#start}. */
  Upstream create(Parts parts);

  /** What connections to each server begin with. */
  Access access();

  /** Where servers are, as configured; at least one. */
  List<Endpoint> addresses();

  /** Whether there are only the servers that are configured. */
  boolean hasFixedNodes();

  /** For people: what it is and where, without any password. */
  String description();
}
