package io.penstock.core.answer;

import io.penstock.core.cluster.ClusterFacade.Member;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.resp.ReplyWriter;
import java.util.List;

/**
 * Writes the cluster that Penstock's instances form for clients, in the formats of Redis's
 * cluster.c.
 */
final class FacadeView {

  /** The offset of the cluster bus port from a node's port, as in Redis. */
  private static final int BUS_OFFSET = 10_000;

  private static final List<String> HELP =
      List.of(
          "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
          "COUNT-FAILURE-REPORTS <node-id>",
          "    Return number of failure reports for <node-id>.",
          "COUNTKEYSINSLOT <slot>",
          "    Return the number of keys in <slot>.",
          "GETKEYSINSLOT <slot> <count>",
          "    Return key names stored in a slot.",
          "INFO",
          "    Return information about the cluster.",
          "KEYSLOT <key>",
          "    Return the hash slot for <key>.",
          "LINKS",
          "    Return information about all network links between this node and its peers.",
          "MYID",
          "    Return the node id.",
          "MYSHARDID",
          "    Return the node's shard id.",
          "NODES",
          "    Return cluster configuration seen by node. Output format:",
          "    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ...",
          "REPLICAS <node-id>",
          "    Return <node-id> replicas.",
          "SHARDS",
          "    Return information about slot range mappings and the nodes associated with them.",
          "SLOTS",
          "    Return information about slots range mappings. Each range is made of:",
          "    start, end, master and replicas IP addresses, ports and ids",
          "HELP",
          "    Prints this help.");

  private final List<Member> members;

  FacadeView(List<Member> members) {
    this.members = members;
  }

  /** Returns this instance, or the first one if this instance is not listed. */
  Member myself() {
    return members.stream().filter(Member::myself).findFirst().orElse(members.getFirst());
  }

  void slots(ReplyWriter reply) {
    reply.array(members.size());
    for (Member member : members) {
      reply.array(3);
      reply.integer(member.first());
      reply.integer(member.last());
      reply.array(4);
      reply.bulk(member.node().host());
      reply.integer(member.node().port());
      reply.bulk(member.id());
      reply.map(0);
    }
  }

  void shards(ReplyWriter reply) {
    reply.array(members.size());
    for (Member member : members) {
      reply.map(2);
      reply.bulk("slots");
      reply.array(2);
      reply.integer(member.first());
      reply.integer(member.last());
      reply.bulk("nodes");
      reply.array(1);
      reply.map(7);
      entry(reply, "id", member.id());
      reply.bulk("port");
      reply.integer(member.node().port());
      entry(reply, "ip", member.node().host());
      entry(reply, "endpoint", member.node().host());
      entry(reply, "role", "master");
      reply.bulk("replication-offset");
      reply.integer(0);
      entry(reply, "health", "online");
    }
  }

  private static void entry(ReplyWriter reply, String name, String value) {
    reply.bulk(name);
    reply.bulk(value);
  }

  /** Returns the text of {@code CLUSTER NODES}: one line for each instance. */
  String nodes(long nowMillis) {
    var text = new StringBuilder();
    for (Member member : members) {
      int port = member.node().port();
      text.append(member.id())
          .append(' ')
          .append(member.node().host() + ":" + port + "@" + (port + BUS_OFFSET))
          .append(member.myself() ? " myself,master - 0 0 " : " master - 0 " + nowMillis + " ")
          .append(member.epoch())
          .append(" connected ")
          .append(member.first())
          .append('-')
          .append(member.last())
          .append('\n');
    }
    return text.toString();
  }

  /**
   * Returns the text of {@code CLUSTER INFO}, with the state of the cluster behind Penstock.
   *
   * @param assigned slots with a master
   * @param covered slots whose master answers
   */
  String info(int assigned, int covered) {
    boolean complete = covered == SlotMap.SLOTS;
    return "cluster_state:"
        + (complete ? "ok" : "fail")
        + "\r\ncluster_slots_assigned:"
        + assigned
        + "\r\ncluster_slots_ok:"
        + covered
        + "\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:"
        + (assigned - covered)
        + "\r\ncluster_known_nodes:"
        + members.size()
        + "\r\ncluster_size:"
        + members.size()
        + "\r\ncluster_current_epoch:"
        + members.size()
        + "\r\ncluster_my_epoch:"
        + myself().epoch()
        + "\r\ncluster_stats_messages_sent:0\r\ncluster_stats_messages_received:0"
        + "\r\ntotal_cluster_links_buffer_limit_exceeded:0\r\n";
  }

  static void help(ReplyWriter reply) {
    reply.array(HELP.size());
    HELP.forEach(reply::status);
  }
}
