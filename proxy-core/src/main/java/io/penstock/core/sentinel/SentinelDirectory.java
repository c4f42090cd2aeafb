package io.penstock.core.sentinel;

import io.penstock.core.upstream.Endpoint;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sentinels: the configured ones, and those that they know. A sentinel is counted once, by its
 * id, whatever addresses it has. Confined to the topology thread.
 */
final class SentinelDirectory {

  /** Most sentinels that are remembered beside the configured ones. */
  private static final int MAX_DISCOVERED = 32;

  private final List<Endpoint> configured;
  private final Map<Endpoint, String> ids = new HashMap<>(); // of addresses that answered
  private Map<String, Endpoint> known = new LinkedHashMap<>();

  SentinelDirectory(List<Endpoint> configured) {
    this.configured = List.copyOf(configured);
  }

  /** Returns the addresses to query: one for each sentinel, as far as that is known. */
  Set<Endpoint> addresses() {
    Set<Endpoint> addresses = new LinkedHashSet<>(configured);
    Set<String> reached = new HashSet<>();
    for (Endpoint address : configured) {
      String id = ids.get(address);
      if (id != null) {
        reached.add(id);
      }
    }
    known.forEach((id, address) -> {
      if (!reached.contains(id)) {
        addresses.add(address);
      }
    });
    return addresses;
  }

  /** Returns how many sentinels there are after the views of a refresh. */
  int count(Collection<SentinelView> all) {
    int voters = count(all, all);
    return voters == 0 ? configured.size() : voters;
  }

  /** Returns how many sentinels there are if all of these are told of by {@code views}. */
  int count(Collection<SentinelView> all, Collection<SentinelView> views) {
    Set<String> voters = new HashSet<>(known.keySet());
    all.forEach(view -> voters.add(idOf(view, all)));
    views.forEach(view -> voters.addAll(view.others().keySet()));
    return voters.size();
  }

  /**
   * Returns the sentinel's id. One that reports none (before Redis 6.2) has the id by which others
   * know its address, if one does.
   */
  private String idOf(SentinelView view, Collection<SentinelView> all) {
    if (!view.id().equals(view.source().toString())) {
      return view.id();
    }
    for (SentinelView other : all) {
      String id = idAt(view.source(), other.others());
      if (id != null) {
        return id;
      }
    }
    String id = idAt(view.source(), known);
    return id == null ? view.id() : id;
  }

  private static @Nullable String idAt(Endpoint address, Map<String, Endpoint> sentinels) {
    for (Map.Entry<String, Endpoint> sentinel : sentinels.entrySet()) {
      if (sentinel.getValue().equals(address) && !sentinel.getKey().equals(address.toString())) {
        return sentinel.getKey();
      }
    }
    return null;
  }

  /** Notes which sentinel answered at an address, and that others did not. */
  void answered(Collection<SentinelView> views, Collection<Endpoint> failed) {
    views.forEach(view -> ids.put(view.source(), view.id()));
    failed.forEach(ids::remove);
  }

  /**
   * Learns of sentinels from views that were believed. The views of a majority replace what was
   * known; those of a minority only add to it.
   */
  void learn(Claim claim) {
    Map<String, Endpoint> now = claim.ofMajority() ? new LinkedHashMap<>() : known;
    for (SentinelView view : claim.views()) {
      now.putIfAbsent(idOf(view, claim.views()), view.source());
      view.others()
          .forEach((id, address) -> {
            if (now.size() < MAX_DISCOVERED) {
              now.putIfAbsent(id, address);
            }
          });
    }
    known = now;
    ids.keySet().retainAll(addresses());
  }
}
