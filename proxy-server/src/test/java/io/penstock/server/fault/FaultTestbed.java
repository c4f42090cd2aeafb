package io.penstock.server.fault;

import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Nodes, a relay in front of each, Penstock, which only knows the relays, and a relay in front of
 * Penstock. Faults of the relays do not affect connections between nodes.
 */
interface FaultTestbed extends AutoCloseable {

  ProxyFixture proxy();

  /** Returns the relay between clients and Penstock. */
  Relay clientRelay();

  /** Returns the address of that relay. */
  default ClientAddress clientAddress() {
    return new ClientAddress("127.0.0.1", clientRelay().port(), null);
  }

  /** Returns the relays between Penstock and all nodes. */
  List<Relay> relays();

  /** Returns the relay between Penstock and a node. */
  Relay relayOf(ServerProcess node);

  ServerProcess anyMaster(Random random);

  /** Returns the relay of a random master, or of a node that was a master before a fault. */
  Relay anyMasterRelay(Random random);

  /** Returns the hash tags that clients use: three, in a cluster one of each shard at the start. */
  List<String> tags();

  /** Returns how long clients wait for a replica to have their writes. */
  default Duration replicaPatience() {
    return Duration.ofMillis(500);
  }

  /** Returns the clients that use it. */
  default List<WorkloadClient> clients(FaultWorkload workload, Random random) {
    return workload.allClients(tags(), random);
  }

  /** The faults are over and clients still run. */
  default void beforeStop() {}

  /** The clients have stopped. */
  default void verify() {}

  @Override
  void close();
}
