package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A client of a Penstock of its own, whose two nodes are one real server. What Penstock sends at
 * once to a node is one step, which is held until the test runs it. So a test decides the order of
 * the steps of several clients. Used by one thread.
 */
final class SteppedClient implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Pattern COMMAND = Pattern.compile("\\*\\d+\r\n\\$");

  /** Steps that are run at once: they change nothing that others could see. */
  private static final List<String> FREE = List.of("CLIENT", "UNWATCH");

  private final ServerProcess server;
  private final Rig rig;
  private final List<Connection> connections = new CopyOnWriteArrayList<>();
  private final List<Thread> acceptors = new ArrayList<>();
  private final Peer client;
  private volatile boolean closed;
  private volatile boolean dead;

  /** A connection of Penstock, and its continuation to the server. */
  private final class Connection {

    private final Peer near;
    private final Peer far;
    private String held = "";
    private boolean ended;

    Connection(Peer near) {
      this.near = near;
      this.far = Peer.connect(server.host(), server.port());
    }

    void poll() {
      int pending = ended ? 0 : near.pending();
      if (pending > 0) {
        held += near.read(pending);
      }
      if (FREE.stream().anyMatch(each -> held.contains("\r\n" + each + "\r\n"))) {
        run(true);
      }
    }

    /** Has the server run what is held. */
    void run(boolean answers) {
      int replies = (int) COMMAND.matcher(held).results().count();
      far.send(held);
      held = "";
      String all = readReplies(replies);
      if (answers) {
        near.send(all);
      }
    }

    private String readReplies(int count) {
      StringBuilder all = new StringBuilder();
      var scanner = new ReplyScanner();
      int at = 0;
      ByteBuf bytes = Unpooled.EMPTY_BUFFER;
      for (int i = 0; i < count; ) {
        int end = bytes.readableBytes() == 0 ? -1 : scanner.scan(bytes, at, bytes.writerIndex());
        if (end > 0) {
          at = end;
          i++;
        } else {
          all.append(far.read(1)).append(far.read(far.pending()));
          bytes = Unpooled.wrappedBuffer(Wire.bytes(all.toString()));
        }
      }
      return all.toString();
    }

    void end() {
      if (ended) {
        return;
      }
      ended = true;
      held = "";
      near.reset();
      far.reset();
    }
  }

  SteppedClient(ServerProcess server) {
    this.server = server;
    this.rig = new RigOptions().emulatesCrossSlot(1_000_000).start();
    for (int node = 0; node < 2; node++) {
      int which = node;
      acceptors.add(Thread.ofPlatform().daemon().start(() -> accept(which)));
    }
    this.client = rig.client();
  }

  private void accept(int node) {
    while (!closed) {
      try {
        Peer near = rig.server(node).acceptUnanswered();
        if (dead) {
          near.reset();
        } else {
          connections.add(new Connection(near));
        }
      } catch (UncheckedIOException e) {
        // No connection has come for a while, or the test has ended.
      }
    }
  }

  /** Sends a command. */
  void send(String line) {
    client.send(Wire.request(line.split(" ")));
  }

  /** Returns whether the reply has come. Waits until it has, or a step can be run. */
  boolean isAnswered() {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofNanos(50_000))
        .atMost(PATIENCE)
        .until(() -> client.pending() > 0 || !steps().isEmpty());
    return client.pending() > 0 && steps().isEmpty();
  }

  private List<Connection> steps() {
    connections.forEach(Connection::poll);
    return connections.stream().filter(each -> !each.held.isEmpty()).toList();
  }

  private Connection next(boolean newest) {
    rig.onLoop(() -> true); // steps that are sent together have come
    List<Connection> all = steps();
    return newest ? all.getLast() : all.getFirst();
  }

  /**
   * Runs a step.
   *
   * @param newest which one, if there are two
   */
  void step(boolean newest) {
    next(newest).run(true);
  }

  /** Runs a step if there is one; returns whether there was. */
  boolean stepIfAny() {
    rig.onLoop(() -> true);
    List<Connection> all = steps();
    all.stream().findFirst().ifPresent(each -> each.run(true));
    return !all.isEmpty();
  }

  /**
   * Breaks the connection of the next step.
   *
   * @param afterwards whether the server has run the step, so that only the replies are lost
   */
  void cut(boolean afterwards) {
    Connection which = next(false);
    if (afterwards) {
      which.run(false);
    }
    which.end();
  }

  /** Breaks all connections: as the server sees it, Penstock ends. */
  void die(boolean afterwards) {
    dead = true;
    if (afterwards) {
      next(false).run(false);
    }
    connections.forEach(Connection::end);
  }

  /**
   * Kills the server, and starts it again.
   *
   * @param afterwards whether it has run the next step
   */
  void loseServer(boolean afterwards) {
    if (afterwards) {
      next(false).run(false);
    }
    server.restart();
    connections.forEach(Connection::end);
  }

  /** Reads the reply. */
  String reply() {
    String first = client.read(1);
    return (first + client.read(client.pending())).strip();
  }

  /** Closes the client without reading. */
  void leave() {
    client.close();
  }

  @Override
  public void close() {
    closed = true;
    connections.forEach(Connection::end);
    rig.close();
  }
}
