package io.penstock.core.change;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Backend;
import io.penstock.core.assembly.ProxySettings.Listen;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.change.ChangePlan.Action;
import io.penstock.core.change.ChangePlan.Step;
import io.penstock.core.tcp.TcpSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Compares the settings in force with others. Names what differs, without values. */
public final class ChangePlanner {

  private final ProxySettings before;
  private final ProxySettings after;
  private final List<Step> steps = new ArrayList<>();

  private ChangePlanner(ProxySettings before, ProxySettings after) {
    this.before = before;
    this.after = after;
  }

  /** Returns what changes. */
  public static ChangePlan plan(ProxySettings before, ProxySettings after) {
    var planner = new ChangePlanner(before, after);
    planner.addRestart();
    planner.addProxy();
    planner.addUpstreams();
    planner.addListeners();
    return new ChangePlan(planner.steps);
  }

  private void addRestart() {
    var what =
        new Differences()
            .add("dispatch", before.dispatch(), after.dispatch())
            .add("transport", before.transport(), after.transport())
            .add("event-loops", before.eventLoops(), after.eventLoops())
            .add("event-loop-time-slice", before.timeSlice(), after.timeSlice());
    add(Action.RESTART, "penstock", what);
    for (Listener next : after.listeners()) {
      Listener earlier = before.findListener(next.name());
      if (earlier != null && next.hasOtherPermissions(earlier)) {
        steps.add(new Step(Action.RESTART, subject(next), "mode, owner"));
      }
    }
  }

  private void addProxy() {
    var what =
        new Differences()
            .add("commands", before.commands(), after.commands())
            .add("drain-timeout", before.drainTimeout(), after.drainTimeout());
    add(Action.CHANGE, "penstock", what);
  }

  private void addUpstreams() {
    for (Upstream next : after.upstreams()) {
      Upstream earlier = before.findUpstream(next.name());
      if (earlier == null) {
        steps.add(new Step(Action.ADD, subject(next), ""));
      } else {
        Differences what = differences(earlier, next);
        String name = next.name();
        what.add("shadow", before.shadowOf(name), after.shadowOf(name))
            .add("copies", before.mirrorOf(name), after.mirrorOf(name));
        add(Action.CHANGE, subject(next), what);
      }
    }
    for (Upstream earlier : before.upstreams()) {
      if (after.findUpstream(earlier.name()) == null) {
        steps.add(new Step(Action.DRAIN, subject(earlier), ""));
      }
    }
  }

  private static Differences differences(Upstream earlier, Upstream next) {
    if (earlier instanceof Upstream.Resp before && next instanceof Upstream.Resp after) {
      return differences(before, after);
    }
    if (earlier instanceof Upstream.Tcp before && next instanceof Upstream.Tcp after) {
      return differences(before.servers(), after.servers());
    }
    return new Differences().add("kind", earlier, next);
  }

  private static Differences differences(TcpSettings earlier, TcpSettings next) {
    return new Differences()
        .add("servers", earlier.servers(), next.servers())
        .add("balance", earlier.balance(), next.balance())
        .add("connects", earlier.connect(), next.connect())
        .add("tls", earlier.transport().tls(), next.transport().tls())
        .add(
            "proxy-protocol", earlier.transport().proxyProtocol(), next.transport().proxyProtocol())
        .add("idle-timeout", earlier.idleTimeout(), next.idleTimeout())
        .add("buffer-size", earlier.bufferSize(), next.bufferSize())
        .add("health-check", earlier.check(), next.check());
  }

  private static Differences differences(Upstream.Resp earlier, Upstream.Resp next) {
    Backend a = earlier.backend();
    Backend b = next.backend();
    return new Differences()
        .add("servers", earlier.kind(), next.kind())
        .add("password", earlier.kind().passwords(), next.kind().passwords())
        .add("connect-timeout", a.connectTimeout(), b.connectTimeout())
        .add("command-timeout", a.commandTimeout(), b.commandTimeout())
        .add("connections-per-loop", a.connectionsPerLoop(), b.connectionsPerLoop())
        .add(
            "exclusive-connections-per-loop",
            a.exclusiveConnectionsPerLoop(),
            b.exclusiveConnectionsPerLoop())
        .add("failover-hold", a.hold(), b.hold())
        .add("limits of connections", a.bounds(), b.bounds())
        .add("topology", earlier.refresh(), next.refresh())
        .add("reads", earlier.reads(), next.reads());
  }

  private void addListeners() {
    for (Listener next : after.listeners()) {
      Listener earlier = before.findListener(next.name());
      if (earlier == null) {
        steps.add(new Step(Action.ADD, subject(next), ""));
      } else {
        add(Action.CHANGE, subject(next), differences(earlier, next));
      }
    }
    for (Listener earlier : before.listeners()) {
      if (after.findListener(earlier.name()) == null) {
        steps.add(new Step(Action.DRAIN, subject(earlier), ""));
      }
    }
  }

  private static Differences differences(Listener earlier, Listener next) {
    Listen a = earlier.listen();
    Listen b = next.listen();
    return new Differences()
        .add("upstream", earlier.upstream(), next.upstream())
        .add("address", a.address(), next.hasOtherPermissions(earlier) ? a.address() : b.address())
        .add("password", a.password(), b.password())
        .add("password-overlap", a.passwordOverlap(), b.passwordOverlap())
        .add("max-clients", a.maxClients(), b.maxClients())
        .add("proto-max-bulk-len", a.maxBulkLength(), b.maxBulkLength())
        .add("max-connection-rate", a.arrivals().maxPerSecond(), b.arrivals().maxPerSecond())
        .add("tcp-keepalive", a.arrivals().keepAlive(), b.arrivals().keepAlive())
        .add("proxy-protocol", a.arrivals().proxyProtocol(), b.arrivals().proxyProtocol())
        .add("tls", a.arrivals().tls(), b.arrivals().tls())
        .add("limits of clients", a.clients(), b.clients())
        .add("cross-slot", a.crossSlot(), b.crossSlot())
        .add("users", a.users(), b.users())
        .add("cluster-facade", earlier.facade(), next.facade());
  }

  private static String subject(Listener listener) {
    return "listener " + listener.name();
  }

  private static String subject(Upstream upstream) {
    return "upstream " + upstream.name();
  }

  private void add(Action action, String subject, Differences what) {
    if (!what.isEmpty()) {
      steps.add(new Step(action, subject, what.toString()));
    }
  }

  /** The names of settings that differ. */
  private static final class Differences {

    private final StringJoiner names = new StringJoiner(", ");

    Differences add(String name, @Nullable Object one, @Nullable Object other) {
      if (!Objects.equals(one, other)) {
        names.add(name);
      }
      return this;
    }

    boolean isEmpty() {
      return names.length() == 0;
    }

    @Override
    public String toString() {
      return names.toString();
    }
  }
}
