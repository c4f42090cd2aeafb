package io.penstock.bench.harness;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.cluster.WatchedProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Everything that was started for a measurement. Closing it stops all, the newest first. */
public final class Rig implements AutoCloseable {

  /** No node fails here, so gossip is as rare as possible: it costs the measurement least. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(60);

  private final Notes notes;
  private final Deque<Runnable> endings = new ArrayDeque<>();

  public Rig(Notes notes) {
    this.notes = notes;
  }

  /** A cluster of masters without replicas. */
  public EmbeddedCluster cluster(int masters) {
    EmbeddedCluster cluster =
        EmbeddedCluster.builder().masters(masters).nodeTimeout(NODE_TIMEOUT).start();
    endings.push(cluster::close);
    return cluster;
  }

  /** A server on its own. */
  public ServerProcess server() {
    ServerProcess server = ServerProcess.start();
    endings.push(server::close);
    return server;
  }

  /**
   * A Penstock.
   *
   * @param resource the URL of what is behind it
   * @throws IllegalStateException when it does not start
   */
  public Target.Address penstock(String name, String resource, PenstockSetup setup) {
    return address(name, penstockProcess(name, resource, setup));
  }

  /**
   * A Penstock that works by {@code dispatch}; absent, with a note that says why, where it does not
   * start.
   */
  public Optional<Target.Address> penstock(
      String name, String resource, PenstockSetup setup, String dispatch) {
    try {
      return Optional.of(penstock(name, resource, setup.with("penstock.dispatch", dispatch)));
    } catch (IllegalStateException e) {
      notes.add(name + " left out: " + e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * nutcracker in front of three servers of its own; absent, with a note, if it is not installed.
   */
  public Optional<Target.Address> nutcracker() {
    Optional<Path> executable = Programs.find("nutcracker");
    if (executable.isEmpty()) {
      notes.add("nutcracker left out: it is not installed (Debian: apt-get install nutcracker)");
      return Optional.empty();
    }
    List<ServerProcess> servers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers.add(server());
    }
    return Optional.of(address("nutcracker", kept(Peers.nutcracker(executable.get(), servers))));
  }

  /**
   * nginx in front of a server of its own; absent, with a note, if it or its module is not
   * installed.
   */
  public Optional<Target.Address> nginx() {
    Optional<Path> executable = Programs.find("nginx");
    if (executable.isEmpty()) {
      notes.add(
          "nginx left out: it is not installed (Debian: apt-get install nginx libnginx-mod-stream)");
      return Optional.empty();
    }
    Optional<String> module = Peers.streamModule(executable.get());
    if (module.isEmpty()) {
      notes.add("nginx left out: it has no stream module (Debian: libnginx-mod-stream)");
      return Optional.empty();
    }
    WatchedProcess process = kept(Peers.nginx(executable.get(), module.get(), server()));
    return Optional.of(address("nginx-stream", process));
  }

  @Override
  public void close() {
    while (!endings.isEmpty()) {
      endings.pop().run();
    }
  }

  private WatchedProcess penstockProcess(String name, String resource, PenstockSetup setup) {
    return kept(WatchedProcess.start(name, (folder, port) -> setup.command(resource, port)));
  }

  private WatchedProcess kept(WatchedProcess process) {
    endings.push(process::close);
    return process;
  }

  private static Target.Address address(String name, WatchedProcess process) {
    return new Target.Address(name, process.host(), process.port(), process.pid());
  }
}
