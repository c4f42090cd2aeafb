package io.penstock.core.discovery;

import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a refresh queries, in order: first the node that answered last, then known nodes
 * and seeds alternately, both shuffled. Among known nodes, healthy masters come first: resharding
 * tools notify every master of a moved slot, replicas learn of it later. The list always contains
 * all seeds, because all known nodes may have been replaced under the same names.
 */
final class RefreshCandidates {

  /** Most known nodes in the list. A large cluster has more; the next attempt draws others. */
  private static final int MAX_KNOWN = 20;

  private RefreshCandidates() {}

  static List<Endpoint> order(
      @Nullable Endpoint last,
      Collection<ViewNode> known,
      Collection<Endpoint> seeds,
      RandomGenerator random) {
    Random shuffling = Random.from(random);
    List<ViewNode> members = new ArrayList<>(known);
    Collections.shuffle(members, shuffling);
    members.sort(Comparator.comparingInt(RefreshCandidates::rank));
    List<Endpoint> shuffledSeeds = new ArrayList<>(seeds);
    Collections.shuffle(shuffledSeeds, shuffling);

    Set<Endpoint> order = new LinkedHashSet<>();
    if (last != null) {
      order.add(last);
    }
    int knownCount = Math.min(members.size(), MAX_KNOWN);
    for (int i = 0; i < Math.max(knownCount, shuffledSeeds.size()); i++) {
      Endpoint member = i < knownCount ? members.get(i).node() : null;
      if (member != null) {
        order.add(member);
      }
      if (i < shuffledSeeds.size()) {
        order.add(shuffledSeeds.get(i));
      }
    }
    return List.copyOf(order);
  }

  private static int rank(ViewNode node) {
    if (!node.isHealthy()) {
      return 2;
    }
    return node.isVotingMaster() ? 0 : 1;
  }
}
