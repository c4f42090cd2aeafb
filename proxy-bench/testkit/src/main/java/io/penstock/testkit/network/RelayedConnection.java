package io.penstock.testkit.network;

import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** One connection through a {@link Relay}: two sockets, and a thread for each direction. */
final class RelayedConnection {

  private static final int BUFFER = 64 * 1024;

  private final Relay relay;
  private final Socket near;
  private final Socket far;
  private final boolean exempt;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean forgotten;
  private volatile boolean nearEnded;
  private volatile boolean mutedThere;
  private volatile boolean mutedBack;
  private final Map<Direction, String> waiting = new ConcurrentHashMap<>();

  RelayedConnection(Relay relay, Socket near, Socket far, boolean exempt) {
    this.relay = relay;
    this.near = near;
    this.far = far;
    this.exempt = exempt;
  }

  boolean exempt() {
    return exempt;
  }

  /** Passes bytes on until one side ends. */
  void pump(Direction direction) {
    Socket from = direction == Direction.THERE ? near : far;
    Socket to = direction == Direction.THERE ? far : near;
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!pass(direction, to, buffer, read)) {
          return;
        }
      }
      nearEnded |= direction == Direction.THERE;
      if (!exempt) {
        relay.awaitPassage(direction);
      }
      if (!isMuted(direction)) {
        to.shutdownOutput();
        endWhenBothEnded();
      }
    } catch (IOException e) {
      nearEnded |= direction == Direction.THERE;
      if (!forgotten) {
        end(End.RST);
      }
    }
  }

  /** Returns whether to continue. */
  private boolean pass(Direction direction, Socket to, byte[] buffer, int read) throws IOException {
    if (exempt) {
      to.getOutputStream().write(buffer, 0, read);
      return true;
    }
    waiting.put(direction, new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
    relay.awaitPassage(direction);
    waiting.remove(direction);
    if (isMuted(direction)) {
      return true;
    }
    int passing = relay.bytesThatMayPass(direction, read);
    to.getOutputStream().write(buffer, 0, passing);
    if (passing < read) {
      end(relay.cutEnd());
    }
    return passing == read;
  }

  boolean isHolding(String text) {
    return waiting.values().stream().anyMatch(bytes -> bytes.contains(text));
  }

  private boolean isMuted(Direction direction) {
    return forgotten || (direction == Direction.THERE ? mutedThere : mutedBack);
  }

  private void endWhenBothEnded() {
    if (near.isOutputShutdown() && far.isOutputShutdown()) {
      end(End.FIN);
    }
  }

  void halfClose(Direction direction) {
    try {
      if (direction == Direction.THERE) {
        mutedThere = true;
        far.shutdownOutput();
      } else {
        mutedBack = true;
        near.shutdownOutput();
      }
    } catch (IOException e) {
      end(End.RST); // it has ended already
    }
  }

  void forget() {
    forgotten = true;
  }

  /** Returns whether the connection is half-open and the near side has not closed it. */
  boolean isHalfOpenUnnoticed() {
    return forgotten && !nearEnded;
  }

  void endIfForgotten() {
    if (forgotten) {
      end(End.RST);
    }
  }

  /** Closes both sides in the way that was requested first. */
  void end(End end) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    for (Socket socket : new Socket[] {near, far}) {
      try {
        if (end == End.RST) {
          socket.setSoLinger(true, 0);
        }
        socket.close();
      } catch (IOException e) {
        // it has ended already
      }
    }
    relay.ended(this);
  }
}
