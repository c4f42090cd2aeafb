package io.penstock.server.lifecycle;

import io.penstock.core.ProxySettings.Upstream;
import io.penstock.core.upstream.Endpoint;
import java.util.stream.Collectors;

/** Addresses as people write them. */
public final class Addresses {

  private Addresses() {}

  /** What commands are sent to; no password. */
  public static String text(Upstream upstream) {
    return switch (upstream) {
      case Upstream.Cluster cluster ->
          "the Redis Cluster of "
              + cluster.seeds().stream().map(Endpoint::toString).collect(Collectors.joining(", "));
      case Upstream.Single single ->
          single.node() + (single.database() == 0 ? "" : ", database " + single.database());
    };
  }
}
