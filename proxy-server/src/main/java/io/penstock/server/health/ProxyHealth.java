package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.topology.Reach;
import io.penstock.server.lifecycle.ProxyLifecycle;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Ready for clients: listening, nodes have let Penstock in, and every slot has one. Part of the
 * readiness group.
 */
class ProxyHealth extends AbstractHealthIndicator {

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;

  ProxyHealth(Proxy proxy, ProxyLifecycle lifecycle) {
    super("asking the proxy failed");
    this.proxy = proxy;
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    boolean listening = lifecycle.isRunning();
    health.status(listening && proxy.isReady() ? "UP" : "OUT_OF_SERVICE");
    health.withDetail("listening", listening);
    Reach reach = proxy.reach();
    health.withDetail("reached", reach.reached());
    if (reach.failure() != null) {
      health.withDetail("failure", reach.failure());
    }
    SlotMap topology = proxy.topology();
    health.withDetail("shards", topology.shards().size());
    health.withDetail("coveredSlots", topology.coveredSlots());
  }
}
