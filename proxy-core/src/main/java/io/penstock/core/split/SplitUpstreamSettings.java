package io.penstock.core.split;

import io.penstock.core.topology.NestedTopology;
import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An upstream for writes, and others for reads, which somebody else keeps equal to it. Each of
 * those has one partition, or the same partitions as the one for writes, which may be one of them.
 *
 * @param write for what may write, and for all that is no read
 * @param read all with the same database; if empty, only the masters of {@code write} are read
 * @param inOrder whether only the first of {@code read} that has a node which may be read is read
 */
public record SplitUpstreamSettings(UpstreamSettings write, List<ReadPart> read, boolean inOrder)
    implements NestedUpstreamSettings {

  public SplitUpstreamSettings {
    read = List.copyOf(read);
  }

  /** Reads go to all that are for reads alike. */
  public SplitUpstreamSettings(UpstreamSettings write, List<ReadPart> read) {
    this(write, read, false);
  }

  /** {@inheritDoc} Each is there once, also if it is for several things. */
  @Override
  public List<UpstreamSettings> parts() {
    return Stream.concat(Stream.of(write), read.stream().map(ReadPart::upstream))
        .distinct()
        .toList();
  }

  @Override
  public Upstream create(Context context) {
    List<UpstreamSettings> settings = parts();
    List<NestedTopology.Part> parts = // nothing else can serve writes: they wait as without split
        settings.stream()
            .map(part ->
                part.equals(write)
                    ? new NestedTopology.Part(part.create(context), true)
                    : NestedTopology.Part.of(part, context))
            .toList();
    List<Integer> numbers = read.stream().map(part -> settings.indexOf(part.upstream())).toList();
    return new NestedTopology(
        Split.of(
            parts.stream().map(NestedTopology.Part::upstream).toList(),
            new SplitReads(read, numbers, inOrder)),
        parts,
        NestedTopology.Failures.NONE,
        new TopologyReports(context.control().thread(), context.events()));
  }

  /**
   * The placement for writes, with nodes of the others.
   *
   * @param first the number of each part's first partition, and the end
   */
  private record Split(Partitioner partitioner, List<Integer> first, SplitReads read)
      implements NestedTopology.Composition {

    static Split of(List<Upstream> parts, SplitReads read) {
      Partitioner ofWrites = parts.getFirst().partitioner();
      if (!parts.stream()
          .map(Upstream::partitioner)
          .allMatch(each -> each.partitions() == 1 || each.equals(ofWrites))) {
        throw new IllegalArgumentException("other partitions than " + ofWrites);
      }
      int[] sum = {0};
      List<Integer> first =
          parts.stream()
              .map(part -> {
                int own = sum[0];
                sum[0] = Math.addExact(own, part.partitioner().partitions());
                return own;
              })
              .toList();
      return new Split(ofWrites, first, read);
    }

    @Override
    public int firstPartitionOf(int part) {
      return first.get(part);
    }

    @Override
    public int partOf(int partition) {
      int part = first.size() - 1;
      while (first.get(part) > partition) {
        part--;
      }
      return part;
    }

    @Override
    public Placement of(List<Placement> parts) {
      return new SplitPlacement(parts, read);
    }
  }

  /** {@inheritDoc} The parts are upstreams of their own, which have theirs. */
  @Override
  public SplitUpstreamSettings with(NodeTransport transport) {
    return this;
  }

  @Override
  public boolean isDivided() {
    return write.isDivided();
  }

  @Override
  public boolean mayHaveReplicas() {
    return true;
  }

  @Override
  public String description() {
    if (read.isEmpty()) {
      return write.description();
    }
    return summary()
        + ": "
        + write.description()
        + read.stream()
            .map(part -> (part.masters() ? "; " : "; replicas of ") + part.upstream().description())
            .collect(Collectors.joining());
  }

  @Override
  public String summary() {
    boolean own = read.stream().anyMatch(part -> part.upstream().equals(write));
    return "one upstream for writes and "
        + (own ? read.size() : read.size() == 1 ? "1" : read.size() + " others")
        + " for reads"
        + (own ? ", itself included" : "")
        + (inOrder && read.size() > 1 ? ", the first that answers" : "");
  }
}
