package io.penstock.core.topology;

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
 * Whom a refresh asks, in which order: who answered last, then known nodes and seeds in turn, each
 * kind shuffled. Among the known, reachable masters come first: resharding tools tell every master
 * of a moved slot, replicas hear of it later. Seeds are always asked too in the end, since all
 * known nodes may have been replaced behind the same names.
 */
final class RefreshCandidates {

  /** Of a large cluster some nodes will do; the next try asks others. */
  private static final int MOST_KNOWN = 20;

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
    int knownAsked = Math.min(members.size(), MOST_KNOWN);
    for (int i = 0; i < Math.max(knownAsked, shuffledSeeds.size()); i++) {
      Endpoint member = i < knownAsked ? members.get(i).node() : null;
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
