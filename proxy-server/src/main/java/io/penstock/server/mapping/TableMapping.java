package io.penstock.server.mapping;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.table.InvalidTableException;
import io.penstock.server.table.RouteTable;
import io.penstock.server.table.RouteTable.Operation;
import io.penstock.server.table.RouteTable.Reads;
import io.penstock.server.table.RouteTable.Share;
import io.penstock.server.table.RouteTable.Url;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import io.penstock.server.url.UrlRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Maps a resource table of camellia-redis-proxy to an upstream. Confined to one thread; for one
 * table.
 */
final class TableMapping {

  private final NodeTransport transport;
  private final List<Resource> resources = new ArrayList<>();

  /**
   * @param transport of all nodes; with TLS if their URLs begin with {@code rediss}
   */
  TableMapping(NodeTransport transport) {
    this.transport = transport;
  }

  /**
   * Returns the upstream.
   *
   * @param hash of the buckets, as {@link Distribution#CAMELLIA} names it
   * @throws InvalidTableException if a resource cannot be used, or not together with the others
   */
  Resource map(RouteTable table, String hash) {
    if (table.isSharded()) {
      return Resource.of(sharded(table, hash));
    }
    Operation operation = table.shares().getFirst().operation();
    return operation.read() == null
        ? resource(operation.write())
        : Resource.of(upstream(operation));
  }

  /**
   * Returns the upstreams that get what was written to that of {@link #map}, in their order: the
   * second resource for writes of each share, the third, and so on.
   *
   * @throws InvalidTableException if a share has more of them than another, or one cannot be
   */
  List<UpstreamSettings> copies(RouteTable table, String hash) {
    int writes = table.writes();
    for (Share share : table.shares()) {
      if (share.operation().writes().size() > writes) {
        throw new InvalidTableException(
            share.operation().writes().get(writes).place(),
            "another bucket has only %s for writes, and a copy has all keys"
                .formatted(writes == 1 ? "one resource" : writes + " resources"),
            "write as many resources for each bucket; one may be the copy of several");
      }
    }
    if (writes == 1) {
      return List.of();
    }
    List<UpstreamSettings> all = new ArrayList<>();
    List<String> places = new ArrayList<>();
    add(copy(table, hash, 0), placeOf(table, 0), all, places);
    for (int i = 1; i < writes; i++) {
      add(copy(table, hash, i), placeOf(table, i), all, places);
    }
    return all.subList(1, all.size());
  }

  /** Returns what the resources for writes of one number are together. */
  private UpstreamSettings copy(RouteTable table, String hash, int number) {
    List<Share> shares =
        table.shares().stream()
            .map(each ->
                new Share(
                    each.buckets(),
                    new Operation(
                        each.operation().writes().get(number).place(),
                        each.operation().writes().get(number))))
            .toList();
    return table.isSharded()
        ? sharded(new RouteTable(table.buckets(), shares), hash)
        : upstream(shares.getFirst().operation());
  }

  private static String placeOf(RouteTable table, int number) {
    return table.shares().getFirst().operation().writes().get(number).place();
  }

  private static void add(
      UpstreamSettings next, String place, List<UpstreamSettings> all, List<String> places) {
    for (int i = 0; i < all.size(); i++) {
      rejectOtherDatabase(next, place, all.get(i), places.get(i));
      if (PartRules.haveSameServer(next, all.get(i))) {
        throw new InvalidTableException(
            place,
            "it has a server of " + places.get(i) + ", and a copy has data of its own",
            "write another server");
      }
    }
    all.add(next);
    places.add(place);
  }

  /** Returns the resources of all URLs. */
  List<Resource> resources() {
    return List.copyOf(resources);
  }

  /** A share that is not separated is read at its masters, also if the others are not. */
  private UpstreamSettings sharded(RouteTable table, String hash) {
    boolean separated = table.shares().stream().anyMatch(each -> each.operation().read() != null);
    List<UpstreamSettings> shards = new ArrayList<>();
    List<String> places = new ArrayList<>();
    List<SlotShare> slots = new ArrayList<>();
    for (Share share : table.shares()) {
      Operation operation = share.operation();
      UpstreamSettings upstream = upstream(operation);
      if (separated && operation.read() == null && upstream.mayHaveReplicas()) {
        upstream = new SplitUpstreamSettings(upstream, List.of());
      }
      int known = shards.indexOf(upstream);
      if (known < 0) {
        rejectCommonServer(upstream, operation.place(), shards, places);
        shards.add(upstream);
        places.add(operation.place());
      } else {
        rejectOtherPassword(upstream, operation.place(), shards.get(known), places.get(known));
      }
      slots.add(new SlotShare(share.buckets(), upstream.description()));
    }
    ShardLayout layout =
        ShardLayout.of(LayoutSettings.ofSlots(Distribution.CAMELLIA, slots).withHash(hash));
    return new ShardsUpstreamSettings(layout, shards, false, null);
  }

  private UpstreamSettings upstream(Operation operation) {
    Resource write = part(operation.write());
    if (write.use() != Resource.Use.READ_AND_WRITE) {
      throw new InvalidTableException(
          operation.write().place(),
          "it is only for reads: its scheme ends in -slaves",
          "write a URL with redis-sentinel:// or redis-cluster://");
    }
    Reads reads = operation.read();
    return reads == null ? write.upstream() : split(operation.write(), write.upstream(), reads);
  }

  private SplitUpstreamSettings split(Url writeUrl, UpstreamSettings write, Reads reads) {
    List<UpstreamSettings> known = new ArrayList<>(List.of(write));
    List<String> places = new ArrayList<>(List.of(writeUrl.place()));
    List<ReadPart> parts = new ArrayList<>();
    for (Url url : reads.resources()) {
      Resource resource = part(url);
      UpstreamSettings upstream = resource.upstream();
      if (upstream instanceof ClusterUpstreamSettings
          && !(write instanceof ClusterUpstreamSettings)) {
        throw new InvalidTableException(
            url.place(),
            "it is a Redis Cluster, and the resource for writes is none: its commands are not"
                + " divided by slot",
            "write a single server or a Sentinel group, or a cluster for writes too");
      }
      for (int i = 0; i < known.size(); i++) {
        rejectOtherAccess(upstream, url.place(), known.get(i), places.get(i));
      }
      known.add(upstream);
      places.add(url.place());
      parts.add(
          new ReadPart(
              upstream,
              resource.use() != Resource.Use.READ_REPLICAS,
              resource.use() != Resource.Use.READ_AND_WRITE));
    }
    return new SplitUpstreamSettings(write, parts, reads.inOrder());
  }

  /** Returns one of several resources. */
  private Resource part(Url url) {
    Resource resource = resource(url);
    if (resource.upstream() instanceof ProxiesUpstreamSettings) {
      throw new InvalidTableException(
          url.place(),
          "redis-proxies:// cannot be one of several resources",
          "write redis:// with one of the proxies, or the servers behind them");
    }
    return resource;
  }

  private Resource resource(Url url) {
    try {
      Resource resource = ResourceUrl.parse(url.text(), UrlRules.CAMELLIA).with(transport);
      resources.add(resource);
      return resource;
    } catch (ResourceUrl.InvalidUrlException e) {
      throw new InvalidTableException(url.place(), e.reason(), e.fix());
    }
  }

  /** What concerns all keys would find a server of two shards twice. */
  private static void rejectCommonServer(
      UpstreamSettings upstream, String place, List<UpstreamSettings> others, List<String> places) {
    for (int i = 0; i < others.size(); i++) {
      rejectOtherDatabase(upstream, place, others.get(i), places.get(i));
      if (PartRules.haveSameServer(upstream, others.get(i))) {
        throw new InvalidTableException(
            place,
            "it has a server of " + places.get(i) + " too",
            "list the buckets of both in one key, or write the same operation for both");
      }
    }
  }

  private static void rejectOtherAccess(
      UpstreamSettings one, String place, UpstreamSettings other, String placeOfOther) {
    rejectOtherDatabase(one, place, other, placeOfOther);
    if (PartRules.haveSameServer(one, other)) {
      if (!one.access().equals(other.access())) {
        throw new InvalidTableException(
            place,
            "it has a server of " + placeOfOther + " with another user, or without TLS",
            "write the same user and TLS for both");
      }
      rejectOtherPassword(one, place, other, placeOfOther);
    }
  }

  private static void rejectOtherPassword(
      UpstreamSettings one, String place, UpstreamSettings other, String placeOfOther) {
    if (!Objects.equals(one.passwords(), other.passwords())) {
      throw new InvalidTableException(
          place,
          "it has the servers of " + placeOfOther + " with another password",
          "write the same password for both");
    }
  }

  private static void rejectOtherDatabase(
      UpstreamSettings one, String place, UpstreamSettings other, String placeOfOther) {
    int database = one.access().database();
    int expected = other.access().database();
    if (database != expected) {
      throw new InvalidTableException(
          place,
          "its database is %d, and that of %s is %d".formatted(database, placeOfOther, expected),
          "write the same database for all of them, with ?db=; a Redis Cluster has only 0");
    }
  }

  /**
   * Returns the hash of a class, as {@link Distribution#CAMELLIA} names it; null if Penstock does
   * not have it.
   *
   * @param function the class, with or without its package, or null for the default
   */
  static @Nullable String hashOf(@Nullable String function) {
    String name =
        function == null ? "DefaultShardingFunc" : function.strip().replaceFirst(".*\\.", "");
    return switch (name) {
      case "DefaultShardingFunc" -> "camellia-default";
      case "DefaultHashTagShardingFunc" -> "camellia-hashtag";
      case "CRC16HashTagShardingFunc" -> "camellia-crc16";
      default -> null;
    };
  }
}
