package io.penstock.server.cli;

import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.Division;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.observe.ShownTime;
import io.penstock.core.shards.EjectionSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** The upstreams that one consists of, for people to read: one line for each. */
final class PartLines {

  private PartLines() {}

  /** Returns a description of an upstream, without what it consists of. */
  static String description(Upstream upstream) {
    return switch (upstream) {
      case Upstream.Resp resp -> description(resp.kind());
      case Upstream.Tcp tcp -> TcpLines.description(tcp.servers());
    };
  }

  private static String description(UpstreamSettings kind) {
    return switch (kind) {
      case ShardsUpstreamSettings shards -> description(shards);
      case NestedUpstreamSettings nested -> nested.summary() + ":";
      default -> kind.description();
    };
  }

  private static String description(ShardsUpstreamSettings shards) {
    LayoutSettings layout = shards.layout().settings();
    StringBuilder text = new StringBuilder();
    text.append(shards.summary());
    if (layout.hash() != null) {
      text.append(", hash ").append(layout.hash());
    }
    if (layout.hashTag() != null) {
      text.append(", hash tag ").append(layout.hashTag());
    }
    EjectionSettings ejection = shards.ejection();
    if (ejection != null) {
      text.append(", each ejected for ").append(ShownTime.seconds(ejection.retry()));
      text.append(" after ").append(ejection.failures());
      text.append(ejection.failures() == 1 ? " failure" : " failures");
    }
    if (shards.holds()) {
      text.append(", failover hold for all");
    }
    return text.append(':').toString();
  }

  /** Returns a line for each part, indented; none for other upstreams. */
  static List<String> of(Upstream upstream) {
    return switch (upstream) {
      case Upstream.Resp resp -> of(resp.kind());
      case Upstream.Tcp tcp -> TcpLines.of(tcp.servers());
    };
  }

  private static List<String> of(UpstreamSettings kind) {
    List<String> lines = new ArrayList<>();
    if (kind instanceof SplitUpstreamSettings split) {
      lines.add("  for writes: " + split.write().description());
      split.read().forEach(part -> lines.add("  " + line(part)));
      return lines;
    }
    for (int i = 0; i < kind.parts().size(); i++) {
      lines.add("  " + line(kind, i));
    }
    return lines;
  }

  private static String line(ReadPart part) {
    String description = part.upstream().description();
    return (part.masters() ? "for reads: " : "for reads, replicas: ") + description;
  }

  private static String line(UpstreamSettings upstream, int part) {
    String description = upstream.parts().get(part).description();
    return switch (upstream) {
      case ShardsUpstreamSettings shards -> line(shards, part);
      case DividedUpstreamSettings(Division rule, _) -> rule.textOf(part) + ": " + description;
      case SpreadUpstreamSettings(WeightedDivision rule, _) ->
          rule.textOf(part) + ": " + description;
      default -> description;
    };
  }

  private static String line(ShardsUpstreamSettings shards, int shard) {
    ShardLayout layout = shards.layout();
    String label = layout.shards().get(shard);
    String description = shards.shards().get(shard).description();
    String text = label.equals(description) ? label : label + ": " + description;
    if (layout.distribution().hasSlots()) {
      return text + " (" + slots(layout, shard) + ")";
    }
    ShardServer server = layout.settings().servers().get(shard);
    StringJoiner traits = new StringJoiner(", ", " (", ")").setEmptyValue("");
    if (server.weight() != 1) {
      traits.add("weight " + server.weight());
    }
    if (!server.tokens().isEmpty()) {
      traits.add("token " + server.tokens().toString().replaceAll("[\\[\\]]", ""));
    }
    return text + traits;
  }

  /** Returns ranges, such as {@code 0-511, 1000}. */
  private static String slots(ShardLayout layout, int shard) {
    StringJoiner ranges = new StringJoiner(", ");
    int end = layout.partitions();
    for (int first = 0; first < end; first++) {
      if (layout.ownerOf(first) != shard) {
        continue;
      }
      int last = first;
      while (last + 1 < end && layout.ownerOf(last + 1) == shard) {
        last++;
      }
      ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
      first = last;
    }
    return ranges.toString();
  }
}
