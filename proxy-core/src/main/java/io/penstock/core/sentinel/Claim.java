package io.penstock.core.sentinel;

import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What some sentinels agree on: the master. Immutable.
 *
 * @param epoch the configuration epoch that the majority of all sentinels has reached; if these are
 *     a minority, the highest epoch among them
 * @param views of the sentinels that agree, at least one
 * @param ofMajority whether these are more than half of all known sentinels
 */
record Claim(Endpoint master, long epoch, List<SentinelView> views, boolean ofMajority) {

  Claim {
    views = List.copyOf(views);
  }

  /**
   * Creates the claim of views with the same master.
   *
   * @param voters how many sentinels there are
   */
  static Claim of(List<SentinelView> views, int voters) {
    long[] epochs = views.stream().mapToLong(SentinelView::epoch).sorted().toArray();
    boolean ofMajority = views.size() * 2 > voters;
    int agreed = ofMajority ? epochs.length - 1 - voters / 2 : epochs.length - 1;
    return new Claim(views.getFirst().master(), epochs[agreed], views, ofMajority);
  }

  /**
   * Returns the replicas that Penstock may read from: those that not most of the sentinels that
   * know them consider down. The order depends on the addresses only.
   */
  List<Endpoint> replicas() {
    Map<Endpoint, int[]> votes = new LinkedHashMap<>(); // known by, down for
    for (SentinelView view : views) {
      for (SentinelView.Member member : view.members()) {
        int[] count = votes.computeIfAbsent(member.node(), _ -> new int[2]);
        count[0]++;
        count[1] += member.isDown() ? 1 : 0;
      }
    }
    List<Endpoint> replicas = new ArrayList<>();
    votes.forEach((node, count) -> {
      if (!node.equals(master) && count[1] * 2 <= count[0]) {
        replicas.add(node);
      }
    });
    replicas.sort(Comparator.comparing(Endpoint::host).thenComparingInt(Endpoint::port));
    return replicas;
  }
}
