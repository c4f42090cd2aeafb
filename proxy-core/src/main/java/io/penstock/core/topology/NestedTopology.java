package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.NestedPlacement;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An upstream that consists of upstreams, its parts. Its placement is composed of theirs; a
 * redirect, a refresh or an error is passed on to the part that it is about. Changes are published
 * on the topology thread.
 */
public final class NestedTopology implements Upstream {

  /** Number of nodes from which on those that have left are forgotten. */
  private static final int MAX_KNOWN = 4096;

  private final List<Part> parts;
  private final Composition composition;
  private final Failures failures;
  private final ErrorPolicy errorPolicy;
  private final TopologyReports reports;
  private final Map<Endpoint, Integer> partOf = new ConcurrentHashMap<>(); // also of former nodes
  private volatile Placement current;

  /**
   * One of the upstreams.
   *
   * @param upstream owned by the whole, which starts and closes it
   * @param replaceable whether requests for its nodes are worth a wait: another node may take over
   */
  public record Part(Upstream upstream, boolean replaceable) {

    /** Makes the upstream of a part. */
    public static Part of(UpstreamSettings settings, UpstreamSettings.Context context) {
      return of(settings, settings.create(context));
    }

    /**
     * Returns an upstream as a part. If it consists of others, it says itself which of its nodes
     * are replaceable.
     */
    public static Part of(UpstreamSettings settings, Upstream made) {
      return new Part(made, !settings.parts().isEmpty() || !settings.hasFixedNodes());
    }
  }

  /** How the placements of the parts are one. Immutable. */
  public interface Composition {

    /** Returns the partitioner of the whole. */
    Partitioner partitioner();

    /**
     * Returns the number of a part's first partition, for redirects: each part has numbers of its
     * own for all of its partitions.
     */
    int firstPartitionOf(int part);

    /** Returns the part with a partition of these numbers. */
    int partOf(int partition);

    /**
     * Returns the placement of the whole.
     *
     * @param parts in the order of the parts
     */
    Placement of(List<Placement> parts);
  }

  /** A partitioner selects the part of a key. */
  private record Nested(NestedPlacement.NestedPartitioner partitioner) implements Composition {

    @Override
    public int firstPartitionOf(int part) {
      return partitioner.firstPartitionOf(part);
    }

    @Override
    public int partOf(int partition) {
      return partitioner.partOf(partition);
    }

    @Override
    public Placement of(List<Placement> parts) {
      return new NestedPlacement(partitioner, parts);
    }
  }

  /** Is told which part's node fails, and may change what the partitioner selects. */
  public interface Failures {

    /** Does nothing. */
    Failures NONE = (_, _, _, _, _) -> {};

    /** A node of a part has failed. Any thread. The others as of {@link Upstream#failed}. */
    void failed(int part, Endpoint node, Object loop, long received, boolean repeated);

    /** Nothing is selected any more. */
    default void close() {}
  }

  /**
   * @param outer selects the part of a key: it has one partition for each part
   * @param failures is told of failing nodes, and closed with this
   */
  public NestedTopology(
      Partitioner outer, List<Part> parts, Failures failures, TopologyReports reports) {
    this(
        new Nested(
            new NestedPlacement.NestedPartitioner(
                outer, parts.stream().map(part -> part.upstream().partitioner()).toList())),
        parts,
        failures,
        reports);
  }

  /**
   * @param failures is told of failing nodes, and closed with this
   */
  public NestedTopology(
      Composition composition, List<Part> parts, Failures failures, TopologyReports reports) {
    this.parts = List.copyOf(parts);
    this.failures = failures;
    this.reports = reports;
    this.composition = composition;
    this.errorPolicy =
        new NestedErrorPolicies(errorPolicies(), node -> partOf.getOrDefault(node, -1));
    this.current = placement();
    learn();
  }

  private ErrorPolicy[] errorPolicies() {
    ErrorPolicy[] policies = new ErrorPolicy[parts.size()];
    for (int i = 0; i < policies.length; i++) {
      policies[i] =
          NestedErrorPolicies.from(
              composition.firstPartitionOf(i), parts.get(i).upstream().errorPolicy());
    }
    return policies;
  }

  private Placement placement() {
    return composition.of(parts.stream().map(part -> part.upstream().current()).toList());
  }

  private void learn() {
    if (partOf.size() > MAX_KNOWN) {
      partOf.clear();
    }
    for (int i = parts.size() - 1; i >= 0; i--) { // the first part with a node is the one
      for (Endpoint node : parts.get(i).upstream().current().nodes()) {
        partOf.put(node, i);
      }
    }
  }

  /** Publishes what the parts have published. On the topology thread. */
  private void update() {
    Placement latest = placement();
    if (!latest.equals(current)) {
      learn();
      current = latest;
      reports.changed(latest);
    }
  }

  @Override
  public Placement current() {
    return current;
  }

  @Override
  public Partitioner partitioner() {
    return composition.partitioner();
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return errorPolicy;
  }

  /** {@inheritDoc} The thread is the topology thread. */
  @Override
  public void onChange(Consumer<Placement> listener) {
    reports.onChange(listener);
  }

  @Override
  public void moved(int partition, Endpoint owner) {
    int part = composition.partOf(partition);
    parts.get(part).upstream().moved(partition - composition.firstPartitionOf(part), owner);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    for (Part part : parts) {
      part.upstream().requestRefresh(trigger);
    }
  }

  @Override
  public void demoted(Endpoint node) {
    Part part = partWith(node);
    if (part != null) {
      part.upstream().demoted(node);
    }
  }

  private @Nullable Part partWith(Endpoint node) {
    Integer part = partOf.get(node);
    return part == null ? null : parts.get(part);
  }

  @Override
  public void failed(Endpoint node, Object loop, long received, boolean repeated) {
    Integer part = partOf.get(node);
    if (part != null) {
      failures.failed(part, node, loop, received, repeated);
      parts.get(part).upstream().failed(node, loop, received, repeated);
    }
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    Part part = partWith(node);
    return part != null && part.upstream().isInCluster(node);
  }

  @Override
  public boolean isReplaceable(Endpoint node) {
    Part part = partWith(node);
    return part == null || (part.replaceable() && part.upstream().isReplaceable(node));
  }

  @Override
  public void start() {
    for (Part part : parts) {
      part.upstream().onChange(_ -> update());
      part.upstream().start();
    }
  }

  @Override
  public void close() {
    parts.forEach(part -> part.upstream().close());
    failures.close();
  }

  /** {@inheritDoc} The members of all clusters among the parts, the sentinels, no refresh. */
  @Override
  public TopologyStatus status() {
    List<TopologyStatus.Member> members = new ArrayList<>();
    List<TopologyStatus.Sentinels> sentinels = new ArrayList<>();
    for (Part part : parts) {
      TopologyStatus status = part.upstream().status();
      members.addAll(status.nodes());
      sentinels.addAll(status.sentinels());
    }
    return new TopologyStatus(null, null, 0, members, sentinels);
  }
}
