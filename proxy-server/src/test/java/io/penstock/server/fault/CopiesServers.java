package io.penstock.server.fault;

import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.Relay.End;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A primary and two copies, each behind a relay. They keep every write across a restart. It is
 * known of each whether it can run writes: so a client can tell which of them cannot have run one.
 */
final class CopiesServers implements AutoCloseable {

  static final int COPIES = 2;

  private final List<ServerProcess> servers = new ArrayList<>(); // the primary first
  private final Relays relays = new Relays();
  private final AtomicLongArray absences = new AtomicLongArray(COPIES + 1); // odd: absent
  private final AtomicLongArray returns = new AtomicLongArray(COPIES + 1); // when it came back

  CopiesServers() {
    for (int i = 0; i <= COPIES; i++) {
      ServerProcess server =
          ServerProcess.builder()
              .option("appendonly", "yes")
              .option("appendfsync", "always")
              .option("enable-debug-command", "yes")
              .start();
      servers.add(server);
      relays.add(server);
    }
  }

  List<ServerProcess> all() {
    return servers;
  }

  ServerProcess primary() {
    return servers.getFirst();
  }

  ServerProcess copy(int number) {
    return servers.get(1 + number);
  }

  Relay relayOf(ServerProcess server) {
    return relays.of(server);
  }

  List<Relay> relays() {
    return relays.all();
  }

  UpstreamSettings upstream(ServerProcess server) {
    return new SingleUpstreamSettings(new Endpoint("127.0.0.1", relayOf(server).port()), null, 0);
  }

  /** From now on it runs no write. */
  void beginAbsence(ServerProcess server) {
    absences.incrementAndGet(servers.indexOf(server));
  }

  /** It may run writes again. */
  void endAbsence(ServerProcess server) {
    int index = servers.indexOf(server);
    returns.set(index, System.nanoTime());
    absences.incrementAndGet(index);
  }

  /** Returns a number that changes when a server begins or ends to be absent. */
  long absence(int server) {
    return absences.get(server);
  }

  /** Returns whether a server has not run any write since {@link #absence} returned a number. */
  boolean isAbsentSince(int server, long absence) {
    return absence % 2 == 1 && absences.get(server) == absence;
  }

  /** Returns whether a server could run writes for some time now. */
  boolean isSettled(int server, long nanos) {
    return absences.get(server) % 2 == 0 && System.nanoTime() - returns.get(server) > nanos;
  }

  /** Ends what a fault that has failed left behind, and deletes all data. */
  void reset() {
    for (ServerProcess server : servers) {
      relayOf(server).restore();
      server.resume();
      if (!server.isRunning()) {
        server.restart();
      }
      server.text("CONFIG", "SET", "maxmemory", "0");
      server.text("FLUSHALL");
      if (absences.get(servers.indexOf(server)) % 2 == 1) {
        endAbsence(server);
      }
    }
  }

  /** Ends the connections of Penstock, and refuses others. */
  void cutOff(ServerProcess server) {
    relayOf(server).refuseConnections();
    relayOf(server).cut(End.RST);
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::resume);
    servers.forEach(ServerProcess::close);
    relays.close();
  }
}
