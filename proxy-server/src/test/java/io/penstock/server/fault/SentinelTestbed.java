package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.it.SharedGroup;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * A master, two replicas and three sentinels. The nodes announce their relays, so the sentinels
 * tell Penstock about these. There is no relay in front of a sentinel.
 */
final class SentinelTestbed implements FaultTestbed {

  private final Relays relays = new Relays();
  private final SentinelGroup group;
  private final ProxyFixture proxy;
  private final Relay clientRelay;
  private volatile ServerProcess lastMaster;

  private SentinelTestbed(Transport transport, Duration commandTimeout) {
    try {
      group =
          SharedGroup.builder()
              .option("replica-serve-stale-data", "no")
              .option("bind-source-addr", Relays.NODES)
              .sentinelOption("bind-source-addr", Relays.NODES)
              .option("loading-process-events-interval-bytes", "1024")
              .announced(node -> relays.add(node).port())
              .start();
    } catch (RuntimeException e) {
      relays.close();
      throw e;
    }
    try {
      proxy =
          ProxyFixture.of(group).transport(transport).commandTimeout(commandTimeout).startReady();
    } catch (RuntimeException e) {
      closeNodes();
      throw e;
    }
    clientRelay = Relay.to(proxy.host(), proxy.port());
    group.tolerateSilentMasters(); // a busy machine must not lose writes outside of faults
    lastMaster = group.master();
  }

  static SentinelTestbed start(Transport transport, Duration commandTimeout) {
    return new SentinelTestbed(transport, commandTimeout);
  }

  SentinelGroup group() {
    return group;
  }

  @Override
  public ProxyFixture proxy() {
    return proxy;
  }

  @Override
  public Relay clientRelay() {
    return clientRelay;
  }

  @Override
  public List<Relay> relays() {
    return relays.all();
  }

  @Override
  public Relay relayOf(ServerProcess node) {
    return relays.of(node);
  }

  @Override
  public ServerProcess anyMaster(Random random) {
    ServerProcess master = group.master();
    lastMaster = master;
    return master;
  }

  @Override
  public Relay anyMasterRelay(Random random) {
    return relayOf(lastMaster);
  }

  /** Records that there is a new master. */
  void recordFailover() {
    lastMaster = group.master();
  }

  @Override
  public List<String> tags() {
    return List.of("{a}", "{b}", "{c}");
  }

  private void closeNodes() {
    group.close();
    relays.close();
  }

  @Override
  public void close() {
    clientRelay.close();
    proxy.close();
    closeNodes();
  }
}
