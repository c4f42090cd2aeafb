package io.penstock.core.topology;

import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.stream.Collectors;

/** The settings of an upstream that consists of upstreams, all with the same database. */
public interface NestedUpstreamSettings extends UpstreamSettings {

  /** {@inheritDoc} At least one. */
  @Override
  List<UpstreamSettings> parts();

  /** Returns what it is, without its parts: such as {@code 2 shards by ketama}. */
  String summary();

  @Override
  default String description() {
    return summary()
        + ": "
        + parts().stream().map(UpstreamSettings::description).collect(Collectors.joining("; "));
  }

  @Override
  default List<Credentials> allCredentials() {
    return parts().stream().flatMap(part -> part.allCredentials().stream()).toList();
  }

  /** {@inheritDoc} Parts may have other credentials, which their endpoints have. */
  @Override
  default Access access() {
    return parts().getFirst().access();
  }

  @Override
  default List<Endpoint> addresses() {
    return parts().stream().flatMap(part -> part.addresses().stream()).toList();
  }

  @Override
  default boolean isDivided() {
    return true;
  }

  @Override
  default boolean hasFixedNodes() {
    return parts().stream().allMatch(UpstreamSettings::hasFixedNodes);
  }

  @Override
  default boolean mayHaveReplicas() {
    return parts().stream().anyMatch(UpstreamSettings::mayHaveReplicas);
  }
}
