package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.it.Keys;
import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The slot of a channel moves while nodes pass messages on slowly: relays delay the cluster bus.
 */
class MovedChannelIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BUS_DELAY = Duration.ofMillis(100);
  private static final int BUS_OFFSET = 10_000; // from the port of a node to its bus port
  private static final int BEFORE_AND_AFTER = 50;
  private static final long PAUSE_NANOS = 2_000_000;

  private int published;

  @Test
  void messagesOfOnePublisherKeepTheirOrder() {
    List<Relay> buses = new ArrayList<>();
    try (EmbeddedCluster cluster =
            EmbeddedCluster.builder().masters(3).nodeTimeout(Duration.ofSeconds(15)).start();
        ProxyFixture proxy =
            ProxyFixture.of(cluster).refreshPeriod(Duration.ofMillis(300)).startReady();
        RespClient publisher = proxy.connect();
        RespClient subscriber = proxy.connect()) {
      relayBuses(cluster, buses);
      Member from = cluster.masters().getFirst();
      Member to = cluster.masters().getLast();
      int slot = Keys.slotOf(cluster, from);
      String channel = Keys.tag(slot) + "moved";
      assertThat(subscriber.call("SUBSCRIBE", channel)).startsWith("*3\r\n$9\r\nsubscribe\r\n");
      publish(publisher, channel, BEFORE_AND_AFTER);

      buses.forEach(bus -> bus.delay(BUS_DELAY));
      for (Member member : cluster.masters()) {
        publish(publisher, channel, 5);
        member.text("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", to.id());
      }
      Awaitility.await("the proxy subscribes at the new node")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> {
            publish(publisher, channel, 1);
            return isSubscribedAt(to, channel) && !isSubscribedAt(from, channel);
          });
      publish(publisher, channel, BEFORE_AND_AFTER);

      List<Integer> received = receiveAll(subscriber);
      System.out.println("moved channel: received " + received.size() + " of " + published);
      assertThat(received).doesNotHaveDuplicates().isSorted();
      assertThat(received).startsWith(1, 2, 3).endsWith(published - 2, published - 1, published);
    } finally {
      buses.forEach(Relay::close);
    }
  }

  private static void relayBuses(EmbeddedCluster cluster, List<Relay> buses) {
    for (Member member : cluster.members()) {
      Relay bus = Relay.to(member.host(), member.port() + BUS_OFFSET);
      buses.add(bus);
      String port = Integer.toString(bus.port());
      member.text("CONFIG", "SET", "cluster-announce-bus-port", port);
    }
    Awaitility.await("all nodes are connected through the relays")
        .atMost(PATIENCE)
        .until(() ->
            cluster.members().stream()
                    .map(member -> member.text("CLUSTER", "NODES"))
                    .allMatch(nodes -> buses.stream().allMatch(b -> nodes.contains("@" + b.port())))
                && buses.stream().allMatch(bus -> bus.connections() == 2));
    cluster.awaitHealthy();
  }

  private void publish(RespClient wire, String channel, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(wire.call("PUBLISH", channel, Integer.toString(++published))).startsWith(":");
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean isSubscribedAt(Member member, String channel) {
    return member
        .text("EVAL", "return redis.call('PUBSUB', 'NUMSUB', ARGV[1])[2]", "0", channel)
        .equals("1");
  }

  /** Reads up to the last message, which is not delayed. */
  private List<Integer> receiveAll(RespClient subscriber) {
    List<Integer> received = new ArrayList<>();
    do {
      String[] lines = subscriber.read().split("\r\n", -1);
      received.add(Integer.valueOf(lines[lines.length - 2]));
    } while (received.getLast() != published);
    return received;
  }
}
