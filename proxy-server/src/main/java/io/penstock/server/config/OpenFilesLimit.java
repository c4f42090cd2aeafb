package io.penstock.server.config;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Dispatch;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds {@code max-clients} against the process's limit of open files, as Redis does. A client that
 * is refused is told so; one that finds no file descriptor left waits without a word, and nodes
 * cannot be connected to any more.
 *
 * @param files how many the process may have open; {@link Long#MAX_VALUE}: as many as it likes
 * @param open how many it has open at the start: one, or each jar of a class path
 */
record OpenFilesLimit(long files, long open) {

  private static final Logger LOG = LoggerFactory.getLogger(OpenFilesLimit.class);

  /** What comes later: the listener, the management port and its clients, the control plane. */
  private static final long OWN = 64;

  /** An event loop's selector, its timer, what wakes it. */
  private static final long PER_LOOP = 8;

  /** A cluster's seeds need not be all of its nodes. */
  private static final int NODES_AT_LEAST = 6;

  /** Of all files: for clients that have a connection to a node for themselves, and more nodes. */
  private static final long SHARE = 4;

  /** The limit of this process. A JVM has raised its soft limit to the hard one by now. */
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
   * The settings with as many clients as there are files for, at most; a warning tells of fewer.
   *
   * @throws InvalidConfigurationException when there are not even as many as Penstock begins with
   */
  ProxySettings hold(ProxySettings settings, PropertiesReader reader) {
    int wanted = settings.listen().maxClients();
    long least = least(settings);
    long needed = needed(settings);
    long enough = Math.max(wanted + needed, (wanted * SHARE + SHARE - 2) / (SHARE - 1));
    if (files <= least) {
      throw new InvalidConfigurationException(
          reader.fault(
              "max-clients",
              "this process may open %d files (ulimit -n), and needs %d without any client"
                  .formatted(files, least),
              "raise ulimit -n to %d, or to %d for fewer clients".formatted(enough, 2 * needed)));
    }
    long kept = Math.max(least, Math.max(Math.min(needed, files / 2), files / SHARE));
    if (wanted <= files - kept) {
      return settings;
    }
    int admitted = Math.toIntExact(files - kept);
    LOG.warn(
        "{} clients are admitted, not {} ({}): this process may open {} files, of which {} are kept"
            + " for connections to nodes and the like. Raise ulimit -n to {}, or lower the key",
        admitted,
        wanted,
        reader.written("max-clients"),
        files,
        kept,
        enough);
    return settings.withMaxClients(admitted);
  }

  /** What Penstock opens whatever its clients do: one connection of each loop to each node. */
  private long least(ProxySettings settings) {
    long loops = settings.eventLoops();
    long nodes =
        settings.upstream().hasFixedNodes()
            ? settings.upstream().addresses().size()
            : NODES_AT_LEAST;
    return open + OWN + loops * PER_LOOP + nodes * loops;
  }

  /** What Penstock may open beside its clients and their exclusive connections. */
  private long needed(ProxySettings settings) {
    long loops = settings.eventLoops();
    int known = settings.upstream().addresses().size();
    long nodes = settings.upstream().hasFixedNodes() ? known : Math.max(NODES_AT_LEAST, known);
    long shared = 2L * settings.backend().connectionsPerLoop(); // RESP2's and RESP3's
    long turns =
        switch (settings.dispatch()) {
          case Dispatch.Async _ -> 0;
          case Dispatch.Sync(int most) -> most;
        };
    return open
        + OWN
        + loops * PER_LOOP
        + nodes * (loops * (shared + 1) + turns); // 1 for subscriptions
  }
}
