package io.penstock.core.topology;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The settings of an upstream, from a resource URL. To add a kind of upstream, implement this
 * interface and {@link Upstream}, and create the settings where URLs are parsed. Immutable, except
 * for the passwords. Two are equal if they differ in nothing else.
 */
public interface UpstreamSettings {

  /**
   * What every kind of upstream is created with.
   *
   * @param control queries nodes outside the data path
   * @param connectTimeout for connecting to a node; its answers may take as long again
   * @param period between periodic refreshes
   * @param minRefreshInterval least time between two adaptive refreshes
   * @param events receives refresh events
   * @param logPrefix what log lines begin with
   */
  record Context(
      ControlPlane control,
      Duration connectTimeout,
      Duration period,
      Duration minRefreshInterval,
      ProxyEvents events,
      LogPrefix logPrefix) {}

  /** Creates the upstream. Opens nothing before {@link Upstream#start}. */
  Upstream create(Context context);

  /** Returns the same upstream with another transport of the connections to its nodes. */
  UpstreamSettings with(NodeTransport transport);

  /**
   * Returns the credentials of all nodes, in an order that equal settings share. A change of their
   * passwords changes them in place.
   */
  default List<Credentials> allCredentials() {
    Credentials own = access().credentials();
    return own == null ? List.of() : List.of(own);
  }

  /** Returns the passwords of {@link #allCredentials}, in the same order. */
  default List<String> passwords() {
    return allCredentials().stream().map(Credentials::password).toList();
  }

  /** Returns the access for connections to each node. */
  Access access();

  /** Returns the configured addresses, at least one. */
  List<Endpoint> addresses();

  /** Returns whether Penstock may know replicas, so that clients can read from them. */
  default boolean mayHaveReplicas() {
    return true;
  }

  /** Returns whether keys are divided over several masters. */
  default boolean isDivided() {
    return false;
  }

  /** Returns whether the configured nodes are all nodes, so that none is discovered. */
  boolean hasFixedNodes();

  /** Returns the upstreams that this one consists of; empty for most kinds. */
  default List<UpstreamSettings> parts() {
    return List.of();
  }

  /** Returns whether clients of the other one find all keys where they were. */
  default boolean servesAs(UpstreamSettings other) {
    return equals(other);
  }

  /** Returns this one, its parts, theirs, and so on. */
  default Stream<UpstreamSettings> tree() {
    return Stream.concat(Stream.of(this), parts().stream().flatMap(UpstreamSettings::tree));
  }

  /** Returns those of {@link #tree} that do not consist of others: itself for most kinds. */
  default List<UpstreamSettings> leaves() {
    return tree().filter(each -> each.parts().isEmpty()).toList();
  }

  /** Returns a description for logs: the kind and the addresses, without passwords. */
  String description();
}
