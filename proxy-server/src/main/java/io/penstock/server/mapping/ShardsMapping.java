package io.penstock.server.mapping;

import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.InvalidLayoutException;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.shards.EjectionSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.PartTargets.Target;
import io.penstock.server.url.ShardUrl;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Maps the properties of shards to the core's settings, and rejects those that conflict. */
final class ShardsMapping {

  private static final Pattern RANGE = Pattern.compile("(\\d{1,7})\\s*-\\s*(\\d{1,7})");

  private final PropertiesReader reader;
  private final String section;
  private final PartTargets targets;
  private final NodeTransport transport;

  /**
   * @param upstream what the keys of its upstream begin with, below {@code penstock}
   * @param transport of shards that are servers; with TLS if their URLs begin with {@code rediss}
   */
  ShardsMapping(
      PropertiesReader reader, String upstream, PartTargets targets, NodeTransport transport) {
    this.transport = transport;
    this.reader = reader;
    this.section = upstream + "shards.";
    this.targets = targets;
  }

  /**
   * Returns the shards.
   *
   * @throws InvalidConfigurationException if they are invalid
   */
  ShardsUpstreamSettings map(PenstockProperties.Shards shards) {
    Distribution distribution = shards.distribution();
    if (distribution == null) {
      throw invalid(
          "distribution",
          "it is not set",
          "write one of "
              + Arrays.stream(Distribution.values())
                  .map(Distribution::text)
                  .collect(Collectors.joining(", ")));
    }
    List<ShardServer> servers = new ArrayList<>();
    List<Target> found = new ArrayList<>();
    for (int i = 0; i < shards.servers().size(); i++) {
      Target target = targetOf(i, shards.servers().get(i));
      found.add(target);
      servers.add(server(target, shards.servers().get(i)));
    }
    List<SlotShare> slots = slots(shards.slots(), found);
    PartRules rules = new PartRules(reader);
    rules.rejectSameServer(found, "write each server once; weight= gives it more keys");
    ShardLayout layout =
        layout(
            new LayoutSettings(
                distribution, trimmed(shards.hash()), shards.hashTag(), servers, slots));
    rules.rejectOtherDatabases(found);
    return new ShardsUpstreamSettings(
        layout,
        found.stream().map(target -> target.with(transport)).toList(),
        shards.hold(),
        ejection(shards.autoEject(), distribution, found));
  }

  private static @Nullable String trimmed(@Nullable String text) {
    return text == null ? null : text.strip();
  }

  private Target targetOf(int index, PenstockProperties.ShardServer server) {
    String element = section + "servers[" + index + "]";
    return targets.find(reader.isSet(element) ? element : element + ".to", server.to(), true);
  }

  /** Parameters of the URL and keys of the section say the same things. */
  private ShardServer server(Target target, PenstockProperties.ShardServer server) {
    ShardUrl url = target.url();
    if (url == null) {
      String name = Objects.requireNonNullElse(server.name(), target.label());
      return new ShardServer(
          name, target.label(), Objects.requireNonNullElse(server.weight(), 1), server.token());
    }
    rejectBoth("name", target, server.name(), url.name());
    rejectBoth("weight", target, server.weight(), url.weight());
    rejectBoth("token", target, unlessEmpty(server.token()), unlessEmpty(url.tokens()));
    Integer weight = server.weight() != null ? server.weight() : url.weight();
    return new ShardServer(
        server.name() != null ? server.name() : url.name(),
        url.address(),
        weight == null ? 1 : weight,
        server.token().isEmpty() ? url.tokens() : server.token());
  }

  private static @Nullable List<Long> unlessEmpty(List<Long> list) {
    return list.isEmpty() ? null : list;
  }

  private void rejectBoth(
      String name, Target target, @Nullable Object inSection, @Nullable Object inUrl) {
    if (inSection != null && inUrl != null) {
      throw reader.invalid(
          target.key(), name + " is in the URL and beside it", "remove one of them");
    }
  }

  /** Returns the shares, and adds each shard to {@code found} when it appears first. */
  private List<SlotShare> slots(List<PenstockProperties.ShardSlots> all, List<Target> found) {
    Map<String, Target> known = new LinkedHashMap<>();
    List<SlotShare> shares = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      String element = "slots[" + i + "]";
      Target target = targets.find(section + element + ".to", all.get(i).to(), false);
      Target other = known.putIfAbsent(target.label(), target);
      if (other == null) {
        found.add(target);
      } else if (!other.kind().equals(target.kind())) {
        throw reader.invalid(
            target.key(),
            reader.written(other.key()) + " is the same server, with another password or database",
            "write the same URL for both");
      }
      shares.add(new SlotShare(numbers(element, all.get(i)), target.label()));
    }
    return shares;
  }

  private List<Integer> numbers(String element, PenstockProperties.ShardSlots slots) {
    String range = slots.range();
    if (range == null || !slots.list().isEmpty()) {
      if (range != null || slots.list().isEmpty()) {
        throw invalid(
            element + ".range",
            range == null ? "neither range nor list is set" : "range and list are both set",
            "write either range: 0-511 or list: [0, 2, 4]");
      }
      return slots.list();
    }
    Matcher numbers = RANGE.matcher(range.strip());
    if (!numbers.matches()) {
      throw invalid(element + ".range", "it is not a range", "write two numbers, as in 0-511");
    }
    int first = Integer.parseInt(numbers.group(1));
    int last = Integer.parseInt(numbers.group(2));
    if (last < first) {
      throw invalid(element + ".range", "it ends before it begins", "write " + last + "-" + first);
    }
    return IntStream.rangeClosed(first, last).boxed().toList();
  }

  private ShardLayout layout(LayoutSettings settings) {
    try {
      return ShardLayout.of(settings);
    } catch (InvalidLayoutException e) {
      throw invalid(keyWithValue(e.key()), e.reason(), e.fix());
    }
  }

  /** Returns the key that is set, for an element of a list that is a section. */
  private String keyWithValue(String key) {
    if (!key.endsWith("]") || reader.isSet(section + key)) {
      return key;
    }
    for (String below : List.of(".range", ".list", ".to")) {
      if (reader.isSet(section + key + below)) {
        return key + below;
      }
    }
    return key;
  }

  private @Nullable EjectionSettings ejection(
      PenstockProperties.@Nullable AutoEject eject,
      Distribution distribution,
      List<Target> shards) {
    if (eject == null) {
      return null;
    }
    String key =
        "auto-eject." + (reader.isSet(section + "auto-eject.failures") ? "failures" : "retry");
    if (!distribution.canEject()) {
      throw invalid(
          key,
          distribution.text() + " does not say where the keys of an ejected server belong",
          "remove auto-eject");
    }
    for (Target shard : shards) {
      if (!(shard.kind() instanceof SingleUpstreamSettings single) || single.mayHaveReplicas()) {
        throw invalid(
            key,
            shard.label()
                + " is not a single server: a master that replicas replace keeps its keys",
            "remove auto-eject, or write only single servers");
      }
    }
    return new EjectionSettings(eject.failures(), eject.retry());
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return reader.invalid(section + key, reason, fix);
  }
}
