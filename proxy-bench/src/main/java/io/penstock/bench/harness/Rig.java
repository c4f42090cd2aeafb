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
import java.util.function.IntFunction;

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

  /** A cluster of three masters with a replica each, which takes over after {@code nodeTimeout}. */
  public EmbeddedCluster replicatedCluster(Duration nodeTimeout) {
    EmbeddedCluster cluster =
        EmbeddedCluster.builder().replicas(1).nodeTimeout(nodeTimeout).start();
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
   * @param servers what is behind it
   * @throws IllegalStateException when it does not start
   */
  public Target.Address penstock(String name, Servers servers, PenstockSetup setup) {
    return started(name, servers, port -> setup.command(servers.resource(), port));
  }

  /**
   * A Penstock that is started in that folder.
   *
   * @throws IllegalStateException when it does not start
   */
  public Target.Address penstockIn(Path folder, String name, Servers servers, PenstockSetup setup) {
    List<String> inFolder = List.of("sh", "-c", "cd \"$0\" && exec \"$@\"", folder.toString());
    return started(
        name,
        servers,
        port -> {
          List<String> command = new ArrayList<>(inFolder);
          command.addAll(setup.command(servers.resource(), port));
          return command;
        });
  }

  /**
   * A Penstock with a management port, for {@link io.penstock.bench.measure.Inside}.
   *
   * @throws IllegalStateException when it does not start
   */
  public Target.Address managedPenstock(String name, Servers servers, PenstockSetup setup) {
    return started(name, servers, port -> setup.managed(port).command(servers.resource(), port));
  }

  /**
   * A Penstock with a management port that listens where its settings say.
   *
   * @param setup makes them, from the port of the first listener
   * @throws IllegalStateException when it does not start
   */
  public Target.Address managedPenstock(
      String name, Servers servers, IntFunction<PenstockSetup> setup) {
    return started(name, servers, port -> setup.apply(port).managed(port).command());
  }

  private Target.Address started(String name, Servers servers, IntFunction<List<String>> command) {
    WatchedProcess process = kept(WatchedProcess.start(name, (_, port) -> command.apply(port)));
    return address(name, process, servers.pids());
  }

  /** A Penstock; absent, with a note that says why, where it does not start. */
  public Optional<Target.Address> penstockIfItStarts(
      String name, Servers servers, PenstockSetup setup) {
    try {
      return Optional.of(penstock(name, servers, setup));
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
    WatchedProcess process = kept(Peers.nutcracker(executable.get(), servers));
    List<Long> pids = servers.stream().map(ServerProcess::pid).toList();
    return Optional.of(address("nutcracker", process, pids));
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
    ServerProcess server = server();
    WatchedProcess process = kept(Peers.nginx(executable.get(), module.get(), server));
    return Optional.of(address("nginx-stream", process, List.of(server.pid())));
  }

  @Override
  public void close() {
    while (!endings.isEmpty()) {
      endings.pop().run();
    }
  }

  private WatchedProcess kept(WatchedProcess process) {
    endings.push(process::close);
    return process;
  }

  private static Target.Address address(String name, WatchedProcess process, List<Long> servers) {
    return new Target.Address(name, process.host(), process.port(), process.pid(), servers);
  }
}
