package io.penstock.server.start;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lowers {@code max-clients} to what the limit of open files allows, as Redis does. A client above
 * {@code max-clients} gets an error. A client for which no file descriptor is left waits without a
 * reply, and Penstock cannot connect to nodes any more.
 *
 * @param files how many files the process may have open; {@link Long#MAX_VALUE} for no limit
 * @param open how many files it has open at the start: one jar, or each jar of a class path
 */
record OpenFilesLimit(long files, long open) {

  private static final Logger LOG = LoggerFactory.getLogger(OpenFilesLimit.class);

  /** Files opened later: the listener, the management port and its clients, topology refreshes. */
  private static final long OWN = 64;

  /** For one event loop: its selector, its timer, its wakeup. */
  private static final long PER_LOOP = 8;

  /** The seeds of a cluster need not be all of its nodes. */
  private static final int MIN_NODES = 6;

  /** For one sentinel: a query, and the subscription. */
  private static final long PER_SENTINEL = 2;

  /** One of so many files is reserved, for exclusive connections of clients and for more nodes. */
  private static final long SHARE = 4;

  /**
   * Returns the limit of this process. The JVM has already raised its soft limit to the hard one.
   */
  static OpenFilesLimit ofThisProcess() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long files = system.getMaxFileDescriptorCount();
      if (files > 0) { // -1 is RLIM_INFINITY
        return new OpenFilesLimit(files, Math.max(0, system.getOpenFileDescriptorCount()));
      }
    }
    return new OpenFilesLimit(Long.MAX_VALUE, 0);
  }

  /**
   * Returns the settings with no more clients than there are files for. Logs a warning if that is
   * less than configured.
   *
   * @throws InvalidConfigurationException if there are too few files to start
   */
  ProxySettings applyTo(ProxySettings settings, PropertiesReader reader) {
    return applyTo(settings, settings, reader);
  }

  /**
   * Like {@link #applyTo(ProxySettings, PropertiesReader)}, for a proxy that runs.
   *
   * @param running decides on what only a restart changes: event loops and dispatch
   */
  ProxySettings applyTo(ProxySettings settings, ProxySettings running, PropertiesReader reader) {
    long wanted = 0;
    for (Listener listener : settings.listeners()) {
      wanted += listener.listen().maxClients();
    }
    ProxySettings inForce = settings.asRunning(running);
    long least = least(inForce);
    long needed = needed(inForce);
    long enough = Math.max(wanted + needed, (wanted * SHARE + SHARE - 2) / (SHARE - 1));
    if (files <= least) {
      throw reader.invalid(
          keyOf(settings, reader),
          "this process may open %d files (ulimit -n), and needs %d even without clients"
              .formatted(files, least),
          "raise ulimit -n to %d, or to %d for fewer clients".formatted(enough, 2 * needed));
    }
    long reserved = Math.max(least, Math.max(Math.min(needed, files / 2), files / SHARE));
    if (wanted <= files - reserved) {
      return settings;
    }
    List<Listener> lowered = lowered(settings.listeners(), files - reserved);
    LOG.warn(
        "{} is {}, but only {} clients are accepted: this process may open {} files (ulimit -n), of"
            + " which {} are reserved for connections to nodes and internal use. Raise ulimit -n to"
            + " {}, or lower the key",
        lowered.size() == 1
            ? reader.written(keyOf(settings, reader))
            : "max-clients of all listeners together",
        wanted,
        lowered.size() == 1 ? lowered.getFirst().listen().maxClients() : told(lowered),
        files,
        reserved,
        enough);
    return settings.withListeners(lowered);
  }

  /** The key of the limit; of several listeners, that of the first. */
  private static String keyOf(ProxySettings settings, PropertiesReader reader) {
    if (!reader.hasNamedListeners()) {
      return "max-clients";
    }
    return "listeners." + settings.listeners().getFirst().name() + ".max-clients";
  }

  private static String told(List<Listener> listeners) {
    return listeners.stream()
        .map(listener -> listener.listen().maxClients() + " (" + listener.name() + ")")
        .collect(Collectors.joining(", "));
  }

  /**
   * Lowers the highest limits to the same number: no listener can take what another needs, and one
   * that needs little keeps it.
   */
  private static List<Listener> lowered(List<Listener> listeners, long admitted) {
    int most = highest(listeners, admitted);
    List<Listener> lowered = new ArrayList<>();
    for (Listener listener : listeners) {
      lowered.add(listener.withMaxClients(Math.min(most, listener.listen().maxClients())));
    }
    return lowered;
  }

  /** Returns the number to which limits must be lowered for a sum of at most {@code admitted}. */
  private static int highest(List<Listener> listeners, long admitted) {
    int[] limits =
        listeners.stream().mapToInt(each -> each.listen().maxClients()).sorted().toArray();
    long left = admitted;
    for (int i = 0; i < limits.length; i++) {
      long part = left / (limits.length - i);
      if (part < limits[i]) {
        return (int) Math.max(1, part);
      }
      left -= limits[i];
    }
    return Integer.MAX_VALUE;
  }

  /** Returns the upstreams that a listener serves: others are not connected to. */
  private static List<Upstream.Resp> used(ProxySettings settings) {
    Set<String> served =
        settings.listeners().stream().map(Listener::upstream).collect(Collectors.toSet());
    return settings.respUpstreams().stream()
        .filter(upstream -> served.contains(upstream.name()))
        .toList();
  }

  /** Returns the connections to TCP servers: each client has one. */
  private static long ofTcpClients(ProxySettings settings) {
    return settings.listeners().stream()
        .filter(listener -> settings.upstream(listener.upstream()) instanceof Upstream.Tcp)
        .mapToLong(listener -> listener.listen().maxClients())
        .sum();
  }

  /** Returns how many files the start needs: one connection of each event loop to each node. */
  private long least(ProxySettings settings) {
    long loops = settings.eventLoops();
    long nodes = 0;
    for (Upstream.Resp upstream : used(settings)) {
      for (UpstreamSettings kind : upstream.kind().leaves()) {
        nodes += kind.hasFixedNodes() ? kind.addresses().size() : MIN_NODES;
      }
    }
    return open + OWN + loops * PER_LOOP + nodes * loops;
  }

  /** Returns how many files Penstock may open besides clients and their exclusive connections. */
  private long needed(ProxySettings settings) {
    long loops = settings.eventLoops();
    long leased =
        switch (settings.dispatch()) {
          case Dispatch.Async _ -> 0;
          case Dispatch.Sync(int most) -> most;
        };
    long connections = ofTcpClients(settings);
    for (Upstream.Resp upstream : used(settings)) {
      long nodes = 0;
      for (UpstreamSettings kind : upstream.kind().leaves()) {
        int known = kind.addresses().size();
        nodes += kind.hasFixedNodes() ? known : Math.max(MIN_NODES, known);
      }
      int sets = upstream.reads().usesReplicas() ? 4 : 2; // for RESP2 and RESP3, and for reads
      long shared = (long) sets * upstream.backend().connectionsPerLoop();
      connections += nodes * (loops * (shared + 1) + leased); // 1 for subscriptions
      connections += ofControlPlane(upstream, nodes);
    }
    return open + OWN + loops * PER_LOOP + connections;
  }

  /** Returns the connections that stay open besides those of event loops. */
  private static long ofControlPlane(Upstream.Resp upstream, long nodes) {
    long monitored = upstream.reads().usesReplicas() ? nodes : 0;
    long sentinels = 0;
    for (UpstreamSettings kind : upstream.kind().leaves()) {
      sentinels += kind instanceof SentinelUpstreamSettings ? kind.addresses().size() : 0;
    }
    return monitored + PER_SENTINEL * sentinels;
  }
}
