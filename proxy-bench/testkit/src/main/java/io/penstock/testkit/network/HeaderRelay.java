package io.penstock.testkit.network;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A load balancer before a server, which requires a header of the PROXY protocol from each
 * connection and does not pass it on. Thread-safe; each connection has two threads.
 */
public final class HeaderRelay implements AutoCloseable {

  /**
   * A connection that began with a header.
   *
   * @param peer the address that the connection comes from
   * @param port of this relay
   */
  public record Connected(ParsedHeader header, InetSocketAddress peer, int port) {

    /** Returns whether the header names the two ends of the connection itself. */
    public boolean namesItsEnds() {
      InetSocketAddress to = header.destination();
      return peer.equals(header.source())
          && to != null
          && to.getPort() == port
          && to.getAddress().isLoopbackAddress();
    }
  }

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final Predicate<InetAddress> exempt;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Connected> connected = new CopyOnWriteArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();

  private HeaderRelay(InetAddress near, String host, int port, Predicate<InetAddress> exempt)
      throws IOException {
    this.exempt = exempt;
    this.listener = new ServerSocket(0, 1_024, near);
    this.host = host;
    this.port = port;
    Thread.ofVirtual().start(this::accept);
  }

  /** From a free port of 127.0.0.1. */
  public static HeaderRelay to(String host, int port) {
    return to(host, port, "127.0.0.1", _ -> false);
  }

  /**
   * From a free port.
   *
   * @param near address that it listens on
   * @param exempt addresses whose connections have no header
   */
  public static HeaderRelay to(String host, int port, String near, Predicate<InetAddress> exempt) {
    try {
      return new HeaderRelay(InetAddress.getByName(near), host, port, exempt);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Returns the connections that began with a header, since the start. */
  public List<Connected> connected() {
    return List.copyOf(connected);
  }

  /** Returns how many connections were closed because they did not begin with a header. */
  public int refused() {
    return refused.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket near = listener.accept();
        open.add(near);
        Thread.ofVirtual().start(() -> serve(near));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket near) {
    try (near;
        Socket far = new Socket()) {
      open.add(far);
      if (!exempt.test(near.getInetAddress()) && !hasHeader(near)) {
        refused.incrementAndGet();
        return;
      }
      near.setTcpNoDelay(true);
      far.setTcpNoDelay(true);
      far.connect(new InetSocketAddress(host, port));
      Thread back = Thread.ofVirtual().start(() -> pump(far, near));
      pump(near, far);
      back.join();
    } catch (IOException e) {
      // one side has closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(near);
    }
  }

  private boolean hasHeader(Socket near) throws IOException {
    ParsedHeader header = read(near.getInputStream());
    if (header != null) {
      connected.add(
          new Connected(header, (InetSocketAddress) near.getRemoteSocketAddress(), port()));
    }
    return header != null;
  }

  /** Returns the header, and reads no byte after it; null if there is none. */
  private static @Nullable ParsedHeader read(InputStream in) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try {
      while (true) {
        int next = in.read();
        if (next < 0) {
          throw new EOFException();
        }
        bytes.write(next);
        ParsedHeader header = ParsedHeader.parse(bytes.toByteArray());
        if (header != null) {
          return header;
        }
      }
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      close(from);
      close(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed all the same
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(HeaderRelay::close);
  }
}
