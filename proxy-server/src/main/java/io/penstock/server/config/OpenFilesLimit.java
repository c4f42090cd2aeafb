package io.penstock.server.config;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Dispatch;
import java.lang.management.ManagementFactory;
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
    int wanted = settings.listen().maxClients();
    long least = least(settings);
    long needed = needed(settings);
    long enough = Math.max(wanted + needed, (wanted * SHARE + SHARE - 2) / (SHARE - 1));
    if (files <= least) {
      throw new InvalidConfigurationException(
          reader.fault(
              "max-clients",
              "this process may open %d files (ulimit -n), and needs %d even without clients"
                  .formatted(files, least),
              "raise ulimit -n to %d, or to %d for fewer clients".formatted(enough, 2 * needed)));
    }
    long reserved = Math.max(least, Math.max(Math.min(needed, files / 2), files / SHARE));
    if (wanted <= files - reserved) {
      return settings;
    }
    int admitted = Math.toIntExact(files - reserved);
    LOG.warn(
        "{} is {}, but only {} clients are accepted: this process may open {} files (ulimit -n), of"
            + " which {} are reserved for connections to nodes and internal use. Raise ulimit -n to"
            + " {}, or lower the key",
        reader.written("max-clients"),
        wanted,
        admitted,
        files,
        reserved,
        enough);
    return settings.withMaxClients(admitted);
  }

  /** Returns how many files the start needs: one connection of each event loop to each node. */
  private long least(ProxySettings settings) {
    long loops = settings.eventLoops();
    long nodes =
        settings.upstream().hasFixedNodes() ? settings.upstream().addresses().size() : MIN_NODES;
    return open + OWN + loops * PER_LOOP + nodes * loops;
  }

  /** Returns how many files Penstock may open besides clients and their exclusive connections. */
  private long needed(ProxySettings settings) {
    long loops = settings.eventLoops();
    int known = settings.upstream().addresses().size();
    long nodes = settings.upstream().hasFixedNodes() ? known : Math.max(MIN_NODES, known);
    long shared = 2L * settings.backend().connectionsPerLoop(); // for RESP2 and RESP3
    long leased =
        switch (settings.dispatch()) {
          case Dispatch.Async _ -> 0;
          case Dispatch.Sync(int most) -> most;
        };
    return open
        + OWN
        + loops * PER_LOOP
        + nodes * (loops * (shared + 1) + leased); // 1 for subscriptions
  }
}
