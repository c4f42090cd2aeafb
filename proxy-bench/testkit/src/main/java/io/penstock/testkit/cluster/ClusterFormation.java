package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Joins servers to a cluster and waits until their views agree. Needs no redis-cli. */
final class ClusterFormation {

  private static final int SLOTS = 16_384;

  private ClusterFormation() {}

  /**
   * Makes a cluster of fresh members.
   *
   * @param masters the first this many become masters with equal shares of the slots, the others
   *     their replicas in turn
   */
  static void form(List<Member> members, int masters, Duration atMost) {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).text("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
    }
    for (int i = 0; i < masters; i++) {
      addSlots(members.get(i), i * SLOTS / masters, (i + 1) * SLOTS / masters);
    }
    for (int i = 1; i < members.size(); i++) {
      introduce(members.get(i), members.subList(0, i));
    }
    awaitAcquainted(members, atMost);
    for (int i = masters; i < members.size(); i++) {
      members.get(i).text("CLUSTER", "REPLICATE", members.get(i % masters).id());
    }
    awaitHealthy(members, atMost);
  }

  /** Introduces a new node to all others at once, which is faster than gossip. */
  static void introduce(Member newcomer, List<Member> others) {
    for (Member other : others) {
      if (other.isRunning()) {
        newcomer.text("CLUSTER", "MEET", other.host(), Integer.toString(other.clusterPort()));
      }
    }
  }

  static void awaitAcquainted(List<Member> members, Duration atMost) {
    Waiting.until(
        "all nodes know each other", atMost, () -> acquainted(members), () -> report(members));
  }

  /**
   * Answers when every running member says {@code cluster_state:ok}, all agree on roles and slots,
   * and running replicas are in sync with their masters.
   */
  static void awaitHealthy(List<Member> members, Duration atMost) {
    Waiting.until("the cluster is healthy", atMost, () -> healthy(members), () -> report(members));
  }

  private static void addSlots(Member member, int first, int end) {
    List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
    for (int slot = first; slot < end; slot++) {
      command.add(Integer.toString(slot));
    }
    member.text(command.toArray(String[]::new));
  }

  private static boolean acquainted(List<Member> members) {
    Set<String> running = runningIds(members);
    for (Member member : members) {
      if (member.isRunning() && !soundIds(member.view()).containsAll(running)) {
        return false;
      }
    }
    return true;
  }

  private static boolean healthy(List<Member> members) {
    try {
      Set<String> running = runningIds(members);
      Set<Set<String>> views = new HashSet<>();
      for (Member member : members) {
        if (member.isRunning()) {
          List<NodeView> view = member.view();
          if (!isOk(member) || !soundIds(view).containsAll(running)) {
            return false;
          }
          views.add(agreed(view, running));
        }
      }
      return views.size() == 1;
    } catch (UncheckedIOException | RespClient.ErrorReply e) {
      return false; // one that dies or loads at this moment is not healthy yet
    }
  }

  private static boolean isOk(Member member) {
    String info = member.text("CLUSTER", "INFO");
    String replication = member.text("INFO", "replication");
    return info.contains("cluster_state:ok")
        && info.contains("cluster_slots_ok:" + SLOTS)
        && (replication.contains("role:master") || replication.contains("master_link_status:up"));
  }

  private static Set<String> runningIds(List<Member> members) {
    Set<String> ids = new HashSet<>();
    for (Member member : members) {
      if (member.isRunning()) {
        ids.add(member.id());
      }
    }
    return ids;
  }

  private static Set<String> soundIds(List<NodeView> view) {
    Set<String> ids = new HashSet<>();
    for (NodeView node : view) {
      if (node.isHealthy()) {
        ids.add(node.id());
      }
    }
    return ids;
  }

  private static Set<String> agreed(List<NodeView> view, Set<String> running) {
    Set<String> lines = new TreeSet<>();
    for (NodeView node : view) {
      if (running.contains(node.id())) {
        lines.add(node.agreedPart());
      }
    }
    return lines;
  }

  private static String report(List<Member> members) {
    StringBuilder report = new StringBuilder();
    for (Member member : members) {
      report.append("--- ").append(member).append(member.isRunning() ? "" : " not running");
      report.append('\n').append(member.server().logTail()).append('\n');
    }
    return report.toString();
  }
}
